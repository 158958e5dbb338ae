"""Decimal: exact numbers of a fixed scale, carried as bytes."""

from __future__ import annotations

import re
from decimal import Decimal as PythonDecimal
from typing import TYPE_CHECKING, Any

from plugwright.errors import DataError
from plugwright.schema._accepted import INTEGER_RANGES
from plugwright.schema._builder import SchemaBuilder
from plugwright.schema._type import Type

if TYPE_CHECKING:
    from plugwright.schema._schema import Schema

_INTEGER = re.compile(r"[+-]?[0-9]+")


class Decimal:
    """The logical type of exact decimal numbers, ``decimal.Decimal`` in Python.

    The scale, the number of digits after the point, belongs to the schema. The encoded form is the
    unscaled number in two's complement, big-endian, in as few bytes as possible.
    """

    LOGICAL_NAME = "org.apache.kafka.connect.data.Decimal"
    SCALE_FIELD = "scale"

    @staticmethod
    def builder(scale: int) -> SchemaBuilder:
        """A builder for decimals of that scale, to make optional or give a default."""
        return (
            SchemaBuilder.bytes()
            .name(Decimal.LOGICAL_NAME)
            .parameter(Decimal.SCALE_FIELD, str(scale))
            .version(1)
        )

    @staticmethod
    def schema(scale: int) -> Schema:
        """The schema of required decimals of that scale."""
        return Decimal.builder(scale).build()

    @staticmethod
    def from_logical(schema: Schema, value: Any) -> bytes | None:
        """The encoded form of a decimal, without rounding.

        Raises:
            DataError: if the value has another scale than the schema, or is not finite.
        """
        scale = _scale(schema)
        if value is None:
            _check_absence(schema)
            return None
        if not isinstance(value, PythonDecimal) or not value.is_finite():
            raise DataError(
                f"Invalid Python object for schema with type BYTES: class {type(value).__name__}, "
                "a finite decimal.Decimal was expected",
                code="schema.wrong-value",
            )
        sign, digits, exponent = value.as_tuple()
        if exponent != -scale:
            raise _other_scale(scale, -int(exponent))
        unscaled = int(PythonDecimal((sign, digits, 0)))
        size = (unscaled + (unscaled < 0)).bit_length() // 8 + 1
        return unscaled.to_bytes(size, "big", signed=True)

    @staticmethod
    def to_logical(schema: Schema, value: Any) -> PythonDecimal | None:
        """The decimal of an encoded form.

        Raises:
            DataError: if the value is not bytes, or empty, or the schema has no scale.
        """
        scale = _scale(schema)
        if value is None:
            _check_absence(schema)
            return None
        if not isinstance(value, (bytes, bytearray, memoryview)) or not len(value):
            raise DataError(
                f"Invalid Decimal value: class {type(value).__name__}, at least one byte expected",
                code="schema.wrong-value",
            )
        unscaled = PythonDecimal(int.from_bytes(value, "big", signed=True))
        sign, digits, _ = unscaled.as_tuple()
        return PythonDecimal((sign, digits, -scale))


def _scale(schema: Schema) -> int:
    text = schema.parameters.get(Decimal.SCALE_FIELD)
    if text is None:
        raise DataError(
            "Invalid Decimal schema: scale parameter not found.", code="schema.decimal-scale"
        )
    low, high = INTEGER_RANGES[Type.INT32]
    if len(text) > len(str(low)) or not _INTEGER.fullmatch(text) or not low <= int(text) <= high:
        raise DataError(
            f"Invalid scale parameter found in Decimal schema: {text}", code="schema.decimal-scale"
        )
    return int(text)


def _check_absence(schema: Schema) -> None:
    if not schema.optional:
        raise DataError(
            "Requested conversion of Decimal object but the schema is not nullable and a null was "
            "supplied.",
            code="schema.null-value",
        )


def _other_scale(expected: int, found: int) -> DataError:
    return DataError(
        "Decimal value has mismatching scale for given Decimal schema. "
        f"Schema has scale {expected}, value has scale {found}.",
        code="schema.decimal-scale",
        hint="quantize the value to the scale of the schema",
        facts={"expected": expected, "found": found},
    )
