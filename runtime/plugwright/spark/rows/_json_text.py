"""Converts schemaless values to JSON text and back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from plugwright.converters import JsonConverter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def json_texts(values: Sequence[Any]) -> list[str | None]:
    """Encode each value as the JsonConverter does without schemas; ``None`` stays.

    Raises:
        DataError: if a value cannot be encoded as JSON.
    """
    converter = JsonConverter()
    converter.configure({"schemas.enable": "false"}, is_key=False)
    written = (None if v is None else converter.from_connect_data("", None, v) for v in values)
    return [None if text is None else text.decode() for text in written]


def map_text(value: Mapping[str, Any] | None) -> str | None:
    """Encode a source partition or offset as JSON with sorted keys, so that equal ones match."""
    return None if value is None else json.dumps(value, sort_keys=True, separators=(",", ":"))
