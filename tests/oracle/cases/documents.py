"""The documented configurations of every converter, transformation and predicate."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.cases.building import Case

__all__ = ["cases"]

CLASSES = (
    "BooleanConverter", "ByteArrayConverter", "Cast$Value", "DoubleConverter", "DropHeaders",
    "ExtractField$Value", "Filter",
    "Flatten$Value", "FloatConverter", "HasHeaderKey", "HeaderFrom$Value", "HoistField$Value",
    "InsertField$Value", "InsertHeader",
    "IntegerConverter", "JsonConverter", "LongConverter", "MaskField$Value", "RecordIsTombstone",
    "RegexRouter", "ReplaceField$Value",
    "SetSchemaMetadata$Value", "ShortConverter", "SimpleHeaderConverter", "StringConverter",
    "TimestampConverter$Value",
    "TimestampRouter", "TopicNameMatches", "ValueToKey",
)  # fmt: skip


def cases() -> Iterator[Case]:
    """Every case under its id."""
    for name in CLASSES:
        yield f"configdef/{name.partition('$')[0]}", {"kind": "configdef", "class": name}
