"""The Python values that each Connect type accepts: the only table of the type mapping.

Each entry is a predicate on a value that is not ``None``. Validation runs one of them for every
field of every record, so they look at the exact class first and build nothing.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from plugwright.schema._equality import Comparable
from plugwright.schema._type import Type

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plugwright.schema._schema import Schema

INTEGER_RANGES: Mapping[Type, tuple[int, int]] = MappingProxyType(
    {
        Type.INT8: (-(2**7), 2**7 - 1),
        Type.INT16: (-(2**15), 2**15 - 1),
        Type.INT32: (-(2**31), 2**31 - 1),
        Type.INT64: (-(2**63), 2**63 - 1),
    }
)

_FLOAT32_OVERFLOW = (2 - 2**-24) * 2.0**127
"""The smallest number that rounds to infinity as a 32-bit float."""


class StructValue(Comparable):
    """The base of ``Struct``, so that this table can name it without importing it."""

    __slots__ = ("_values", "schema")

    schema: Schema
    _values: list[Any]


def _integer(type_: Type) -> Callable[[Any], bool]:
    low, high = INTEGER_RANGES[type_]

    def accept(value: Any) -> bool:
        kind = value.__class__
        if kind is int or (kind is not bool and isinstance(value, int)):
            return bool(low <= value <= high)
        return False

    return accept


def _float32(value: Any) -> bool:
    return isinstance(value, float) and (
        -_FLOAT32_OVERFLOW < value < _FLOAT32_OVERFLOW or value - value != 0
    )


def _instance(*kinds: type) -> Callable[[Any], bool]:
    def accept(value: Any) -> bool:
        return isinstance(value, kinds)

    return accept


def _decimal(value: Any) -> bool:
    return isinstance(value, Decimal) and value.is_finite()


def _date(value: Any) -> bool:
    return isinstance(value, dt.date) and not isinstance(value, dt.datetime)


def _time(value: Any) -> bool:
    return isinstance(value, dt.time) and not value.utcoffset()


def _timestamp(value: Any) -> bool:
    return isinstance(value, dt.datetime) and value.utcoffset() is not None


_BY_TYPE: Mapping[Type, Callable[[Any], bool]] = MappingProxyType(
    {
        Type.INT8: _integer(Type.INT8),
        Type.INT16: _integer(Type.INT16),
        Type.INT32: _integer(Type.INT32),
        Type.INT64: _integer(Type.INT64),
        Type.FLOAT32: _float32,
        Type.FLOAT64: _instance(float),
        Type.BOOLEAN: _instance(bool),
        Type.STRING: _instance(str),
        Type.BYTES: _instance(bytes, bytearray, memoryview),
        Type.ARRAY: _instance(list),
        Type.MAP: _instance(dict),
        Type.STRUCT: _instance(StructValue),
    }
)

_BY_LOGICAL_NAME: Mapping[str, Callable[[Any], bool]] = MappingProxyType(
    {
        "org.apache.kafka.connect.data.Decimal": _decimal,
        "org.apache.kafka.connect.data.Date": _date,
        "org.apache.kafka.connect.data.Time": _time,
        "org.apache.kafka.connect.data.Timestamp": _timestamp,
    }
)


def accepts(type_: Type, name: str | None) -> Callable[[Any], bool]:
    """The predicate of a schema: by its logical name if it has one, else by its type."""
    if name is not None and name in _BY_LOGICAL_NAME:
        return _BY_LOGICAL_NAME[name]
    return _BY_TYPE[type_]
