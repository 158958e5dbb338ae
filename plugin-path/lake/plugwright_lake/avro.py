"""Avro container files."""

from __future__ import annotations

import hashlib
import io
from typing import TYPE_CHECKING, Any

import fastavro

from plugwright import Decimal
from plugwright_lake.avro_schemas import DIGITS, AvroSchemas, keys_are_text
from plugwright_lake.formats import Rows, of_one_schema
from plugwright_lake.plain_rows import converter
from plugwright_lake.values import refused

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plugwright import Schema
    from plugwright_lake.formats import FileFormat

__all__ = ["avro"]


def avro(codec: str) -> FileFormat:
    """The format.

    Args:
        codec: compresses the blocks, ``null`` for not at all.
    """
    return of_one_schema(".avro", lambda schema: _Container(schema, codec))


class _Container(Rows):
    """Rows as Avro's values."""

    def __init__(self, schema: Schema, codec: str) -> None:
        self._schema = fastavro.parse_schema(AvroSchemas().translate(schema))
        self._convert = converter(schema, _AvroShapes())
        self._codec = codec

    def row(self, schema: Schema | None, value: Any) -> Any:  # noqa: ARG002  # known
        return self._convert(value)

    def file(self, rows: Sequence[Any], name: str) -> bytes:
        """The container; its marker is made of the name, for a random one would differ."""
        marker = hashlib.sha256(name.encode()).digest()[:16]
        data = io.BytesIO()
        fastavro.writer(data, self._schema, rows, codec=self._codec, sync_marker=marker)
        return data.getvalue()


class _AvroShapes:
    """Decimals, moments and maps as Avro takes them."""

    def decimal(self, schema: Schema) -> Callable[[Any], Any]:
        def convert(value: Any) -> Any:
            encoded = Decimal.from_logical(schema, value)
            if len(value.as_tuple().digits) > DIGITS:
                raise refused(f"a decimal has more than {DIGITS} digits", "round it, or use jsonl")
            return encoded

        return convert

    def moment(self, schema: Schema) -> None:  # noqa: ARG002  # written as numbers
        return None

    def map(
        self, schema: Schema, key: Callable[[Any], Any], value: Callable[[Any], Any]
    ) -> Callable[[Any], Any]:
        if keys_are_text(schema):
            return lambda pairs: {key(name): value(each) for name, each in pairs.items()}
        return lambda pairs: [
            {"key": key(name), "value": value(each)} for name, each in pairs.items()
        ]
