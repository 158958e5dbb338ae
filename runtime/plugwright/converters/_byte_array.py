"""Keys, values and headers as unchanged bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.converters._data_converter import DataConverter
from plugwright.converters._misfit import MisfitError, found
from plugwright.schema import OPTIONAL_BYTES_SCHEMA, Schema, SchemaAndValue, Type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.errors import DataError


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

    def to_connect_data(self, topic: str, data: bytes | None) -> SchemaAndValue:  # noqa: ARG002  # bytes are bytes everywhere
        """The bytes as optional bytes. Hot path."""
        return SchemaAndValue(OPTIONAL_BYTES_SCHEMA, data)

    def read_column(self, data: Sequence[bytes | None]) -> tuple[Schema, Sequence[bytes | None]]:
        """Many values at once, with their common schema. Hot path."""
        return OPTIONAL_BYTES_SCHEMA, data


def _refused(topic: str, problem: str, value: Any) -> DataError:
    misfit = MisfitError(f"{problem}: {found(value)}", code="data.wrong-type")
    return misfit.as_data_error(topic)
