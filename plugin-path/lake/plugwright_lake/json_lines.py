"""JSON lines: one value a line, as Kafka's JSON converter writes values without schemas."""

from __future__ import annotations

import base64
import decimal
import gzip
import math
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any

import orjson

from plugwright import DataError, Date, Decimal, Schema, SchemaType, Struct, Time, Timestamp
from plugwright_lake.formats import FileFormat, Rows
from plugwright_lake.values import LOGICAL, MAX_DEPTH, inner, moment_number, refused

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["json_lines"]

_OPTIONS = orjson.OPT_APPEND_NEWLINE
_WHOLE = frozenset({str, int, bool, type(None)})


def json_lines(*, numeric: bool, compressed: bool) -> FileFormat:
    """The format.

    Args:
        numeric: whether decimals are numbers, rather than their bytes in Base64.
        compressed: whether files are compressed by gzip.
    """
    extension = ".jsonl.gz" if compressed else ".jsonl"
    lines = _Lines(numeric=numeric, compressed=compressed)
    return FileFormat(extension, has_schema=False, rows=lambda _: lines)


class _Lines(Rows):
    """Lines of any values: JSON needs no schema."""

    def __init__(self, *, numeric: bool, compressed: bool) -> None:
        self._numeric = numeric
        self._compressed = compressed

    def row(self, schema: Schema | None, value: Any) -> bytes:
        try:
            return orjson.dumps(self._plain(schema, value, 0), option=_OPTIONS)
        except (ValueError, TypeError) as error:
            raise refused(f"a value has no place in JSON: {error}", "use another format") from error

    def file(self, rows: Sequence[bytes], name: str) -> bytes:  # noqa: ARG002  # part of the seam
        data = b"".join(rows)
        return gzip.compress(data, mtime=0) if self._compressed else data

    def _plain(self, schema: Schema | None, value: Any, depth: int) -> Any:
        """Convert a value for the JSON library. Hot path: called for each value within a record."""
        if schema is not None and schema.name in LOGICAL:
            return None if value is None else self._logical(schema, value)
        if value.__class__ in _WHOLE:
            return value
        if depth > MAX_DEPTH:
            raise refused(f"a value is nested more than {MAX_DEPTH} times", "flatten it before")
        if isinstance(value, Struct):
            return {
                field.name: self._plain(field.schema, value.get(field), depth + 1)
                for field in value.schema.fields
            }
        if isinstance(value, dict):
            return self._map(schema, value, depth)
        if isinstance(value, list):
            element = None if schema is None else schema.value_schema
            return [self._plain(element, each, depth + 1) for each in value]
        return self._single(value)

    def _map(self, schema: Schema | None, value: dict[Any, Any], depth: int) -> Any:
        """An object, or pairs if a key is not text, as the JsonConverter does."""
        key_schema = None if schema is None else schema.key_schema
        value_schema = None if schema is None else schema.value_schema
        pairs = [
            (self._plain(key_schema, key, depth + 1), self._plain(value_schema, each, depth + 1))
            for key, each in value.items()
        ]
        named = all(isinstance(key, str) for key, _ in pairs)
        if schema is not None:
            named = inner(schema.key_schema).type is SchemaType.STRING and named
        return dict(pairs) if named else pairs

    def _logical(self, schema: Schema, value: Any) -> Any:
        if schema.name != Decimal.LOGICAL_NAME:
            return moment_number(schema, value)
        encoded = Decimal.from_logical(schema, value)
        assert encoded is not None  # noqa: S101  # the value is not None
        return orjson.Fragment(f"{value:f}") if self._numeric else _base64(encoded)

    def _single(self, value: Any) -> Any:
        """Convert a value without a logical schema that is not text, integer or boolean."""
        if isinstance(value, float):
            if not math.isfinite(value):
                raise refused(f"JSON has no number for {value}", "use Avro or Parquet")
            return value
        if isinstance(value, bytes | bytearray | memoryview):
            return _base64(bytes(value))
        if isinstance(value, decimal.Decimal):
            return self._logical(_decimal_schema(value), value)
        for kind, schema in (
            (datetime, Timestamp.SCHEMA),
            (date, Date.SCHEMA),
            (time, Time.SCHEMA),
        ):
            if isinstance(value, kind):
                return self._logical(schema, value)
        raise DataError(f"a {type(value).__name__} is not a Connect value", code="lake.no-place")


def _decimal_schema(value: decimal.Decimal) -> Schema:
    if not value.is_finite():
        raise refused(f"JSON has no number for {value}", "use finite numbers")
    return Decimal.schema(-int(value.as_tuple().exponent))


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
