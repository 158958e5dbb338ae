"""The largest number of each integer type, and rounding to 32-bit floats."""

from __future__ import annotations

import struct
from types import MappingProxyType
from typing import TYPE_CHECKING

from plugwright.schema import Type

if TYPE_CHECKING:
    from collections.abc import Mapping

INTEGER_LIMITS: Mapping[Type, int] = MappingProxyType(
    {
        Type.INT8: 2**7 - 1,
        Type.INT16: 2**15 - 1,
        Type.INT32: 2**31 - 1,
        Type.INT64: 2**63 - 1,
    }
)
"""The largest number of each integer type; the smallest is minus this, minus one."""

_FLOAT32 = struct.Struct("<f")


def to_float32(number: float) -> float:
    """The nearest 32-bit float.

    Raises:
        OverflowError: if a finite number is too large for one.
    """
    packed: float = _FLOAT32.unpack(_FLOAT32.pack(number))[0]
    return packed
