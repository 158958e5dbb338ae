"""Headers as text whose type is inferred when it is read."""

from __future__ import annotations

from typing import Any

from plugwright.converters._base import HeaderConverter
from plugwright.converters._misfit import MisfitError
from plugwright.errors import DataError
from plugwright.schema import BYTES_SCHEMA, Schema, SchemaAndValue, Values

_NOTHING = SchemaAndValue(None, None)


class SimpleHeaderConverter(HeaderConverter):
    """Writes ``Values.convert_to_string``, reads ``Values.parse_string``; Kafka's default.

    So the header ``12`` is read as INT8 and ``[1,2]`` as an array. It keeps data that Kafka loses:
    see ``Values.parse_string``. Bytes that are not UTF-8 are read as BYTES; Java replaces them
    with replacement characters.
    """

    def from_connect_header(
        self, topic: str, name: str, schema: Schema | None, value: Any
    ) -> bytes | None:
        """The header's text as UTF-8; ``None`` stays ``None``.

        Raises:
            DataError: if the value, or one inside it, has no text form.
        """
        try:
            text = Values.convert_to_string(schema, value)
            return None if text is None else text.encode()
        except (DataError, UnicodeEncodeError) as error:
            misfit = MisfitError(f"header {name}: {error}", code="data.not-encodable")
            raise misfit.as_data_error(topic) from error

    def to_connect_header(self, topic: str, name: str, data: bytes | None) -> SchemaAndValue:  # noqa: ARG002  # the bytes decide
        """The value inferred from the text of a header; bytes that are not text stay bytes."""
        if data is None:
            return _NOTHING
        try:
            return Values.parse_string(data.decode())
        except UnicodeDecodeError:
            return SchemaAndValue(BYTES_SCHEMA, data)
