"""What our transformations and predicates answer to the golden cases, in the oracle's notation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.oracle.notation import comparable, is_representable, read_record, write_record

from plugwright import transforms
from plugwright.errors import ConfigError, DataError
from plugwright.transforms import Predicate

if TYPE_CHECKING:
    from tests.oracle.golden import Line

__all__ = ["answer", "configured", "outcome", "plugin"]

_PLACE = re.compile(r" \(in [A-Za-z]+(?:\$Key|\$Value)?(?:, field .*)?\)$", re.DOTALL)
_CLASSES = {
    r"java\.lang\.(Byte|Short|Integer|Long)\b|\bclass int\b|(?<=found: )int\b": "class whole",
    r"java\.lang\.(Float|Double)\b|\bclass float\b": "class real",
    r"java\.lang\.Boolean\b|\bclass bool\b": "class truth",
    r"java\.lang\.String\b|\bclass str\b|(?<=found: )str\b": "class text",
    r"java\.util\.(ArrayList|ImmutableCollections\$ListN?)\b|\bclass list\b|(?<=found: )list\b": (
        "class list"
    ),
    r"java\.util\.LinkedHashMap\b|\bclass dict\b|(?<=found: )dict\b": "class map",
    r"java\.math\.BigDecimal\b|\bclass Decimal\b": "class decimal",
    r"java\.util\.Date\b|\bclass (datetime|date|time)\b": "class moment",
    r"java\.util\.UUID\b|\bclass UUID\b": "class uuid",
    r"\[B(?= |$)|\bclass bytes\b": "class bytes",
    r"java\.nio\.HeapByteBuffer\b|\bclass memoryview\b": "class bytes",
    r"org\.apache\.kafka\.connect\.data\.Struct\b|\bclass Struct\b": "class struct",
    r"org\.apache\.kafka\.connect\.source\.SourceRecord\b": "SourceRecord",
}


def plugin(name: str) -> Any:
    """A fresh plugin of Java's name, ``Cast$Value``."""
    found: Any = transforms
    for part in name.split("$"):
        found = getattr(found, part)
    return found()


def configured(case: dict[str, Any]) -> Any:
    """The plugin of a case with its settings."""
    made = plugin(case["class"])
    made.configure(case.get("settings", {}))
    return made


def answer(case: dict[str, Any]) -> dict[str, Any]:
    """The result of a case in the notation; errors as stage and message."""
    try:
        made = configured(case)
    except ConfigError as error:
        return {"stage": "configure", "message": _neutral(str(error))}
    if "record" not in case:
        return {"configured": True}
    record = read_record(case["record"])
    try:
        if isinstance(made, Predicate):
            return {"boolean": made.test(record)}
        return {"record": write_record(made.apply(record))}
    except DataError as error:
        return {"stage": "apply", "message": _neutral(str(error))}


def _neutral(message: str | None) -> str:
    """A message without the position that ours add, and with neutral names of classes."""
    reported = _PLACE.sub("", message or "")
    for pattern, neutral in _CLASSES.items():
        reported = re.sub(pattern, neutral, reported)
    reported = reported.replace("Invalid Python object", "Invalid Java object")
    return reported.replace("class class ", "class ").partition("\n")[0]


def outcome(line: Line) -> str:
    """``same``; else ``message``, ``error`` or ``value``, for how ours differs from Java's."""
    ours = answer(line.case)
    if "error" in line.result:
        if "message" not in ours:
            return "value"
        theirs = {
            "stage": line.result["stage"],
            "message": _neutral(line.result["error"]["message"]),
        }
        return "same" if ours == theirs else "message"
    if "message" in ours:
        return "error"
    return "same" if is_representable(line) and _same(ours, line.result) else "value"


def _same(ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    return comparable(ours) == comparable(theirs)
