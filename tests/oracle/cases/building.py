"""How the tables put their cases together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["POINT", "RICH", "RICH_VALUE", "Case", "data", "record", "sides", "transform"]

Case = tuple[str, dict[str, Any]]

POINT: dict[str, Any] = {
    "type": "struct",
    "name": "Point",
    "fields": [["x", "int32"], ["y", "int32?"]],
}

RICH: dict[str, Any] = {
    "type": "struct",
    "name": "Rich",
    "version": 2,
    "doc": "words",
    "parameters": {"p": "q"},
    "fields": [
        ["id", "int32"],
        ["name", {"type": "string", "optional": True, "default": "nobody"}],
        ["at", "timestamp?"],
        ["in", {**POINT, "optional": True}],
    ],
}
RICH_VALUE: dict[str, Any] = {"id": 7, "name": "Ada", "at": {"$date": 1000}, "in": {"x": 1}}


def data(schema: Any, value: Any) -> dict[str, Any]:
    """Schema and value; no schema if it is ``None``."""
    return {"value": value} if schema is None else {"schema": schema, "value": value}


def record(
    value: Mapping[str, Any] | None = None,
    key: Mapping[str, Any] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """A record of the topic ``t``, from a source unless said otherwise."""
    parts = {"value": value, "key": key, **more}
    return {"topic": "t", **{name: part for name, part in parts.items() if part is not None}}


def transform(name: str, settings: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """One transformation of one record."""
    return {"kind": "transform", "class": name, "settings": settings, "record": given}


def sides(
    name: str, key: str, settings: Mapping[str, Any], content: Mapping[str, Any]
) -> Iterator[Case]:
    """The same for the value and for the key of a record whose other side is a text."""
    other = data("string", "other")
    by_value = record(content, other, timestamp=5)
    by_key = record(other, content, timestamp=5)
    yield f"{name}/{key}/value", transform(f"{name}$Value", settings, by_value)
    yield f"{name}/{key}/key", transform(f"{name}$Key", settings, by_key)
