"""TimestampConverter: every source to every target, precisions, formats and fields."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from tests.oracle.cases.building import data, record, sides, transform

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.cases.building import Case

__all__ = ["cases"]

_MOMENT = 1483425001864
_FORMAT = "yyyy-MM-dd HH:mm:ss.SSS"
TARGETS = ("string", "unix", "Date", "Time", "Timestamp")
SOURCES: dict[str, tuple[Any, Any]] = {
    "timestamp": ("timestamp", {"$date": _MOMENT}),
    "timestamp-before": ("timestamp", {"$date": -1}),
    "date": ("date", {"$date": 1483401600000}),
    "time": ("time", {"$date": 23401864}),
    "unix": ("int64", _MOMENT),
    "unix-before": ("int64", -1),
    "string": ("string", "2017-01-03 06:30:01.864"),
    "string-bad": ("string", "yesterday"),
    "string-tail": ("string", "2017-01-03 06:30:01.864 and more"),
    "string-lenient": ("string", "2017-13-40 25:61:61.5"),
    "string-empty": ("string", ""),
    "optional": ("timestamp?", {"$date": _MOMENT}),
    "null": ("timestamp?", None),
    "int32": ("int32", 5),
    "bytes": ("bytes", {"$bytes": "AQ=="}),
}
PRECISIONS = ("milliseconds", "seconds", "microseconds", "nanoseconds")
FORMATS = (
    "yyyy-MM-dd", "yyyyMMddHHmmss", "EEE, d MMM yyyy HH:mm:ss Z", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
    "yyyy-MM-dd'T'HH:mm:ssX",
    "hh:mm a", "D yyyy", "yy/M/d", "MMMM", "EEEE", "G yyyy", "w W F E u", "k K", "z", "SSSSSS",
    "yyyy''MM", "'T'", "YYYY-'W'ww",
    "H:m:s.S", "MMM d, ''yy",
)  # fmt: skip
TEXTS: dict[str, tuple[str, str]] = {
    "two-digit-year": ("yy", "17"),
    "short-year": ("yyyy", "17"),
    "day-of-year": ("yyyy-DDD", "2017-045"),
    "month-name": ("d MMM yyyy", "3 Jan 2017"),
    "month-name-case": ("d MMM yyyy", "3 JANUARY 2017"),
    "zone-offset": ("yyyy-MM-dd HH:mm Z", "2017-01-03 06:30 +0530"),
    "zone-iso": ("yyyy-MM-dd'T'HH:mmXXX", "2017-01-03T06:30-08:00"),
    "zone-z": ("yyyy-MM-dd'T'HH:mmX", "2017-01-03T06:30Z"),
    "am-pm": ("hh:mm a", "11:30 PM"),
    "single-digits": ("yyyy-MM-dd", "2017-1-3"),
    "adjacent": ("yyyyMMdd", "20170103"),
    "millis-short": ("ss.SSS", "1.5"),
    "negative-year": ("yyyy-MM-dd", "-2017-01-03"),
    "leading-blank": ("yyyy-MM-dd", " 2017-01-03"),
    "only-time": ("HH:mm", "06:30"),
    "leap": ("yyyy-MM-dd", "2017-02-29"),
    "weekday-ignored": ("EEE yyyy-MM-dd", "Mon 2017-01-03"),
    "five-digit-year": ("yyyy-MM-dd", "12017-01-03"),
    "plus": ("yyyy-MM-dd", "+2017-01-03"),
    "wrong-literal": ("yyyy/MM/dd", "2017-01-03"),
}
BAD: dict[str, dict[str, Any]] = {
    "nothing": {},
    "target-case": {"target.type": "timestamp"},
    "target-unknown": {"target.type": "int64"},
    "string-without-format": {"target.type": "string"},
    "string-blank-format": {"target.type": "string", "format": "  "},
    "format-invalid": {"target.type": "string", "format": "bad-format"},
    "format-invalid-unused": {"target.type": "unix", "format": "bad-format"},
    "precision-unknown": {"target.type": "unix", "unix.precision": "hours"},
    "precision-case": {"target.type": "unix", "unix.precision": "Seconds"},
}
_STRUCT = {
    "type": "struct",
    "name": "S",
    "fields": [
        ["when", {"type": "timestamp", "optional": True, "doc": "d"}],
        ["other", {"type": "string", "optional": True, "default": "o"}],
    ],
}


def _settings(target: str, **more: str) -> dict[str, str]:
    return {"target.type": target, "format": _FORMAT, **more}


def _case(settings: dict[str, Any], content: dict[str, Any]) -> dict[str, Any]:
    return transform("TimestampConverter$Value", settings, record(content))


def cases() -> Iterator[Case]:
    """Every case under its id."""
    for (name, (schema, value)), target in product(SOURCES.items(), TARGETS):
        key = f"TimestampConverter/{name}/{target}"
        yield f"{key}/schema", _case(_settings(target), data(schema, value))
        plain = {"$int32": value} if schema == "int32" else value
        yield f"{key}/plain", _case(_settings(target), data(None, plain))
    yield from _precisions()
    yield from _formats()
    yield from _fields()
    for name, settings in BAD.items():
        yield f"TimestampConverter/bad/{name}", _case(settings, data(*SOURCES["unix"]))
    no_format = {"target.type": "unix"}
    for schema in ("string", None):
        case = _case(no_format, data(schema, "2017-01-03"))
        yield f"TimestampConverter/text-without-format/{schema}", case


def _precisions() -> Iterator[Case]:
    amounts = {
        "zero": 0,
        "one": 1,
        "minus": -1,
        "moment": _MOMENT,
        "big": 1483425001864123456,
        "max": 2**63 - 1,
    }
    for precision, (name, amount) in product(PRECISIONS, amounts.items()):
        settings = _settings("Timestamp", **{"unix.precision": precision})
        key = f"TimestampConverter/precision/{precision}/{name}"
        yield f"{key}/in", _case(settings, data("int64", amount))
        settings = _settings("unix", **{"unix.precision": precision})
        yield f"{key}/through", _case(settings, data("int64", amount))
        if abs(amount) <= _MOMENT:
            yield f"{key}/out", _case(settings, data("timestamp", {"$date": amount}))


def _formats() -> Iterator[Case]:
    for number, pattern in enumerate(FORMATS):
        settings = {"target.type": "string", "format": pattern}
        key = f"TimestampConverter/format/{number:02}"
        yield key, _case(settings, data("timestamp", {"$date": _MOMENT}))
    for name, (pattern, text) in TEXTS.items():
        settings = {"target.type": "unix", "format": pattern}
        yield f"TimestampConverter/parse/{name}", _case(settings, data("string", text))


def _fields() -> Iterator[Case]:
    tops: dict[str, tuple[Any, Any]] = {
        "struct": (_STRUCT, {"when": {"$date": _MOMENT}, "other": "x"}),
        "struct-unset": (_STRUCT, {}),
        "struct-null": ({**_STRUCT, "optional": True}, None),
        "map": (None, {"when": {"$date": _MOMENT}, "other": "x"}),
        "map-null": (None, {"when": None}),
        "map-missing": (None, {}),
        "text": ("string", "2017-01-03 06:30:01.864"),
        "tombstone": (None, None),
    }
    for top, content in tops.items():
        for target in ("unix", "string"):
            settings = _settings(target, field="when")
            yield f"TimestampConverter/field/{top}/{target}", _case(settings, data(*content))
    missing = _settings("unix", field="zip")
    for top in ("struct", "map"):
        yield f"TimestampConverter/field-missing/{top}", _case(missing, data(*tops[top]))
        yield from sides(
            "TimestampConverter", f"sides/{top}", _settings("unix", field="when"), data(*tops[top])
        )
        yield f"TimestampConverter/whole/{top}", _case(_settings("unix"), data(*tops[top]))
    keep = _settings("unix", field="when", **{"replace.null.with.default": "false"})
    yield "TimestampConverter/keep-null", _case(keep, data(_STRUCT, {}))
    default = {"type": "timestamp", "optional": True, "default": {"$date": 1000}}
    yield "TimestampConverter/default", _case(_settings("unix"), data(default, None))
    yield "TimestampConverter/default-keep", _case(keep | {"field": ""}, data(default, None))
    in_struct = {"type": "struct", "fields": [["when", default]]}
    yield (
        "TimestampConverter/default-field",
        _case(_settings("unix", field="when"), data(in_struct, {})),
    )
    yield "TimestampConverter/default-field-keep", _case(keep, data(in_struct, {}))
