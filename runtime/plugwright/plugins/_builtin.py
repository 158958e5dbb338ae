"""The plugins that come with the runtime."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright._version import __version__
from plugwright.plugins._descriptor import PluginDescriptor
from plugwright.plugins._types import (
    CONFIG_PROVIDER,
    CONVERTER,
    HEADER_CONVERTER,
    OVERRIDE_POLICY,
    PREDICATE,
    REST_EXTENSION,
    TRANSFORMATION,
)
from plugwright.plugins.java_names import JAVA_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugwright.plugins._types import PluginType

_PREDICATES = ("HasHeaderKey", "RecordIsTombstone", "TopicNameMatches")
_ALSO_FOR_HEADERS = ("JsonConverter", "StringConverter")
_PRIMITIVES = ("Boolean", "Double", "Float", "Integer", "Long", "Short")


def _kinds(package: str, name: str) -> Iterator[PluginType]:
    """Every plugin type of one of our own classes."""
    if package == "plugwright.config":
        yield CONFIG_PROVIDER
    elif package == "plugwright.rest":
        yield REST_EXTENSION
    elif package == "plugwright.override_policy":
        yield OVERRIDE_POLICY
    elif package == "plugwright.transforms":
        yield PREDICATE if name in _PREDICATES else TRANSFORMATION
    elif name == "SimpleHeaderConverter":
        yield HEADER_CONVERTER
    else:
        yield CONVERTER
        if name in _ALSO_FOR_HEADERS or name.removesuffix("Converter") in (
            *_PRIMITIVES,
            "ByteArray",
        ):
            yield HEADER_CONVERTER


def _builtin() -> Iterator[PluginDescriptor]:
    for class_name in sorted(JAVA_NAMES.values()):
        package, _, name = class_name.removeprefix("plugwright.").partition(".")
        if class_name.startswith("plugwright."):
            package = f"plugwright.{package}"
            for kind in _kinds(package, name):
                yield PluginDescriptor(kind, package, name, class_name, "plugwright", __version__)


BUILTIN = tuple(_builtin())
"""Descriptors of everything that a configuration can name without a plugin path."""
