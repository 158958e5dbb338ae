"""Texts in rows, for plugins that declare ``fields`` and no ``types`` of single values.

Most checks follow texts, each of which is different. Where a value is always a row, a text is one
field of it: the first one of type string.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from plugwright.converters import JsonConverter
from plugwright.schema import STRING_SCHEMA, SchemaAndValue, Struct
from plugwright_conformance.subject.contexts import key_at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.record import SinkRecord, TopicPartition
    from plugwright.schema import Schema
    from plugwright_conformance.subject.shape import RowShape

__all__ = ["CONVERTER_SETTINGS", "RecordForm", "TextRows", "parsed"]

CONVERTER_SETTINGS = {"value.converter": "JsonConverter", "value.converter.schemas.enable": "true"}
"""With these settings a connector reads and writes rows as `TextRows.serialized` has them."""


def _json() -> JsonConverter:
    converter = JsonConverter()
    converter.configure({"schemas.enable": "true"}, is_key=False)
    return converter


@dataclass(frozen=True, slots=True)
class TextRows:
    """Rows that have a text in one field, and the same in all others.

    Attributes:
        shape: of the rows.
        name: of the field that has the text.
        others: values of all other fields.
        schema: of the rows as structs.
    """

    shape: RowShape
    name: str
    others: Mapping[str, Any]
    schema: Schema
    _converter: JsonConverter = field(default_factory=_json, repr=False, compare=False)

    @classmethod
    def of(cls, shape: RowShape | None) -> TextRows | None:
        """Rows of a shape; ``None`` if it has no field for texts."""
        if shape is None or (name := shape.text_field) is None:
            return None
        return cls(shape, name, shape.carrying(""), shape.schema())

    def row(self, text: str) -> Mapping[str, Any]:
        """The row with a text."""
        return {**self.others, self.name: text}

    def struct(self, text: str) -> SchemaAndValue:
        """The same as a struct."""
        return SchemaAndValue(self.schema, self.shape.struct(self.schema, self.row(text)))

    def text(self, value: Any) -> Any:
        """The text of a row or struct; what is neither, or lacks the field, unchanged."""
        if isinstance(value, Struct):
            return value[self.name] if value.schema.field(self.name) else value
        return value.get(self.name, value) if isinstance(value, dict) else value

    def serialized(self, text: str) -> bytes:
        """The row with a text as JSON with its schema."""
        schema, value = self.struct(text)
        return self._converter.from_connect_data("", schema, value) or b""


def parsed(data: str) -> Any:
    """The row that was serialized, its values as JSON has them; other data unchanged."""
    try:
        return json.loads(data)["payload"]
    except (ValueError, KeyError, TypeError):
        return data


@dataclass(frozen=True, slots=True)
class RecordForm:
    """What a sink's records have, besides the text that is followed.

    Attributes:
        keyed: whether each has a key.
        rows: whose field the text is; ``None`` if the value is the text alone.
    """

    keyed: bool = False
    rows: TextRows | None = None

    def give(self, record: SinkRecord, home: TopicPartition, offset: int) -> None:
        """Give a record what it lacks.

        Args:
            record: is changed.
            home: its partition.
            offset: its offset there.
        """
        if self.keyed and record.key is None:
            record.key_schema, record.key = STRING_SCHEMA, key_at(home, offset)
        if self.rows is not None and isinstance(record.value, str):
            record.value_schema, record.value = self.rows.struct(record.value)
