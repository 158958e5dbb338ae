"""Drawn by lot a third time: bodies, targets, headers, names and loggers in forms not yet asked."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from tests.oracle.worker.chapters.plugins import BUILT_IN
from tests.oracle.worker.steps import (
    Chapter,
    Step,
    ask,
    created,
    delete,
    gone,
    is_in,
    patch,
    post,
    put,
    show,
    until,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["CHAPTERS"]

_SOURCE = {"connector.class": "TrialSource", "topic": "third"}
_NUMBERS = ("01", "+1", ".5", "1.", "1e400", "-0", "Infinity", "1e-400", "0x10", "1" * 1001, "1__0")
_STRINGS = ('"\\ud800"', '"\\u00"', '"\\/"', '"\\\'"', '"a\\\nb"', '"\\u0000"', "'a'", '"\x7f"')
_SHAPES = (
    '{"name":"t","name":"u","config":{}}',
    '{"name":"t","config":{"a":"1","a":"2"}}',
    '{"name":"t","config":{"a":"b",},}',
    '{"name":"t" "config":{}}',
    '{"name":"t","config":{"a":["b",["c"]]}}',
    '{"name":"t","config":{"a":{}}}',
    '{"NAME":"t","CONFIG":{}}',
    '{"name":"t","config":{},"initial_state":"STOPPED","initial_state":"PAUSED"}',
    '{"name":"t","config":{},"initialState":"STOPPED"}',
    '{"name":"t","config":{},"config":null}',
    '\n\t {"name":"t"}\n\n',
    '{"name":"t"}}',
    '{"name":"t"}null',
    '/* x */{"name":"t"}',
    '# x\n{"name":"t"}',
    '{"name":undefined}',
    "[null]",
    '["t",{"connector.class":"TrialSource"}]',
    '"{}"',
    "false",
    "-1",
    '{"name":"t","config":' + "[" * 999 + "]" * 999 + "}",
    '{"a":' * 1001 + "1" + "}" * 1001,
    '{"' + "k" * 50_001 + '":"v"}',
    '{"":""}',
    "{,}",
    '{"name":"t","config":{"a":"b"}',
    '{"name":"t","config":{"a":"b"',
    '{"name":"t","config":{"a":"b',
    '{"name":"t","config":{"a":',
    '{"name":"t","config":{"a"',
    "\x00",
    '{"name":"t"}\x00',
    "\u2028{}",
    "\u00a0{}",
    "tru",
    "nul",
    "truee",
)
_TAKERS = (
    ("POST", "/connectors"),
    ("PUT", "/connectors/third/config"),
    ("PATCH", "/connectors/third/config"),
    ("PATCH", "/connectors/third/offsets"),
    ("PUT", "/admin/loggers/third.t"),
    ("PUT", "/connector-plugins/TrialSource/config/validate"),
)


def _bodies() -> list[Step]:
    draw = random.Random(3101)  # noqa: S311  # nothing to guess
    found = []
    for text in _SHAPES:
        for method, target in draw.sample(_TAKERS, 2):
            found.append(ask(method, target, text=text))
    for text in (*_NUMBERS, *_STRINGS):
        method, target = draw.choice(_TAKERS)
        key = draw.choice(("level", "topic", "name", "offsets", "config"))
        found.append(ask(method, target, text=f'{{"{key}":{text}}}'))
        found.append(
            post("/connectors", None) | {"text": f'{{"name":"t","config":{{"a":{text}}}}}'}
        )
    return found


_HEADERS: Sequence[Mapping[str, str]] = (
    {"Accept-Language": "de"},
    {"Accept-Charset": "iso-8859-1"},
    {"Accept-Charset": "utf-16;q=1, *;q=0"},
    {"Accept-Encoding": "gzip;q=0, identity;q=0"},
    {"Content-Encoding": "identity"},
    {"Content-Language": "en"},
    {"If-None-Match": "*"},
    {"If-Match": '"x"'},
    {"If-Modified-Since": "Sat, 29 Oct 1994 19:43:31 GMT"},
    {"Range": "bytes=0-1"},
    {"X-HTTP-Method-Override": "DELETE"},
    {"X-Forwarded-Host": "elsewhere.example", "X-Forwarded-Proto": "https"},
    {"Forwarded": "host=elsewhere.example;proto=https"},
    {"Authorization": "Basic dTpw"},
    {"Authorization": "nonsense"},
    {"Cookie": "a=b; c"},
    {"Origin": ""},
    {"Origin": "https://console.example https://other.example"},
    {"Origin": "HTTPS://CONSOLE.EXAMPLE"},
    {"Accept": "application/json, text/html;level=1"},
    {"Accept": "application/json;version=2"},
    {"Accept": "application/jsonx"},
    {"Accept": "*/*;q=0.0001"},
    {"Accept": "text/html;q=0, */*"},
    {"Content-Type": "application/json;charset=utf-8;charset=utf-16"},
    {"Content-Type": "application/json; boundary=x"},
    {"Content-Type": "application/x-json"},
    {"Content-Type": "application/json/x"},
    {"Content-Type": 'application/json; charset="UTF-8"'},
)
_ASKED: Sequence[tuple[str, str, Any]] = (
    ("GET", "/", None),
    ("GET", "/connectors", None),
    ("GET", "/connectors/none", None),
    ("GET", "/connector-plugins/TrialSource/config", None),
    ("HEAD", "/connectors", None),
    ("OPTIONS", "/connectors/none/config", None),
    ("PUT", "/connectors/none/resume", None),
    ("POST", "/connectors/none/restart", None),
    ("POST", "/connectors", {"name": "h", "config": {"connector.class": "None"}}),
    ("PUT", "/connectors/none/config", {"connector.class": "None"}),
    ("PATCH", "/connectors/none/config", {"a": None}),
    ("PUT", "/admin/loggers/third.h", {"level": "INFO"}),
    ("DELETE", "/connectors/none", None),
)


def _headers() -> list[Step]:
    draw = random.Random(3102)  # noqa: S311
    found = []
    for each in _HEADERS:
        for method, target, body in draw.sample(_ASKED, 2):
            found.append(ask(method, target, body, headers=each))
    return found


_FIRST = ("connectors", "connector-plugins", "admin/loggers", "health", "")
_PIECES = (
    "third",
    "status",
    "config;v=1",
    ";",
    "tasks;a=b",
    "0",
    "0x0",
    "%30",
    "-0",
    " 0".replace(" ", "%20"),
    "2147483647",
    "2147483648",
    "offsets%3F",
    "restart",
    "t%68ird",
    "third%0A",
    "TrialSource",
    "TrialSource%20",
    "config",
    "validate",
    "%F0%9F%98%80",
    "%ED%A0%80",
    "a%26b",
    "root",
    "$",
    "{connector}",
    "[",
    "^",
    "~",
)
_QUESTIONS = ("", "", "?", "?version=", "?expand=info#x", "?a[]=1", "?%3D=%26", "?expand=%00", "?;")


def _targets() -> list[Step]:
    draw = random.Random(3103)  # noqa: S311
    found: list[Step] = created("third", _SOURCE, "RUNNING", "RUNNING")
    for _ in range(52):
        pieces = [draw.choice(_FIRST), *draw.choices(_PIECES, k=draw.randrange(1, 4))]
        method = draw.choice(("GET", "GET", "GET", "HEAD", "OPTIONS", "PATCH"))
        found.append(ask(method, "/" + "/".join(pieces) + draw.choice(_QUESTIONS)))
    return [*found, *gone("third")]


_NAMED = (
    "third",
    "third.x",
    "third.x.Y",
    "third.x$Y",
    "third:x",
    "third x",
    "third.ü",
    "3.d",
    "third..",
)
_SET: Sequence[Any] = (
    {"level": "DEBUG"},
    {"level": "trace"},
    {"level": "Warn"},
    {"level": "OFF"},
    {"level": "ALL"},
    {"level": "FATAL"},
    {"level": "INFO\n"},
    {"level": "\u0131nfo"},
    {"level": False},
    {"level": 0},
    {"level": {}},
    {"level": "INFO", "level ": "x"},
    {"levels": "INFO"},
    {"level": ["INFO"]},
    "INFO",
    None,
)
_SCOPED = (
    "",
    "",
    "",
    "?scope=worker",
    "?scope=worker&scope=cluster",
    "?SCOPE=cluster",
    "?scope=null",
)


def _escaped(name: str) -> str:
    return "".join(
        c if c.isascii() and c != " " else "".join(f"%{b:02X}" for b in c.encode()) for c in name
    )


def _loggers() -> list[Step]:
    draw = random.Random(3104)  # noqa: S311
    found: list[Step] = [show(f"/admin/loggers/{_escaped(each)}") for each in _NAMED]
    for body in _SET * 2:
        name = _escaped(draw.choice(_NAMED))
        found.append(put(f"/admin/loggers/{name}{draw.choice(_SCOPED)}", body))
        found.append(show(f"/admin/loggers/{_escaped(draw.choice(_NAMED))}"))
    found += [
        ask(method, "/admin/loggers/third.x") for method in ("POST", "DELETE", "HEAD", "PATCH")
    ]
    return found


def _plugins() -> list[Step]:
    draw = random.Random(3105)  # noqa: S311
    found = []
    for kind in draw.sample(BUILT_IN, 18):
        short = kind.rpartition(".")[2]
        name = draw.choice((kind, short, short.partition("$")[0], short.lower(), f"x.{short}"))
        version = draw.choice(("", "", "?version=@VERSION@", "?version=%5B0,99%5D", "?version=0.0"))
        found.append(show(f"/connector-plugins/{name}/config{version}"))
    for name in ("TrialSource", "FileStreamSink", "trial.TrialSinkConnector", "Nope", "Filter"):
        target = f"/connector-plugins/{name}/config/validate"
        found += [put(target, body) for body in draw.sample(_MISMATCHES, 5)]
    return found


_MISMATCHES: Sequence[Any] = (
    {},
    {"connector.class": "TrialSource"},
    {"connector.class": "trial.TrialSource"},
    {"connector.class": "TrialSourceConnector", "topic": "t", "name": "n"},
    {"connector.class": " TrialSource "},
    {"connector.class": "trialsource"},
    {"connector.class": "FileStreamSinkConnector", "topics": "t"},
    {"connector.class": 5},
    {"connector.class": ["TrialSource"]},
    {"name": "n", "topics": "t", "topic": "t"},
    {"connector.class": "TrialSink", "connector.plugin.version": "1.2.3", "topics": "t"},
    {"connector.class": "TrialSource", "connector.plugin.version": "[9,)", "topic": "t"},
)


_CREATED: Sequence[Any] = (
    {"name": "c", "config": {**_SOURCE, "tasks.max": "0"}},
    {"name": "c", "config": {**_SOURCE, "topic": "", "tasks.max": "x", "errors.tolerance": "some"}},
    {"name": "c", "config": {**_SOURCE, "name": "d"}},
    {"name": "c", "config": {**_SOURCE, "transforms": "a", "transforms.a.type": "Nope"}},
    {"name": "c", "config": {**_SOURCE, "transforms": "a,b"}},
    {"name": "c", "config": {**_SOURCE, "predicates": "p"}},
    {"name": "c", "config": {**_SOURCE, "key.converter": "Nope", "value.converter": "Cast"}},
    {"name": "c", "config": {**_SOURCE, "header.converter": ""}},
    {"name": "c", "config": {**_SOURCE, "topic": "${file:/none/such:x}"}},
    {"name": "c", "config": {**_SOURCE, "topic": "${vault:a:b}", "fail.at": "validate"}},
    {"name": "c", "config": {"connector.class": "TrialSink"}},
    {"name": "c", "config": {"connector.class": "TrialSink", "topics": "t", "topics.regex": "t"}},
    {"name": "c", "config": {"connector.class": "TrialSink", "topics.regex": "(t"}},
    {"name": "c", "config": {"connector.class": "TrialSink", "topics": ","}},
    {"name": "c", "config": {"connector.class": "EveryTypeSink", "topics": "t", "flag": "x"}},
    {
        "name": "c",
        "config": {"connector.class": "FileStreamSource", "topic": "t"},
        "initial_state": "x",
    },
    {"name": "c", "config": {"connector.class": "FileStreamSource"}, "initial_state": "STOPPED"},
    {
        "name": "c",
        "config": {"connector.class": "VersionedSink", "topics": "t"}
        | {"connector.plugin.version": "(2.0.0,)"},
    },
    {"name": "c\r", "config": {"connector.class": "Nope"}},
    {"name": "c", "offsets": [], "config": {}},
    {"name": ["c"], "config": _SOURCE},
    {"name": "c", "config": {**_SOURCE, "producer.override.acks": "nope"}},
    {"name": "c", "config": {**_SOURCE, "admin.override.bootstrap.servers": ""}},
    {"name": "c", "config": {**_SOURCE, "topic.creation.default.partitions": "0"}},
)


def _refused() -> Iterator[Step]:
    yield from (post("/connectors", each) for each in _CREATED)
    yield from (put("/connectors/c/config", each["config"]) for each in _CREATED[1::3])
    yield show("/connectors")
    yield delete("/connectors/c")
    yield until("/connectors/c/status", 404)


_PATCHES: Sequence[Any] = (
    {"records": None, "x": None},
    {"x": "1", "y": 2, "z": 2.50, "e": 1e21},
    {"x": None, "X": ""},
    {"tasks.max": 1},
    {"name": "patched"},
    {"name": "other", "x": "3"},
    {"connector.class": "TrialSourceConnector"},
    {"connector.class": "TrialSink"},
    {"fail.at": "validate"},
    {"topic": "${file:@DIR@/none:x}"},
    {"parts": "two"},
    {"x": {"a": 1}},
    {"x": ["a"]},
    {"key.converter": "Nope"},
    {"transforms": "t"},
    {"x": True, "y": None},
    {"big": 12345678901234567890123.0, "tiny": 0.000001, "whole": 3.0},
    {"": "empty"},
    {"": None},
)


def _patched() -> list[Step]:
    draw = random.Random(3106)  # noqa: S311
    found: list[Step] = created("patched", _SOURCE, "RUNNING", "RUNNING")
    for verb, states in (("resume", ["RUNNING"]), ("pause", ["PAUSED"]), ("stop", [])):
        found += [put(f"/connectors/patched/{verb}")]
        found += [is_in("patched", {"stop": "STOPPED"}.get(verb, *states or [""]), *states)]
        for body in draw.sample(_PATCHES, 12):
            found.append(patch("/connectors/patched/config", body))
            found.append(show("/connectors/patched/config"))
    return [*found, *gone("patched")]


CHAPTERS = (
    Chapter("third-bodies", _bodies()),
    Chapter("third-headers", _headers()),
    Chapter("third-targets", _targets()),
    Chapter("third-loggers", _loggers()),
    Chapter("third-plugins", _plugins()),
    Chapter("third-refused", list(_refused())),
    Chapter("third-patched", _patched()),
)
