"""Converts values to plain JSON values, with one function per schema, compiled once."""

from __future__ import annotations

import math
from base64 import b64encode
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any

from plugwright.converters._numbers import INTEGER_LIMITS
from plugwright.converters._shortcuts import passing_class, quick
from plugwright.converters._struct_values import values_of
from plugwright.converters.misfit import (
    MAX_DEPTH,
    MisfitError,
    absent,
    found,
    too_deep,
    wrong_type,
)
from plugwright.errors import DataError
from plugwright.java_text import decimal_text, float_text, is_plain, short_float32
from plugwright.schema import Date, Decimal, Schema, Struct, Time, Timestamp, Type

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plugwright.converters.json_engine import JsonEngine
    from plugwright.schema import StructColumn

    Write = Callable[[Any], Any]
    WriteColumns = Callable[[StructColumn], list[bytes | None]]

_INT64_LIMIT = INTEGER_LIMITS[Type.INT64]


@dataclass(frozen=True, slots=True)
class JsonWriting:
    """Creates the function that converts the values of a schema for an engine.

    The functions run once for each value in a record. They check their values, because nothing
    else does; an error has the path of the value.

    Attributes:
        engine: writes the result.
        numeric_decimals: whether decimals are numbers, or base64 of their encoded form.
        replace_null: whether a default replaces ``None``.
    """

    engine: JsonEngine
    numeric_decimals: bool = False
    replace_null: bool = True

    def compile(self, schema: Schema | None, depth: int = 0) -> Write:
        """The function for a schema, or for schemaless data.

        Raises:
            MisfitError: if the schema is nested too deep.
        """
        if schema is None:
            return lambda value: self.plain(value, depth)
        if depth >= MAX_DEPTH and not schema.is_leaf:
            raise too_deep()
        write = self._logical(schema) or self._by_type(schema, depth)

        def write_or_default(value: Any) -> Any:
            if value is not None:
                return write(value)
            return absent(schema, write, replace_null=self.replace_null)

        return quick(schema, write_or_default)

    def _logical(self, schema: Schema) -> Write | None:
        """The function for a logical type; only the name decides, not the type (as in Kafka)."""
        match schema.name:
            case Decimal.LOGICAL_NAME:
                return self._decimal(schema)
            case Date.LOGICAL_NAME:
                return _encoded(schema, Date.from_logical)
            case Time.LOGICAL_NAME:
                return _encoded(schema, Time.from_logical)
            case Timestamp.LOGICAL_NAME:
                return _encoded(schema, Timestamp.from_logical)
        return None

    def _decimal(self, schema: Schema) -> Write:
        if not self.numeric_decimals:
            encode = _encoded(schema, Decimal.from_logical)
            return lambda value: _base64(encode(value))
        accepts, raw = schema.accepts, self.engine.raw

        def write(value: Any) -> Any:
            if not accepts(value):
                raise wrong_type("decimal", value)
            return raw(decimal_text(value))

        return write

    def _by_type(self, schema: Schema, depth: int) -> Write:
        if schema.type in INTEGER_LIMITS:
            return _integer(schema)
        match schema.type:
            case Type.FLOAT32 | Type.FLOAT64:
                return self._float(schema, single=schema.type is Type.FLOAT32)
            case Type.ARRAY:
                return self._array(schema, depth)
            case Type.MAP:
                return self._map(schema, depth)
            case Type.STRUCT:
                return self._struct(schema, depth)
        return _checked(schema, _base64) if schema.type is Type.BYTES else _identity(schema)

    def _float(self, schema: Schema, *, single: bool) -> Write:
        accepts, text = schema.accepts, self._float_text

        def write(value: Any) -> Any:
            if not accepts(value):
                raise wrong_type(schema.type, value)
            number = short_float32(value) if single else value
            return number if is_plain(number) else text(number, single=single)

        return write

    def _float_text(self, number: float, *, single: bool = False) -> Any:
        """JSON has no NaN and no infinities, so Jackson writes their names as strings."""
        text = float_text(number, single=single)
        return self.engine.raw(text) if math.isfinite(number) else text

    def _array(self, schema: Schema, depth: int) -> Write:
        write_item = self.compile(schema.value_schema, depth + 1)
        passing = passing_class(schema.value_schema)

        def write(value: Any) -> Any:
            if not isinstance(value, list):
                raise wrong_type(schema.type, value)
            result: list[Any] = []
            try:
                for item in value:
                    written = item if item.__class__ is passing else write_item(item)
                    result.append(written)
            except MisfitError as error:
                error.in_item(len(result))
                raise
            return result

        return write

    def _map(self, schema: Schema, depth: int) -> Write:
        keys, values = schema.key_schema, schema.value_schema
        as_object = keys is not None and keys.type is Type.STRING
        below = depth + (1 if as_object else 2)
        write_key = self.compile(keys, below)
        write_item = self.compile(values, below)

        def write(value: Any) -> Any:
            if not isinstance(value, dict):
                raise wrong_type(schema.type, value)
            pairs: list[Any] = []
            for key, item in value.items():
                try:
                    pairs.append([write_key(key), write_item(item)])
                except MisfitError as error:
                    error.in_item(key)
                    raise
            return _as_object(pairs) if as_object else pairs

        return write

    def _struct(self, schema: Schema, depth: int) -> Write:
        names = [field.name for field in schema.fields]
        writes = [self.compile(field.schema, depth + 1) for field in schema.fields]
        passings = [passing_class(field.schema) for field in schema.fields]

        def write(value: Any) -> Any:
            if not isinstance(value, Struct):
                raise wrong_type(schema.type, value)
            own = value.schema
            if own is not schema and own != schema and value is not schema.default:
                raise _other_schema(schema, value)
            values = values_of(value)
            if list(map(type, values)) == passings:  # nearly every struct has only plain values
                return dict(zip(names, values, strict=True))
            result = {}
            name = ""
            parts = zip(names, passings, writes, values, strict=True)
            try:
                for name, passing, write_field, item in parts:
                    result[name] = item if item.__class__ is passing else write_field(item)
            except MisfitError as error:
                error.in_field(name)
                raise
            return result

        return write

    def compile_columns(self, schema: Schema, prefix: bytes, suffix: bytes) -> WriteColumns:
        """The function that writes structs by field.

        It raises a `MisfitError` without a path for a value that does not fit, and a `ValueError`
        for a string with a lone surrogate.

        Args:
            schema: of the structs.
            prefix: what comes before each object.
            suffix: what comes after it.

        Raises:
            MisfitError: if the schema is nested too deep.
        """
        names = [_escaped(self.engine.dumps(field.name)) for field in schema.fields]
        body = b",".join(name + b":%b" for name in names)
        template = _escaped(prefix) + b"{" + body + b"}" + _escaped(suffix)
        writes = [self._compile_column(field.schema) for field in schema.fields]

        def write(structs: StructColumn) -> list[bytes | None]:
            columns = [each(column) for each, column in zip(writes, structs.fields, strict=True)]
            rows = zip(*columns, strict=True) if columns else repeat((), len(structs))
            return [template % row for row in rows]

        return write

    def _compile_column(self, schema: Schema) -> Callable[[Sequence[Any]], list[bytes]]:
        """The function that writes the values of one field."""
        write, dumps, texts = self.compile(schema, 1), self.engine.dumps, self.engine.texts
        plain = {passing_class(schema)} if schema.type is Type.STRING else set()

        def write_column(column: Sequence[Any]) -> list[bytes]:
            if {*map(type, column)} == plain:
                return texts(column)
            return [dumps(write(value)) for value in column]

        return write_column

    def plain(self, value: Any, depth: int = 0) -> Any:
        """A schemaless value in the form that the engine writes.

        Raises:
            MisfitError: if schemaless data cannot hold a class, or the nesting is too deep.
        """
        if value is None or isinstance(value, (str, bool)):
            return value
        if isinstance(value, int):
            return _schemaless_integer(value)
        if isinstance(value, float):
            return value if is_plain(value) else self._float_text(value)
        if isinstance(value, (bytes, bytearray, memoryview)):
            return _base64(value)
        if depth >= MAX_DEPTH:
            raise too_deep()
        if isinstance(value, list):
            return self._plain_list(value, depth + 1)
        if isinstance(value, dict):
            return self._plain_dict(value, depth + 1)
        raise _no_schemaless(value)

    def _plain_list(self, value: list[Any], depth: int) -> list[Any]:
        result: list[Any] = []
        try:
            for item in value:
                result.append(self.plain(item, depth))  # noqa: PERF401  # its length locates a failure
        except MisfitError as error:
            error.in_item(len(result))
            raise
        return result

    def _plain_dict(self, value: dict[Any, Any], depth: int) -> Any:
        as_object = all(isinstance(key, str) for key in value)
        below = depth if as_object else depth + 1
        if below > MAX_DEPTH:
            raise too_deep()
        pairs: list[Any] = []
        for key, item in value.items():
            try:
                pairs.append([self.plain(key, below), self.plain(item, below)])
            except MisfitError as error:
                error.in_field(key) if isinstance(key, str) else error.in_item(key)
                raise
        return dict(pairs) if as_object else pairs


def _escaped(text: bytes) -> bytes:
    return text.replace(b"%", b"%%")


def _integer(schema: Schema) -> Write:
    limit, accepts = INTEGER_LIMITS[schema.type], schema.accepts

    def write(value: Any) -> int:
        if value.__class__ is int and -limit - 1 <= value <= limit:
            return value
        if accepts(value):
            return int(value)
        raise wrong_type(schema.type, value)

    return write


def _identity(schema: Schema) -> Write:
    """Strings and booleans, which are written unchanged."""
    accepts, exact = schema.accepts, str if schema.type is Type.STRING else bool

    def write(value: Any) -> Any:
        if value.__class__ is exact:
            return value
        if accepts(value):
            return str.__str__(value)
        raise wrong_type(schema.type, value)

    return write


def _checked(schema: Schema, encode: Write) -> Write:
    accepts = schema.accepts

    def write(value: Any) -> Any:
        if not accepts(value):
            raise wrong_type(schema.type, value)
        return encode(value)

    return write


def _encoded(schema: Schema, from_logical: Callable[[Schema, Any], Any]) -> Write:
    def write(value: Any) -> Any:
        try:
            return from_logical(schema, value)
        except DataError as error:
            raise MisfitError(str(error), code=error.code, hint=error.hint) from error

    return write


def _base64(value: Any) -> str:
    return b64encode(value).decode("ascii")


def _as_object(pairs: list[Any]) -> dict[str, Any]:
    for key, _ in pairs:
        if key is None:
            raise MisfitError("null cannot be a key of a JSON object", code="data.wrong-type")
    return dict(pairs)


def _schemaless_integer(value: int) -> int:
    if -_INT64_LIMIT - 1 <= value <= _INT64_LIMIT:
        return int(value)
    raise MisfitError(
        f"expected at most 64 bits, found {found(value)}",
        code="data.out-of-range",
        hint="use Decimal with a schema for larger numbers",
    )


def _other_schema(schema: Schema, value: Struct) -> MisfitError:
    return MisfitError(
        f"expected a struct of {schema}, found one of {value.schema}",
        code="data.mismatching-schema",
        hint="create the struct with the schema of its record or field",
    )


def _no_schemaless(value: Any) -> MisfitError:
    return MisfitError(
        f"{found(value)} has no corresponding schema type",
        code="data.wrong-type",
        hint="give the record a schema",
    )
