"""The converters of a simulated task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.converters import SimpleHeaderConverter, StringConverter
from plugwright.worker import RecordCodec

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plugwright.schema import Schema, SchemaAndValue
    from plugwright_conformance.subject.text_rows import TextRows

POISON = b"\0poison"
"""Begins the payloads that stand for a value of a type that the sink does not declare."""


def simulated_codec(
    poison: SchemaAndValue | None,
    seeded: Callable[[Any], Any] | None,
    rows: TextRows | None = None,
) -> RecordCodec:
    """Keys and values of text.

    Args:
        poison: the value that is made of payloads that begin with `POISON`.
        seeded: returns what was seeded, of which a source has made a value.
        rows: that a sink receives, with the text in a field.
    """
    keys, values = StringConverter(), _MixedConverter(poison, seeded, rows)
    keys.configure({}, is_key=True)
    values.configure({}, is_key=False)
    return RecordCodec(keys, values, SimpleHeaderConverter())


class _MixedConverter(StringConverter):
    """Strings with some values of other types, as in topics with several producers.

    Every other batch of a sink is read by column, so that a task that takes columns is given both.
    """

    def __init__(
        self,
        poison: SchemaAndValue | None,
        seeded: Callable[[Any], Any] | None,
        rows: TextRows | None,
    ) -> None:
        super().__init__()
        self._poison, self._seeded, self._rows = poison, seeded, rows
        self._by_column = False

    def from_connect_data(self, topic: str, schema: Schema | None, value: Any) -> bytes | None:
        """The seeded text of a source's value; a tombstone has none."""
        if self._seeded is not None and value is not None:
            schema, value = None, self._seeded(value)
        return super().from_connect_data(topic, schema, value)

    def to_connect_data(self, topic: str, data: bytes | None) -> SchemaAndValue:
        """The poison for what is marked as such, text for anything else."""
        if self._poison is not None and data is not None and data.startswith(POISON):
            return self._poison
        if self._rows is not None and data is not None:
            return self._rows.struct(data.decode())
        return super().to_connect_data(topic, data)

    def read_column(self, data: Sequence[bytes | None]) -> tuple[Schema, list[Any]] | None:
        """Texts or rows under one schema; ``None`` for a batch that is read value by value."""
        self._by_column = not self._by_column
        if not self._by_column or any(map(self._differs, data)):
            return None
        if self._rows is None:
            return super().read_column(data)
        return self._rows.schema, [self._rows.struct((each or b"").decode()).value for each in data]

    def _differs(self, data: bytes | None) -> bool:
        """Whether a value has not the schema of the others."""
        if data is None:
            return self._rows is not None
        return self._poison is not None and data.startswith(POISON)
