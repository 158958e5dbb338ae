"""Converters between a source and a sink, by wire format."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from plugwright.converters import AvroConverter, JsonConverter, StringConverter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.converters import Converter


def wire_formats(*, text: bool) -> Mapping[str, Converter]:
    """Converters by the name of their format.

    Args:
        text: whether the values are strings, so that plain text and JSON without schemas carry them
            without loss.
    """
    formats: dict[str, Converter] = {"JSON with schemas": _json(enveloped=True)}
    if text:
        formats["JSON without schemas"] = _json(enveloped=False)
        formats["plain text"] = StringConverter()
    if avro := _avro():
        formats["Avro"] = avro
    return formats


def _json(*, enveloped: bool) -> JsonConverter:
    converter = JsonConverter()
    settings = {
        "schemas.enable": str(enveloped).lower(),
        "replace.null.with.default": "false",
        "converter.type": "value",
    }
    converter.configure(settings, is_key=False)
    return converter


def _avro() -> Converter | None:
    """Avro over a registry in memory, where its packages are installed."""
    if find_spec("fastavro") is None:
        return None
    converter = AvroConverter()
    converter.configure({"schema.registry.url": "mock://conformance"}, is_key=False)
    return converter
