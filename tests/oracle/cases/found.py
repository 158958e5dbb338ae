"""What blind comparisons found: each case differed once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.oracle.cases.building import data, record, transform

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.cases.building import Case

__all__ = ["cases"]

_LONG_EXPONENTS = ("1e99999999999999999999", "-1e99999999999999999999", "1e-99999999999999999999")
_ZEROS = ("-0", "-0.00", "-0e5")
_TWICE: dict[str, list[list[Any]]] = {
    "optional": [["optional"], ["optional"], ["required"]],
    "required": [["required"], ["required"], ["optional"]],
    "default": [["default", 5], ["default", 5], ["default", 6]],
    "name": [["name", "n"], ["name", "n"], ["name", "m"], ["name", None]],
    "version": [["version", 1], ["version", 1], ["version", 2], ["version", None]],
    "doc": [["doc", "d"], ["doc", "d"], ["doc", "e"], ["doc", None]],
}


def cases() -> Iterator[Case]:
    """Every case under its id."""
    for number, text in enumerate(_LONG_EXPONENTS):
        for spec in ("float32", "float64"):
            given = record(data("string", text))
            yield f"found/exponent/{number}/{spec}", transform("Cast$Value", {"spec": spec}, given)
    for number, text in enumerate(_ZEROS):
        case = {"kind": "values", "method": "convertToDecimal", "data": data("string", text)}
        yield f"found/zero/{number}", {**case, "scale": 0}
    for name, steps in _TWICE.items():
        yield f"found/builder/{name}", {"kind": "builder", "type": "int8", "steps": steps}
    yield from _weekdays()
    yield from _contents()


def _weekdays() -> Iterator[Case]:
    """A format that cannot be read by does no harm where no text is read."""
    for letter in "EuF":
        for target in ("unix", "Date", "Timestamp"):
            settings = {"target.type": target, "format": letter}
            given = record(data("timestamp", {"$date": 951782400123}))
            case = transform("TimestampConverter$Value", settings, given)
            yield f"found/weekday/{letter}/{target}", case


def _contents() -> Iterator[Case]:
    """``schema.content`` is read even if schemas are not enabled."""
    for number, content in enumerate(("nonsense", "{}", '{"type":"int32"}', "null", " ")):
        yield (
            f"found/content/{number}",
            {
                "kind": "converter",
                "class": "JsonConverter",
                "settings": {"schemas.enable": "false", "schema.content": content},
                "direction": "to",
                "text": '{"a":1}',
            },
        )
