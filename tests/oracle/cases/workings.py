"""What a worker does between plugins and Kafka: topics by a pattern, shares of tasks, answers."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["cases"]

TOPICS = (
    *("orders", "orders-old", "old-orders", "payments", "payments-eu", "Orders", "ORDERS", "order"),
    *("foo", "foobar", "barfoo", "bar", "foo.bar", "foo_bar", "foo-bar", "fooXbar", "f", "oo"),
    *("1", "12", "007", "1a", "a1", "a-1", "2024-01-31", "events-2024", "events.v1", "events.v12"),
    *("db.public.users", "db.public.orders", "db.private.users", "db", "db.", "dbXpublicXusers"),
    *("_schemas", "__consumer_offsets", "__transaction_state", "__share_group_state"),
    *("connect-configs", "connect-offsets", "connect-status", "a.b", "aXb", "..a", "a" * 249),
    *("abc", "xyz", "abcabc", "aab", "aa", "AbC", "my_topic", "my-topic", "my.topic", "T-9_x.y"),
)

PATTERNS: dict[str, str] = {
    "literal": "orders",
    "alternatives": "orders|payments",
    "alternatives-in-group": "(orders|payments)",
    "alternatives-with-tail": "(orders|payments)(-.*)?",
    "alternatives-anchored-once": "^orders|payments$",
    "alternatives-anchored-twice": "^orders$|^payments$",
    "begin": "^foo",
    "begin-and-all": "^foo.*",
    "end": "bar$",
    "end-and-all": ".*bar$",
    "both-ends": "^foo$",
    "caret-inside": "a^b",
    "dollar-inside": "a$b",
    "all": ".*",
    "some": ".+",
    "none": "",
    "prefix": "foo.*",
    "suffix": ".*orders",
    "infix": ".*order.*",
    "dot": "foo.bar",
    "escaped-dot": r"foo\.bar",
    "dot-in-class": "foo[.]bar",
    "quoted": r"\Qfoo.bar\E",
    "quoted-tail": r"\Qdb.\E.*",
    "debezium": r"db\.public\.(users|orders)",
    "debezium-all": r"db\.(?!private).*",
    "digit": r"\d",
    "digits": r"\d+",
    "digit-tail": r".*-\d{4}",
    "date": r"\d{4}-\d{2}-\d{2}",
    "not-digit": r"\D+",
    "word": r"\w+",
    "not-word": r".*\W.*",
    "space": r".*\s.*",
    "posix": r"\p{Alpha}+",
    "posix-upper": r"\p{Upper}+",
    "posix-lower": r"\p{Lower}[\p{Lower}-]*",
    "posix-alnum": r"\p{Alnum}+",
    "posix-not": r"\P{Alpha}+",
    "posix-punct": r".*\p{Punct}.*",
    "unicode-letters": r"\p{L}+",
    "unicode-upper": r"\p{Lu}.*",
    "unicode-is": r"\p{IsAlphabetic}+",
    "java-lower": r"\p{javaLowerCase}+",
    "look-ahead-not": "(?!orders).*",
    "look-ahead-not-internal": "(?!__).*",
    "look-ahead-not-suffix": "(?!.*-old$).*",
    "look-ahead": "(?=.*-).*",
    "look-behind": ".*(?<=-old)",
    "look-behind-not": ".*(?<!-old)",
    "look-behind-of-two-widths": ".*(?<=old|orders)",
    "case-off": "(?i)orders",
    "case-off-alternatives": "(?i)orders|foo",
    "case-off-group": "(?i:o)rders",
    "case-off-and-dot-all": "(?is)orders",
    "case-off-in-the-middle": "or(?i)ders",
    "case-off-unicode": "(?iu)orders",
    "comments": "(?x) orders # all of them",
    "multi-line": "(?m)^orders$",
    "unix-lines": "(?d)orders$",
    "unicode-classes": r"(?U)\w+",
    "class": "[a-c]+",
    "class-negated": "[^-]+",
    "class-intersection": "[a-z&&[^o]]+",
    "class-union": "[a-c[x-z]]+",
    "class-digits": r"[\d-]+",
    "class-hyphen-last": "[a-z-]+",
    "class-hyphen-first": "[-a-z]+",
    "class-dot": "[a-z.]+",
    "counted": "a{2}b",
    "counted-at-least": "[a-z]{6,}",
    "counted-between": "[a-z]{3,4}",
    "counted-at-most": "[a-z]{0,3}",
    "longest-name": "a{249}",
    "lazy": "foo.*?",
    "lazy-then-more": "fo+?.*",
    "possessive": "[a-z]++",
    "possessive-starved": ".*+bar",
    "atomic": "(?>foo|foobar)",
    "back-reference": r"(abc)\1",
    "named-group": r"(?<a>abc)\k<a>",
    "numbered-group": r"(a)(b)(c)\1\2\3",
    "group-not-capturing": "(?:foo|bar)+",
    "optional": "orders?",
    "star": "fo*",
    "plus": "a+b",
    "boundary": r"\bfoo\b.*",
    "boundary-not": r"foo\B.*",
    "boundary-in-name": r"foo\b\W?bar",
    "absolute-ends": r"\Aorders\z",
    "absolute-last": r"orders\Z",
    "last-match": r"\Gorders",
    "hex": r"\x66oo",
    "unicode-escape": r"\u0066oo",
    "octal": r"\0146oo",
    "underscore": "_.*",
    "two-underscores": "__.*",
    "connect": "connect-(configs|offsets|status)",
    "comma": "orders,payments",
    "commas-as-alternatives": "orders|,payments",
    "glob": "orders*",
    "glob-star-first": "*orders",
    "glob-question-first": "?orders",
    "plus-first": "+",
    "unclosed-group": "(orders",
    "unopened-group": "orders)",
    "unclosed-class": "[orders",
    "empty-class": "[]",
    "bad-range": "[z-a]",
    "bad-count": "a{2,1}",
    "open-brace": "a{",
    "bare-brace": "{",
    "close-brace": "a}",
    "close-bracket": "a]",
    "bad-escape": r"\y",
    "bad-property": r"\p{Nonsense}",
    "bad-reference": r"\1",
    "bad-group-kind": "(?z)orders",
    "python-named-group": "(?P<a>foo)",
    "python-conditional": "(a)?(?(1)b|c)",
    "python-comment": "(?#none)orders",
    "trailing-backslash": "orders\\",
    "double-quantifier": "a**",
    "empty-alternative": "orders|",
    "empty-first-alternative": "|orders",
    "empty-group": "()orders",
    "white-space": " orders ",
    "tab": "orders\t",
    "unicode-literal": "örders",
    "nested-groups": "((f)(oo))(bar)?",
    "many-alternatives": "a|b|c|foo|bar|1|12|xyz",
    "grapheme": r"\X+",
    "line-break": r"orders\R?",
    "horizontal": r"orders\h*",
    "named-character": r"\N{LATIN SMALL LETTER F}oo",
    "surrogate": "\\x{1F600}|foo",
    "control": r"\cAfoo|foo",
}

PARTITIONS: dict[str, tuple[int, int]] = {
    f"{elements}-in-{groups}": (elements, groups)
    for elements in (0, 1, 2, 3, 5, 7, 10, 100)
    for groups in (-1, 0, 1, 2, 3, 4, 7, 10, 11, 150)
}

SUBMITTED: dict[str, list[list[Any]]] = {
    "nothing": [["commit"]],
    "one-acked": [["submit", "a", 1], ["ack", 0], ["commit"], ["commit"]],
    "one-waiting": [["submit", "a", 1], ["commit"], ["ack", 0], ["commit"]],
    "first-waits": [
        ["submit", "a", 1],
        ["submit", "a", 2],
        ["ack", 1],
        ["commit"],
        ["ack", 0],
        ["commit"],
    ],
    "second-waits": [
        ["submit", "a", 1],
        ["submit", "a", 2],
        ["ack", 0],
        ["commit"],
        ["ack", 1],
        ["commit"],
    ],
    "another-partition-waits": [
        ["submit", "a", 1],
        ["submit", "b", 2],
        ["submit", "a", 3],
        ["ack", 0],
        ["ack", 2],
        ["commit"],
        ["ack", 1],
        ["commit"],
    ],
    "the-same-offset-twice": [
        ["submit", "a", 1],
        ["submit", "a", 1],
        ["ack", 0],
        ["commit"],
        ["ack", 1],
        ["commit"],
    ],
    "dropped-last": [["submit", "a", 1], ["submit", "a", 2], ["drop", 1], ["ack", 0], ["commit"]],
    "dropped-first": [["submit", "a", 1], ["submit", "a", 2], ["drop", 0], ["ack", 1], ["commit"]],
    "dropped-only": [["submit", "a", 1], ["drop", 0], ["commit"]],
    "backwards": [["submit", "a", number] for number in range(5)]
    + [each for number in (4, 3, 2, 1, 0) for each in (["ack", number], ["commit"])],
}


def _history(seed: int) -> list[list[Any]]:
    """Records of a few partitions, acknowledged in any order, with commits in between."""
    chance = random.Random(seed)  # noqa: S311  # the cases are to be the same every time
    steps: list[list[Any]] = []
    waiting: list[int] = []
    for number in range(chance.randint(5, 40)):
        steps.append(["submit", chance.choice("abc"[: chance.randint(1, 3)]), number])
        waiting.append(number)
        while waiting and chance.random() < 0.5:
            steps.append(["ack", waiting.pop(chance.randrange(len(waiting)))])
        if chance.random() < 0.3:
            steps.append(["commit"])
    return [*steps, ["commit"]]


def cases() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every case with its id."""
    for name, pattern in PATTERNS.items():
        yield (
            f"topics_regex/{name}",
            {"kind": "topics_regex", "pattern": pattern, "topics": list(TOPICS)},
        )
    for name, (elements, groups) in PARTITIONS.items():
        named = [f"e{number}" for number in range(elements)]
        yield (
            f"group_partitions/{name}",
            {"kind": "group_partitions", "elements": named, "groups": groups},
        )
    histories = {f"history-{seed:02}": _history(seed) for seed in range(60)}
    for name, steps in (SUBMITTED | histories).items():
        yield f"submitted/{name}", {"kind": "submitted", "steps": steps}
