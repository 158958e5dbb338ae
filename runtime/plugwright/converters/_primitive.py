"""Keys, values and headers as bytes: unchanged, or one number or boolean of fixed width."""

from __future__ import annotations

import struct
from types import NoneType
from typing import TYPE_CHECKING, Any, ClassVar

import plugwright.schema as connect
from plugwright.converters._data_converter import DataConverter
from plugwright.converters.misfit import MisfitError, found, wrong_type
from plugwright.schema import Schema, SchemaAndValue, Type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.errors import DataError


_BYTES = frozenset({bytes, NoneType})


class ByteArrayConverter(DataConverter):
    """Passes bytes through; reads optional bytes."""

    def from_connect_data(self, topic: str, schema: Schema | None, value: Any) -> bytes | None:
        """The bytes themselves; ``None`` stays ``None``. Hot path.

        Raises:
            DataError: if the schema has another type, or the value is not bytes.
        """
        if schema is not None and schema.type is not Type.BYTES:
            raise _refused(
                topic, f"Invalid schema type for ByteArrayConverter: {schema.type}", value
            )
        if value is None or value.__class__ is bytes:
            return value
        if isinstance(value, (bytes, bytearray, memoryview)):
            return bytes(value)
        raise _refused(topic, "ByteArrayConverter is not compatible with this value", value)

    def write_column(
        self,
        topic: str,  # noqa: ARG002  # bytes are the same everywhere
        schema: Schema | None,
        values: Sequence[Any],
    ) -> Sequence[bytes | None] | None:
        """Many values at once; ``None`` if one is not simply bytes. Hot path."""
        fits = schema is None or schema.type is Type.BYTES
        return values if fits and {*map(type, values)} <= _BYTES else None

    def to_connect_data(self, topic: str, data: bytes | None) -> SchemaAndValue:  # noqa: ARG002  # bytes are bytes everywhere
        """The bytes as optional bytes. Hot path."""
        return SchemaAndValue(connect.OPTIONAL_BYTES_SCHEMA, data)

    def read_column(self, data: Sequence[bytes | None]) -> tuple[Schema, Sequence[bytes | None]]:
        """Many values at once, with their common schema. Hot path."""
        return connect.OPTIONAL_BYTES_SCHEMA, data


def _refused(topic: str, problem: str, value: Any) -> DataError:
    misfit = MisfitError(f"{problem}: {found(value)}", code="data.wrong-type")
    return misfit.as_data_error(topic)


class _PrimitiveConverter(DataConverter):
    """Writes values of one type, whatever the schema; reads them with its optional schema.

    Attributes:
        packing: the fixed width form.
        written: the schema whose values are accepted.
        optional: the schema of values that are read.
    """

    packing: ClassVar[struct.Struct]
    written: ClassVar[Schema]
    optional: ClassVar[Schema]

    def from_connect_data(self, topic: str, schema: Schema | None, value: Any) -> bytes | None:  # noqa: ARG002  # the value decides, as in Kafka
        """The value as bytes of fixed width; ``None`` stays ``None``. Hot path.

        Raises:
            DataError: if the value has another type or is out of range.
        """
        if value is None:
            return None
        if self.written.accepts(value):
            return self.packing.pack(value)
        raise wrong_type(self.written.type, value).as_data_error(topic)

    def to_connect_data(self, topic: str, data: bytes | None) -> SchemaAndValue:
        """The value with the optional schema. Hot path.

        Raises:
            DataError: if there are more or fewer bytes than the type has.
        """
        if data is None:
            return SchemaAndValue(self.optional, None)
        try:
            return SchemaAndValue(self.optional, self.packing.unpack(data)[0])
        except struct.error as error:
            size = self.packing.size
            misfit = MisfitError(
                f"expected {size} bytes for {str(self.written.type).lower()}, found {len(data)}",
                code="data.wrong-size",
            )
            raise misfit.as_data_error(topic) from error


class ShortConverter(_PrimitiveConverter):
    """Writes and reads integers of 16 bits."""

    packing = struct.Struct(">h")
    written = connect.INT16_SCHEMA
    optional = connect.OPTIONAL_INT16_SCHEMA


class IntegerConverter(_PrimitiveConverter):
    """Writes and reads integers of 32 bits."""

    packing = struct.Struct(">i")
    written = connect.INT32_SCHEMA
    optional = connect.OPTIONAL_INT32_SCHEMA


class LongConverter(_PrimitiveConverter):
    """Writes and reads integers of 64 bits."""

    packing = struct.Struct(">q")
    written = connect.INT64_SCHEMA
    optional = connect.OPTIONAL_INT64_SCHEMA


class FloatConverter(_PrimitiveConverter):
    """Writes and reads floating point numbers of 32 bits."""

    packing = struct.Struct(">f")
    written = connect.FLOAT32_SCHEMA
    optional = connect.OPTIONAL_FLOAT32_SCHEMA


class DoubleConverter(_PrimitiveConverter):
    """Writes and reads floating point numbers of 64 bits."""

    packing = struct.Struct(">d")
    written = connect.FLOAT64_SCHEMA
    optional = connect.OPTIONAL_FLOAT64_SCHEMA


class BooleanConverter(_PrimitiveConverter):
    """Writes and reads booleans as one byte, 1 or 0; any other byte is refused."""

    packing = struct.Struct(">B")
    written = connect.BOOLEAN_SCHEMA
    optional = connect.OPTIONAL_BOOLEAN_SCHEMA

    def from_connect_data(self, topic: str, schema: Schema | None, value: Any) -> bytes | None:
        """One byte, 1 or 0; ``None`` stays ``None``. Hot path.

        Raises:
            DataError: if the schema has another type, or the value is not a boolean.
        """
        if schema is not None and schema.type is not Type.BOOLEAN:
            raise MisfitError(
                f"Invalid schema type for BooleanConverter: {schema.type}", code="data.wrong-type"
            ).as_data_error(topic)
        return super().from_connect_data(topic, schema, value)

    def to_connect_data(self, topic: str, data: bytes | None) -> SchemaAndValue:
        """The boolean with the optional schema. Hot path.

        Raises:
            DataError: if the bytes are neither 1 nor 0.
        """
        schema, value = super().to_connect_data(topic, data)
        if value is not None and value > 1:
            raise MisfitError(
                f"expected 0 or 1 for {str(Type.BOOLEAN).lower()}, found {found(value)}"
            ).as_data_error(topic)
        return SchemaAndValue(schema, None if value is None else value == 1)
