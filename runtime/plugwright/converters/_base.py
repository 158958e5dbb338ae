"""The interfaces of converters, which translate between Connect's data and bytes in Kafka."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from plugwright.config import ConfigDef

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.schema import Schema, SchemaAndValue


class Converter(ABC):
    """Serializes and deserializes the keys or the values of records.

    A class may also define ``read_column(data)`` for sinks, which read batches. It takes the bytes
    of many records and returns their common schema and a sequence of their values, equal to
    those of `to_connect_data`. If it returns ``None`` or raises, the records are read one
    by one. For sources it may define ``write_column(topic, schema, values)``, which returns the
    bytes of many values with a common schema, equal to those of `from_connect_data`. Subclasses
    inherit neither.
    """

    def config(self) -> ConfigDef:
        """The settings that the converter takes, without their prefix; none by default."""
        return ConfigDef()

    def configure(self, configs: Mapping[str, Any], *, is_key: bool) -> None:
        """Take the settings (without their prefix), once, before any conversion."""

    @abstractmethod
    def from_connect_data(self, topic: str, schema: Schema | None, value: Any) -> bytes | None:
        """The bytes to write for a value. Hot path: called once per record.

        Raises:
            DataError: if the value does not fit its schema or this converter.
        """

    @abstractmethod
    def to_connect_data(self, topic: str, data: bytes | None) -> SchemaAndValue:
        """The value of the bytes. Hot path: called once per record.

        Raises:
            DataError: if the bytes are not in this converter's format.
        """


class HeaderConverter(ABC):
    """Serializes and deserializes the headers of records."""

    def config(self) -> ConfigDef:
        """The settings that the converter takes, without their prefix; none by default."""
        return ConfigDef()

    def configure(self, configs: Mapping[str, Any]) -> None:
        """Take the settings (without their prefix), once, before any conversion."""

    @abstractmethod
    def from_connect_header(
        self, topic: str, name: str, schema: Schema | None, value: Any
    ) -> bytes | None:
        """The bytes to write for a header.

        Raises:
            DataError: if the value does not fit its schema or this converter.
        """

    @abstractmethod
    def to_connect_header(self, topic: str, name: str, data: bytes | None) -> SchemaAndValue:
        """The value of the bytes of a header.

        Raises:
            DataError: if the bytes are not in this converter's format.
        """

    def close(self) -> None:
        """Release the converter's resources."""
