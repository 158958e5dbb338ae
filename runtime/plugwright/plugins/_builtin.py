"""The plugins that come with the runtime."""

from __future__ import annotations

from plugwright._version import __version__
from plugwright.plugins._descriptor import PluginDescriptor
from plugwright.plugins._types import CONVERTER, HEADER_CONVERTER

__all__ = ["BUILTIN"]

BUILTIN = tuple(
    PluginDescriptor(
        kind,
        "plugwright.converters",
        name,
        f"plugwright.converters.{name}",
        "plugwright",
        __version__,
    )
    for kind in (CONVERTER, HEADER_CONVERTER)
    for name in ("JsonConverter", "StringConverter")
)
"""Descriptors of everything that a configuration may name without a plugin path."""
