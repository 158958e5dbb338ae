"""What our converters answer to the golden cases, in the notation of the oracle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.oracle.notation import (
    comparable,
    is_representable,
    read_bytes,
    read_data,
    write_bytes,
    write_data,
)

from plugwright import converters
from plugwright.converters import HeaderConverter
from plugwright.errors import ConnectError

if TYPE_CHECKING:
    from tests.oracle.golden import Line

__all__ = ["answer", "configured", "outcome"]


def configured(case: dict[str, Any], *arguments: Any) -> Any:
    """The converter of a case with its settings."""
    converter = getattr(converters, case["class"])(*arguments)
    settings = case.get("settings", {})
    if case.get("role") == "header":
        converter.configure(settings)
    else:
        converter.configure(settings, is_key=case.get("role") == "key")
    return converter


def answer(case: dict[str, Any], *arguments: Any) -> dict[str, Any]:
    """The result of a case in the notation; errors as ``{"error": …}``."""
    try:
        converter = configured(case, *arguments)
        header = case.get("role") == "header" or not isinstance(converter, converters.Converter)
        convert = _header if header and isinstance(converter, HeaderConverter) else _data
        return convert(converter, case)
    except ConnectError as error:
        return {"error": str(error)}


def _data(converter: Any, case: dict[str, Any]) -> dict[str, Any]:
    if case["direction"] == "from":
        given = read_data(case["data"])
        return write_bytes(converter.from_connect_data("topic", given.schema, given.value))
    return {"data": write_data(*converter.to_connect_data("topic", read_bytes(case)))}


def _header(converter: Any, case: dict[str, Any]) -> dict[str, Any]:
    if case["direction"] == "from":
        given = read_data(case["data"])
        written = converter.from_connect_header("topic", "header", given.schema, given.value)
        return write_bytes(written)
    return {"data": write_data(*converter.to_connect_header("topic", "header", read_bytes(case)))}


def outcome(line: Line, *arguments: Any) -> str:
    """``same``, or ``error`` or ``value`` where ours differs from Java's."""
    ours = answer(line.case, *arguments)
    if "error" in ours:
        return "same" if "error" in line.result else "error"
    if "error" in line.result or not is_representable(line):
        return "value"
    return "same" if comparable(ours) == comparable(line.result) else "value"
