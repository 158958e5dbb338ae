"""Converts plain JSON values to Connect's, with one function per schema, compiled once.

Java's converter accepts Jackson's coercion of other values: ``"foo"`` for an int32 is
read as 0, 300 for an int8 as 44, a number for a string as null. Here a value that does not fit
its schema is an error with its path. Equivalent values are accepted: 1.0 and 1e3 for whole
numbers, whole numbers for floats, and ``"NaN"``, ``"Infinity"`` and ``"-Infinity"`` for floats,
as both converters write them.
"""

from __future__ import annotations

import binascii
import math
from dataclasses import dataclass
from decimal import Decimal as PythonDecimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from plugwright.converters._numbers import INTEGER_LIMITS, to_float32
from plugwright.converters._shortcuts import passing_class, quick
from plugwright.converters.json_parsing import NotFastError
from plugwright.converters.misfit import MAX_DEPTH, MisfitError, found, too_deep, wrong_type
from plugwright.errors import DataError
from plugwright.schema import Date, Decimal, Schema, Struct, Time, Timestamp, Type

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Read = Callable[[Any], Any]

_INT64_LIMIT = INTEGER_LIMITS[Type.INT64]
_MOST_DIGITS = 20
_NAMED_FLOATS: Mapping[str, float] = MappingProxyType(
    {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
)


@dataclass(frozen=True, slots=True)
class JsonReading:
    """Creates the function that reads the values of a schema; it is called once per value.

    Attributes:
        replace_null: whether a default replaces null and missing fields.
    """

    replace_null: bool = True

    def compile(self, schema: Schema | None, depth: int = 0) -> Read:
        """The function for a schema, or for schemaless data.

        Raises:
            MisfitError: if the schema is nested too deep.
        """
        if schema is None:
            return read_plain
        if depth >= MAX_DEPTH and not schema.is_leaf:
            raise too_deep()
        read = self._logical(schema) or self._by_type(schema, depth)
        return quick(schema, self._or_absent(schema, read))

    def _or_absent(self, schema: Schema, read: Read) -> Read:
        default = schema.default if self.replace_null else None
        if default is not None or schema.optional:
            return lambda node: default if node is None else read(node)

        def read_required(node: Any) -> Any:
            if node is None:
                raise MisfitError(
                    f"Invalid null value for required {schema.type} field",
                    code="data.missing-value",
                )
            return read(node)

        return read_required

    def _logical(self, schema: Schema) -> Read | None:
        match schema.name:
            case Decimal.LOGICAL_NAME:
                return _decimal(schema)
            case Date.LOGICAL_NAME:
                return _decoded(schema, Date.to_logical, Type.INT32)
            case Time.LOGICAL_NAME:
                return _decoded(schema, Time.to_logical, Type.INT32)
            case Timestamp.LOGICAL_NAME:
                return _decoded(schema, Timestamp.to_logical, Type.INT64)
        return None

    def _by_type(self, schema: Schema, depth: int) -> Read:
        if schema.type in INTEGER_LIMITS:
            return _integer(schema.type)
        match schema.type:
            case Type.ARRAY:
                return _array(self.compile(schema.value_schema, depth + 1))
            case Type.MAP:
                return self._map(schema, depth)
            case Type.STRUCT:
                return self._struct(schema, depth)
        return _PRIMITIVES[schema.type]

    def _map(self, schema: Schema, depth: int) -> Read:
        if schema.key_schema is not None and schema.key_schema.type is Type.STRING:
            return _object(self.compile(schema.value_schema, depth + 1))
        read_key = self.compile(schema.key_schema, depth + 2)
        return _pairs(read_key, self.compile(schema.value_schema, depth + 2))

    def _struct(self, schema: Schema, depth: int) -> Read:
        fields = [
            (field.name, passing_class(field.schema), self.compile(field.schema, depth + 1))
            for field in schema.fields
        ]
        from_trusted = Struct.from_trusted

        def read(node: Any) -> Struct:
            if node.__class__ is not dict:
                raise wrong_type("object", node)
            get = node.get
            values = []
            name = ""
            try:
                for name, passing, read_field in fields:
                    part = get(name)
                    values.append(part if part.__class__ is passing else read_field(part))
            except MisfitError as error:
                error.in_field(name)
                raise
            return from_trusted(schema, values)

        return read


def read_plain(node: Any, depth: int = 0) -> Any:
    """A schemaless value from the exact parser: whole numbers of 64 bits, floats, containers.

    Raises:
        MisfitError: if a number is too large, or the nesting too deep.
    """
    if isinstance(node, PythonDecimal):
        return _float64(node)
    if isinstance(node, int) and not -_INT64_LIMIT - 1 <= node <= _INT64_LIMIT:
        raise _out_of_range(Type.INT64, node)
    if not isinstance(node, (dict, list)):
        return node
    if depth >= MAX_DEPTH:
        raise too_deep()

    def read_item(item: Any) -> Any:
        return read_plain(item, depth + 1)

    return _object(read_item)(node) if isinstance(node, dict) else _array(read_item)(node)


def _integer(type_: Type) -> Read:
    limit = INTEGER_LIMITS[type_]

    def read(node: Any) -> int:
        if node.__class__ is int and -limit - 1 <= node <= limit:
            return node
        whole = _whole(type_, node)
        if not -limit - 1 <= whole <= limit:
            raise _out_of_range(type_, whole)
        return whole

    return read


def _whole(type_: Type, node: Any) -> int:
    """The whole number that a number is, such as 1.0 and 1e3."""
    if node.__class__ is int:
        return node
    if node.__class__ is float:
        raise NotFastError
    if not isinstance(node, PythonDecimal):
        raise wrong_type(type_, node)
    if node.adjusted() > _MOST_DIGITS:
        raise _out_of_range(type_, node)
    if node != node.to_integral_value():
        raise wrong_type(type_, node)
    return int(node)


def _float64(node: Any) -> float:
    if node.__class__ is float:
        return node
    if isinstance(node, (int, PythonDecimal)) and not isinstance(node, bool):
        return _rounded(Type.FLOAT64, float, node)
    return _named_float(Type.FLOAT64, node)


def _float32(node: Any) -> float:
    if isinstance(node, (float, int, PythonDecimal)) and not isinstance(node, bool):
        return _rounded(Type.FLOAT32, to_float32, node)
    return _named_float(Type.FLOAT32, node)


def _rounded(type_: Type, rounded: Callable[[Any], float], node: Any) -> float:
    try:
        number = rounded(node)
    except OverflowError as error:
        raise _out_of_range(type_, node) from error
    if math.isinf(number):
        raise _out_of_range(type_, node)
    return number


def _named_float(type_: Type, node: Any) -> float:
    if isinstance(node, str) and node in _NAMED_FLOATS:
        return _NAMED_FLOATS[node]
    raise wrong_type(type_, node)


def _of_class(type_: Type, kind: type) -> Read:
    def read(node: Any) -> Any:
        if node.__class__ is kind:
            return node
        raise wrong_type(type_, node)

    return read


def _bytes(node: Any) -> bytes:
    if not isinstance(node, str):
        raise wrong_type("bytes as base64 string", node)
    try:
        return binascii.a2b_base64(node, strict_mode=True)
    except ValueError as error:
        without_blanks = "".join(node.split())
        if without_blanks != node:
            return _bytes(without_blanks)
        raise MisfitError(f"the string is not base64: {error}", code="data.wrong-value") from error


def _decimal(schema: Schema) -> Read:
    decode = _logical_of(schema, Decimal.to_logical)

    def read(node: Any) -> Any:
        if isinstance(node, str):
            return decode(_bytes(node))
        if node.__class__ is float:
            raise NotFastError
        if isinstance(node, PythonDecimal):
            return node or node.copy_abs()
        if node.__class__ is int:
            return PythonDecimal(node)
        raise wrong_type("decimal as number or base64 string", node)

    return read


def _decoded(schema: Schema, to_logical: Callable[[Schema, Any], Any], type_: Type) -> Read:
    """Days and milliseconds; here Java refuses 1.0, which it accepts for plain integers."""
    read_integer, decode = _integer(type_), _logical_of(schema, to_logical)

    def read(node: Any) -> Any:
        if node.__class__ is not int:
            raise wrong_type(type_, node)
        return decode(read_integer(node))

    return read


def _logical_of(schema: Schema, to_logical: Callable[[Schema, Any], Any]) -> Read:
    def decode(encoded: Any) -> Any:
        try:
            return to_logical(schema, encoded)
        except DataError as error:
            raise MisfitError(str(error), code=error.code, hint=error.hint) from error

    return decode


def _array(read_item: Read) -> Read:
    def read(node: Any) -> list[Any]:
        if node.__class__ is not list:
            raise wrong_type("array", node)
        result: list[Any] = []
        try:
            for item in node:
                result.append(read_item(item))  # noqa: PERF401  # its length locates a failure
        except MisfitError as error:
            error.in_item(len(result))
            raise
        return result

    return read


def _object(read_item: Read) -> Read:
    def read(node: Any) -> dict[str, Any]:
        if node.__class__ is not dict:
            raise wrong_type("object", node)
        result = {}
        key = ""
        try:
            for key, item in node.items():
                result[key] = read_item(item)
        except MisfitError as error:
            error.in_field(key)
            raise
        return result

    return read


def _pairs(read_key: Read, read_item: Read) -> Read:
    def read(node: Any) -> dict[Any, Any]:
        if node.__class__ is not list:
            raise wrong_type("array of pairs", node)
        result: dict[Any, Any] = {}
        for index, pair in enumerate(node):
            try:
                _add_pair(result, pair, read_key, read_item)
            except MisfitError as error:
                error.in_item(index)
                raise
        return result

    return read


def _add_pair(result: dict[Any, Any], pair: Any, read_key: Read, read_item: Read) -> None:
    if pair.__class__ is not list or len(pair) != 2:  # noqa: PLR2004  # a pair
        raise wrong_type("pair of key and value", pair)
    key = read_key(pair[0])
    try:
        known = key in result
    except TypeError as error:
        raise MisfitError(f"{found(key)} cannot be the key of a map") from error
    if known:
        raise MisfitError("a key occurs twice in one map", code="data.wrong-value")
    result[key] = read_item(pair[1])


def _out_of_range(type_: Type, node: Any) -> MisfitError:
    return MisfitError(
        f"expected {str(type_).lower()}, found {found(node)}", code="data.out-of-range"
    )


_PRIMITIVES: Mapping[Type, Read] = MappingProxyType(
    {
        Type.FLOAT32: _float32,
        Type.FLOAT64: _float64,
        Type.BYTES: _bytes,
        Type.BOOLEAN: _of_class(Type.BOOLEAN, bool),
        Type.STRING: _of_class(Type.STRING, str),
    }
)
