"""Converters between Connect's data and the bytes in Kafka."""

from __future__ import annotations

from plugwright.converters._avro import AvroConverter
from plugwright.converters._base import Converter, HeaderConverter
from plugwright.converters._json import JsonConverter
from plugwright.converters._primitive import (
    BooleanConverter,
    ByteArrayConverter,
    DoubleConverter,
    FloatConverter,
    IntegerConverter,
    LongConverter,
    ShortConverter,
)
from plugwright.converters._string import SimpleHeaderConverter, StringConverter

__all__ = [
    "AvroConverter",
    "BooleanConverter",
    "ByteArrayConverter",
    "Converter",
    "DoubleConverter",
    "FloatConverter",
    "HeaderConverter",
    "IntegerConverter",
    "JsonConverter",
    "LongConverter",
    "ShortConverter",
    "SimpleHeaderConverter",
    "StringConverter",
]
