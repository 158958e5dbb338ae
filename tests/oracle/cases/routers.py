"""RegexRouter and TimestampRouter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["cases"]

REGEX: dict[str, tuple[str | None, str | None, str]] = {
    "whole": ("orders", "bills", "orders"),
    "part": ("order", "bill", "orders"),
    "group": ("(.*)-(.*)", "$2-$1", "a-b"),
    "two-hyphens": ("(.*)-(.*)", "$2-$1", "a-b-c"),
    "named": ("(?<a>.*)s", "${a}", "orders"),
    "anchors": ("^orders$", "x", "orders"),
    "dot": ("a.c", "x", "abc"),
    "quoted": ("a\\.c", "x", "abc"),
    "empty-match": ("x*", "y", "orders"),
    "to-empty": ("orders", "", "orders"),
    "escaped-dollar": ("orders", "\\$1", "orders"),
    "bare-dollar": ("orders", "$", "orders"),
    "missing-group": ("orders", "$1", "orders"),
    "missing-name": ("orders", "${no}", "orders"),
    "backslash": ("orders", "a\\", "orders"),
    "ten-groups": ("(o)(r)(d)(e)(r)(s)()()()(x?)", "$10-$6", "orders"),
    "group-then-digit": ("(o).*", "$12", "orders"),
    "case": ("(?i)ORDERS", "x", "orders"),
    "unicode": ("été", "x", "été"),
    "posix": ("\\p{Alpha}+", "x", "orders"),
    "possessive": ("[a-z]++", "x", "orders"),
    "atomic": ("(?>[a-z]+)", "x", "orders"),
    "lookahead": ("orders(?=$)", "x", "orders"),
    "replace-first": ("o|orders", "x", "orders"),
    "alternation-first-find": ("(o|orders)", "<$1>", "orders"),
    "class-intersection": ("[a-z&&[^x]]+", "x", "orders"),
    "quote-block": ("\\Qa.c\\E", "x", "a.c"),
    "word": ("\\w+", "x", "ordérs"),
    "digit": ("\\d+", "x", "\u0661\u0662"),
    "z": ("orders\\z", "x", "orders"),
    "capital-z": ("orders\\Z", "x", "orders"),
    "newline": ("orders.*", "x", "orders\n"),
    "hex": ("\\x6frders", "x", "orders"),
    "bad-regex": ("(", "x", "orders"),
    "bad-class": ("[z-a]", "x", "orders"),
    "bad-repeat": ("*a", "x", "orders"),
    "no-regex": (None, "x", "orders"),
    "no-replacement": ("orders", None, "orders"),
    "blank-regex": ("", "x", "orders"),
}
STAMPS: dict[str, tuple[dict[str, str], int | None]] = {
    "defaults": ({}, 1483425001864),
    "epoch": ({}, 0),
    "before": ({}, -1),
    "null": ({}, None),
    "hours": ({"timestamp.format": "yyyy-MM-dd-HH"}, 1483425001864),
    "all-letters": ({"timestamp.format": "G yy M d H h K k m s S a E D F w W u"}, 1483425001864),
    "names": ({"timestamp.format": "MMM MMMM EEE EEEE"}, 1483425001864),
    "zones": ({"timestamp.format": "z Z X XX XXX"}, 1483425001864),
    "week-year": ({"timestamp.format": "YYYY-ww"}, 1483228800000),
    "long": ({"timestamp.format": "yyyyy MMMMM dddd SSSSS"}, 1483425001864),
    "literal": ({"timestamp.format": "'at' yyyy''MM"}, 1483425001864),
    "bad-letter": ({"timestamp.format": "bbb"}, 0),
    "open-quote": ({"timestamp.format": "'yyyy"}, 0),
    "empty-format": ({"timestamp.format": ""}, 0),
    "topic-first": ({"topic.format": "${timestamp}.${topic}"}, 0),
    "topic-only": ({"topic.format": "${topic}"}, 0),
    "fixed": ({"topic.format": "x"}, 0),
    "twice": ({"topic.format": "${topic}${topic}${timestamp}${timestamp}"}, 0),
    "dollar-topic": ({"topic.format": "${topic}"}, 5),
    "unknown-place": ({"topic.format": "${other}"}, 0),
    "empty-topic-format": ({"topic.format": ""}, 0),
    "year-10000": ({}, 253402300800000),
}


def _record(kind: str, topic: str, timestamp: int | None = 0) -> dict[str, Any]:
    record: dict[str, Any] = {"kind": kind, "topic": topic, "partition": 3, "timestamp": timestamp}
    return {
        **record,
        "key": {"schema": "string", "value": "k"},
        "value": {"value": {"a": 1}},
        "headers": [["h", {"schema": "int8", "value": 1}]],
        **({"offset": 7} if kind == "sink" else {}),
    }


def _case(name: str, settings: dict[str, str], record: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "transform", "class": name, "settings": settings, "record": record}


def cases() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every case under its id."""
    for name, (regex, replacement, topic) in REGEX.items():
        given = {"regex": regex, "replacement": replacement}
        settings = {key: text for key, text in given.items() if text is not None}
        yield f"RegexRouter/{name}", _case("RegexRouter", settings, _record("source", topic))
    settings = {"regex": "(.*)s", "replacement": "$1"}
    yield "RegexRouter/sink", _case("RegexRouter", settings, _record("sink", "orders"))
    for name, (chosen, timestamp) in STAMPS.items():
        topic = "a$1b" if name == "dollar-topic" else "orders"
        record = _record("source", topic, timestamp)
        yield f"TimestampRouter/{name}", _case("TimestampRouter", chosen, record)
    yield "TimestampRouter/sink", _case("TimestampRouter", {}, _record("sink", "orders"))
