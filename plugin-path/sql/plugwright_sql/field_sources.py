"""Where the values of a column come from: a record alone, or many by column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SinkColumns, SinkRecord, Struct

__all__ = ["Coordinate", "FieldSource", "StructField", "Whole"]


class FieldSource(Protocol):
    """What fills a column."""

    def of(self, record: SinkRecord) -> Any:
        """The value of a record. Hot path: runs for every record that is written by itself."""

    def of_all(self, part: SinkColumns) -> Sequence[Any] | None:
        """The values of many records, equal to those of `of`; ``None`` if it has to be asked."""


@dataclass(frozen=True, slots=True)
class StructField:
    """A field of structs: null where it is optional, its default where it is required.

    Attributes:
        name: of the field.
        in_key: whether it is one of keys, not of values.
    """

    name: str
    in_key: bool = False

    def of(self, record: SinkRecord) -> Any:
        """The value of the field."""
        struct: Struct = record.key if self.in_key else record.value
        field = struct.schema.fields_by_name[self.name]
        found = struct.get_without_default(self.name)
        return field.schema.default if found is None and not field.schema.optional else found

    def of_all(self, part: SinkColumns) -> Sequence[Any] | None:
        """The column of the field, unless its default stands for a null that is meant."""
        structs = part.key_structs if self.in_key else part.structs
        if structs is None:
            return None
        field = structs.schema.fields_by_name[self.name]
        if field.schema.optional and field.schema.default is not None:
            return None
        return structs.fields[field.index]


@dataclass(frozen=True, slots=True)
class Whole:
    """Keys or values as they are.

    Attributes:
        key: whether keys are meant, not values.
    """

    key: bool

    def of(self, record: SinkRecord) -> Any:
        """The key or the value."""
        return record.key if self.key else record.value

    def of_all(self, part: SinkColumns) -> Sequence[Any]:
        """All keys or values."""
        return part.keys if self.key else part.values


@dataclass(frozen=True, slots=True)
class Coordinate:
    """The place of records in Kafka, before transformations.

    Attributes:
        which: the part of it that is meant.
    """

    which: Literal["topic", "partition", "offset"]

    def of(self, record: SinkRecord) -> str | int:
        """That of one record."""
        match self.which:
            case "topic":
                return record.original_topic
            case "partition":
                return record.original_kafka_partition
            case "offset":
                return record.original_kafka_offset

    def of_all(self, part: SinkColumns) -> Sequence[str | int]:
        """Those of records of one partition."""
        match self.which:
            case "topic":
                return [part.original_topic] * len(part)
            case "partition":
                return [part.original_kafka_partition] * len(part)
            case "offset":
                return part.original_kafka_offsets
