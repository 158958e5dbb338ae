"""Converters between Connect's data and the bytes in Kafka."""

from __future__ import annotations

from plugwright.converters._base import Converter, HeaderConverter
from plugwright.converters._json import JsonConverter
from plugwright.converters._string import StringConverter

__all__ = ["Converter", "HeaderConverter", "JsonConverter", "StringConverter"]
