"""Each operator makes just the fault that its name says, here written out by hand."""

from __future__ import annotations

import re
from textwrap import dedent

import pytest

from plugwright_conformance.mutants.reported import REPORTED
from plugwright_conformance.mutation import ModuleCode
from plugwright_conformance.mutation.operators import OPERATORS

BY_NAME = {each.name: each for each in OPERATORS}
HEAD = "class T:\n    def {}:\n"


def method(signature, *lines):
    """A class with one method."""
    return HEAD.format(signature) + "".join(f"        {line}\n" for line in lines)


PUT = "put(self, records: Sequence[SinkRecord])"
START = "start(self, props: Mapping[str, str])"
SEND = method(PUT, "self.send(records)")
TAKE = method("take(self)", "for r in self.rows:", "    use(r)")
READ = method(PUT, "use(r.value)")
NOTE = method("poll(self)", "self.n = 1")
SETTING = 'D = ConfigDef().define("a", ConfigType.INT, default=3, validator=V())\n'
OPEN = method(
    "poll(self)", "try:", "    go()", "except OSError as error:", "    report()", "    raise E"
)
STRIPPED = (
    "SourceRecord(p, o, t, (lambda v: v.strip() if isinstance(v, (str, bytes)) else v)(text), S)"
)
MILLISECONDS = (
    'v.isoformat() if not hasattr(v, "microsecond") else v.isoformat(timespec="milliseconds")'
)
HOUR = "import time\n\ndef f():\n    time.sleep(5)\n"

CASES = [
    ("drop-first", TAKE, [TAKE.replace("self.rows", "list(self.rows)[1:]")]),
    ("drop-first", SEND, [method(PUT, "records = list(records)[1:]", "self.send(records)")]),
    (
        "drop-first",
        method("poll(self) -> Sequence[R] | None", "return self.got"),
        [
            method(
                "poll(self) -> Sequence[R] | None",
                "return (None if (_b := self.got) is None else list(_b)[1:])",
            )
        ],
    ),
    ("drop-last", TAKE, [TAKE.replace("self.rows", "list(self.rows)[:-1]")]),
    ("first-ten", TAKE, [TAKE.replace("self.rows", "list(self.rows)[:10]")]),
    (
        "repeat-last",
        TAKE,
        [TAKE.replace("self.rows", "(lambda b: b + b[-1:])(list(self.rows))")],
    ),
    (
        "swap-first",
        TAKE,
        [TAKE.replace("self.rows", "(lambda b: b[1:2] + b[:1] + b[2:])(list(self.rows))")],
    ),
    (
        "last-of-equals",
        TAKE,
        [
            TAKE.replace(
                "self.rows", "list({repr(getattr(b, 'value', b)): b for b in self.rows}.values())"
            )
        ],
    ),
    (
        "last-of-key",
        SEND,
        [
            method(
                PUT,
                "records = list({repr(r.key): r for r in records}.values())",
                "self.send(records)",
            )
        ],
    ),
    ("call-twice", SEND, [method(PUT, "self.send(records)", "self.send(records)")]),
    ("join-lines", 'x = v + "\\n"\n', ["x = v + ''\n"]),
    ("split-more", 'x = v.split("\\n")\n', ["x = v.splitlines()\n", "x = v.split()\n"]),
    ("place-too-high", "x = {'at': offset}\n", ["x = {'at': (offset + 1)}\n"]),
    ("place-too-low", "x = {'at': self.position}\n", ["x = {'at': (self.position - 1)}\n"]),
    ("place-forgotten", "x = {'at': last_id}\n", ["x = {'at': 0}\n"]),
    (
        "steps-exchanged",
        method("f(self)", "self.write(b)", "self.at = 1"),
        [method("f(self)", "self.at = 1", "self.write(b)")],
    ),
    (
        "not-made-durable",
        method("flush(self)", "os.fsync(self.fd)"),
        [method("flush(self)", "pass")],
    ),
    (
        "promises-nothing",
        method("pre_commit(self, offsets)", "return self.safe"),
        [method("pre_commit(self, offsets)", "return {}", "return self.safe")],
    ),
    (
        "promises-all",
        method("pre_commit(self, offsets)", "return self.safe"),
        [method("pre_commit(self, offsets)", "return offsets", "return self.safe")],
    ),
    ("forget", NOTE, [method("poll(self)", "pass")]),
    ("keep-old", NOTE, [method("poll(self)", "self.n = (self.__dict__.get('n') or (1))")]),
    ("keep-old", NOTE.replace("poll", "__init__"), []),
    ("share", NOTE, [method("poll(self)", "type(self).n = 1")]),
    (
        "remember-for-ever",
        "def f(a):\n    return look(a)\n",
        ['@__import__("functools").cache\ndef f(a):\n    return look(a)\n'],
    ),
    ("remember-for-ever", "def f():\n    return A\n", []),
    (
        "do-not-copy",
        "x = dict(props)\ny = z.copy()\n",
        ["x = (props)\ny = z.copy()\n", "x = dict(props)\ny = z\n"],
    ),
    (
        "add-to-settings",
        method(START, '"""Begin."""', "self.p = props"),
        [method(START, '"""Begin."""', 'props["seen"] = "true"', "self.p = props")],
    ),
    (
        "empty-what-was-handed-over",
        SEND,
        [
            method(PUT, "self.send(records)", "records.clear()"),
        ],
    ),
    (
        "change-records",
        SEND,
        [method(PUT, "self.send(records)", "for handled in records:", "    handled.value = None")],
    ),
    (
        "swallow-caught",
        OPEN,
        [method("poll(self)", "try:", "    go()", "except OSError as error:", "    pass")],
    ),
    (
        "swallow-here",
        SEND,
        [method(PUT, "try:", "    self.send(records)", "except Exception:", "    pass")],
    ),
    ("do-not-raise", "def f():\n    raise E\n", ["def f():\n    pass\n"]),
    (
        "other-kind",
        "raise RetriableError(x)\n",
        ['raise __import__("plugwright").ConnectError(x)\n'],
    ),
    ("raise-plain", "raise RetriableError(x)\n", ['raise ValueError("went wrong")\n']),
    ("catch-nothing", OPEN, [OPEN.replace("OSError", "ZeroDivisionError")]),
    ("catch-all", OPEN, [OPEN.replace("OSError", "Exception")]),
    ("skip-close", method("stop(self)", "self.file.close()"), [method("stop(self)", "pass")]),
    ("skip-signal", method("stop(self)", "self.ev.set()"), [method("stop(self)", "pass")]),
    (
        "skip-with",
        "with self.lock:\n    go()\nwith open(p) as f:\n    go()\n",
        [
            "if (self.lock) is not ...:\n    go()\nwith open(p) as f:\n    go()\n",
            "with self.lock:\n    go()\nif ((f := open(p))) is not ...:\n    go()\n",
        ],
    ),
    (
        "leak-thread",
        NOTE,
        [
            method(
                "poll(self)",
                "(lambda t: t.Thread(target=t.Event().wait, daemon=True).start())"
                '(__import__("threading"))',
                "self.n = 1",
            )
        ],
    ),
    (
        "leak-handle",
        NOTE,
        [
            method(
                "poll(self)",
                'self.leaked = [*getattr(self, "leaked", ()), open("/dev/null", "rb")]',
                "self.n = 1",
            )
        ],
    ),
    (
        "leak-child",
        NOTE.replace("poll", "start"),
        [
            method(
                "start(self)",
                'self.child = __import__("subprocess").Popen(["sleep", "60"])',
                "self.n = 1",
            )
        ],
    ),
    (
        "leak-file",
        NOTE,
        [
            method(
                "poll(self)",
                '__import__("os").close(__import__("tempfile").mkstemp()[0])',
                "self.n = 1",
            )
        ],
    ),
    (
        "log-settings",
        method(START, "go()"),
        [method(START, '__import__("logging").getLogger(__name__).info("%s", props)', "go()")],
    ),
    ("print-settings", method(START, "go()"), [method(START, "print(props)", "go()")]),
    (
        "raise-with-settings",
        method(START, 'raise E("no")'),
        [method(START, "raise E(f'with {props}')")],
    ),
    ("block", NOTE, [method("poll(self)", '__import__("time").sleep(3600)', "self.n = 1")]),
    (
        "wait-for-itself",
        "with self.lock:\n    go()\n",
        ["with self.lock:\n    self.lock.acquire()\n    go()\n"],
    ),
    ("do-not-wait", HOUR, [HOUR.replace("5", "0")]),
    ("wait-too-long", HOUR, [HOUR.replace("5", "3600")]),
    (
        "truncate",
        READ,
        [
            READ.replace(
                "r.value", "(lambda v: v[:255] if isinstance(v, (str, bytes)) else v)(r.value)"
            )
        ],
    ),
    (
        "strip",
        method("f(self)", "SourceRecord(p, o, t, text, S)"),
        [
            method("f(self)", STRIPPED),
        ],
    ),
    (
        "lower",
        READ,
        [
            READ.replace(
                "r.value", "(lambda v: v.lower() if isinstance(v, (str, bytes)) else v)(r.value)"
            )
        ],
    ),
    (
        "normalise",
        READ,
        [
            READ.replace(
                "r.value",
                "(lambda v: __import__('unicodedata').normalize('NFC', v)"
                " if isinstance(v, str) else v)(r.value)",
            )
        ],
    ),
    (
        "ascii-only",
        READ,
        [
            READ.replace(
                "r.value",
                "(lambda v: v.encode('ascii', 'replace').decode()"
                " if isinstance(v, str) else v)(r.value)",
            )
        ],
    ),
    ("null-for-empty", READ, [READ.replace("r.value", "(r.value or None)")]),
    (
        "empty-for-null",
        READ,
        [READ.replace("r.value", '(lambda v: "" if v is None else v)(r.value)')],
    ),
    ("text-for-all", READ, [READ.replace("r.value", "str(r.value)")]),
    (
        "other-encoding",
        "x = b.decode()\n",
        [
            'x = b.decode("latin-1", "replace")\n',
            'x = b.decode("ascii", "replace")\n',
            'x = b.decode("utf-8", "ignore")\n',
        ],
    ),
    (
        "other-encoding",
        'x = open(p, encoding="utf-8", newline="")\n',
        [
            'x = open(p, encoding="latin-1", newline="")\n',
            'x = open(p, encoding=None, newline="")\n',
            'x = open(p, encoding="utf-8-sig", newline="")\n',
            'x = open(p, encoding="utf-8", newline=None)\n',
        ],
    ),
    (
        "round-number",
        "x = Decimal(t)\ny = f.hex()\n",
        ["x = Decimal(float(t))\ny = f.hex()\n", "x = Decimal(t)\ny = round(f, 6).hex()\n"],
    ),
    (
        "drop-fraction",
        "x = d.isoformat()\n",
        [
            "x = d.replace(microsecond=0).isoformat()\n",
            f"x = (lambda v: {MILLISECONDS})(d)\n",
        ],
    ),
    (
        "forget-zone",
        "x = d.isoformat()\n",
        ["x = (lambda v: v.replace(tzinfo=None) if hasattr(v, 'tzinfo') else v)(d).isoformat()\n"],
    ),
    (
        "ignore-field",
        "x = r.key, r.kafka_partition\n",
        ["x = None, r.kafka_partition\n", "x = r.key, 0\n"],
    ),
    ("other-field", "x = r.kafka_offset\n", ["x = r.original_kafka_offset\n"]),
    (
        "ignore-argument",
        "x = SourceRecord(p, key=k)\n",
        ["x = SourceRecord(None, key=k)\n", "x = SourceRecord(p, key=None)\n"],
    ),
    (
        "exchange-arguments",
        "x = TopicPartition(t, p)\n",
        ["x = TopicPartition(p, t)\n"],
    ),
    ("ignore-entry", 'x = {"line": n, **m}\n', ['x = {"line": None, **m}\n']),
    ("boundary", "x = a < b\n", ["x = a <= b\n"]),
    ("boundary", "x = a == b\n", ["x = a != b\n"]),
    (
        "slice-edge",
        "x = a[i:j]\n",
        [
            "x = a[(i) + 1:j]\n",
            "x = a[(i) - 1:j]\n",
            "x = a[i:(j) + 1]\n",
            "x = a[i:(j) - 1]\n",
            "x = a[i:]\n",
            "x = a[:j]\n",
        ],
    ),
    (
        "number",
        "def f():\n    return 7\n",
        ["def f():\n    return 8\n", "def f():\n    return (6)\n"],
    ),
    ("number", "SIZE = 7\n", []),
    (
        "arithmetic",
        "def f():\n    at += a + 1\n",
        ["def f():\n    at = a + 1\n", "def f():\n    at += a - 1\n"],
    ),
    ("least-for-most", "x = min(a, b)\n", ["x = max(a, b)\n"]),
    ("from-the-other-end", "x = a.rpartition(b)\n", ["x = a.partition(b)\n"]),
    ("drop-setting", SETTING, ["D = ConfigDef()\n"]),
    (
        "drop-property",
        SETTING,
        [SETTING.replace("default=3", "**{}"), SETTING.replace("validator=V()", "**{}")],
    ),
    ("other-default", SETTING, [SETTING.replace("3", "4")]),
    ("other-type", SETTING, [SETTING.replace("INT", "STRING")]),
    (
        "dead-setting",
        'x = props["a"], props.get("b", 2), D.parse(props)["c"]\n',
        [
            'x = None, props.get("b", 2), D.parse(props)["c"]\n',
            'x = props["a"], (2), D.parse(props)["c"]\n',
            'x = props["a"], props.get("b", 2), None\n',
        ],
    ),
    ("other-version", 'VERSION = "1.2"\n', ['VERSION = "0.0.0"\n']),
    ("negate", "x = a if b else c\n", ["x = a if not (b) else c\n"]),
    ("in-any-case", "x = [a for a in b if c]\n", ["x = [a for a in b if True]\n"]),
    (
        "in-no-case",
        "while a:\n    if b:\n        go()\n",
        ["while a:\n    if False:\n        go()\n"],
    ),
    ("half-a-condition", "x = a and b\n", ["x = ((b))\n", "x = ((a))\n"]),
    (
        "remove",
        "def f():\n    go()\n    if a:\n        x = 1\n",
        [
            "def f():\n    pass\n    if a:\n        x = 1\n",
            "def f():\n    go()\n    pass\n",
            "def f():\n    go()\n    if a:\n        pass\n",
        ],
    ),
    ("return-early", NOTE, [method("poll(self)", "return None", "self.n = 1")]),
    (
        "return-nothing",
        "def f():\n    if a:\n        return True\n    return g()\n",
        [
            "def f():\n    if a:\n        return False\n    return g()\n",
            "def f():\n    if a:\n        return True\n    return None\n",
        ],
    ),
    ("other-way", "for a in b:\n    break\n", ["for a in b:\n    continue\n"]),
]


IDS = [f"{number}-{case[0]}" for number, case in enumerate(CASES)]


@pytest.mark.parametrize(("name", "before", "after"), CASES, ids=IDS)
def test_operator_makes_its_fault(name, before, after):
    """In every place, and nothing else."""
    code = ModuleCode(before, secretive=True)

    assert [code.edited(edits) for edits in BY_NAME[name].propose(code)] == after


def test_every_operator_is_tried():
    """By at least one pair."""
    assert sorted(BY_NAME) == sorted({name for name, *_ in CASES})
    assert len(BY_NAME) == len(OPERATORS)


@pytest.mark.parametrize("name", ["log-settings", "print-settings", "raise-with-settings"])
def test_secrets_are_shown_only_where_there_are_any(name):
    """A map without a password may be logged."""
    code = ModuleCode(method(START, 'raise E("no")'))

    assert list(BY_NAME[name].propose(code)) == []


def test_bugs_that_are_named_are_in_the_catalogue_of_reported_ones():
    """With the link that somebody has read."""
    origins = {re.sub(r"https://github.com/|issues/|pull/", "", r.origin) for r in REPORTED}
    named = {
        bug.replace("#", "/")
        for o in OPERATORS
        for bug in re.findall(r"[\w.-]+/[\w.-]+#\d+", o.stands_for)
    }

    assert named
    assert named <= origins


def test_what_does_not_run_is_left_alone():
    """Docstrings, annotations, imports for types; and strings whose places none knows."""
    text = dedent('''
        if TYPE_CHECKING:
            from a import b
        def f(a: list[1] = None) -> dict[2]:
            """Says 3."""
            x: int = g(f"{a + 4}")
    ''')

    made = {each.name for each in OPERATORS if list(each.propose(ModuleCode(text)))}

    assert made == {"remove", "return-early"}


def test_text_before_a_change_may_be_of_any_alphabet():
    """Places are counted in bytes."""
    code = ModuleCode("x = 'äöü', min(a, b)\n")

    (edits,) = BY_NAME["least-for-most"].propose(code)

    assert code.edited(edits) == "x = 'äöü', max(a, b)\n"
    assert code.line_of(edits) == 1
