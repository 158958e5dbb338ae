"""The identity of the plugin under test: name, class and digest."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PluginUnderTest"]


@dataclass(frozen=True, slots=True)
class PluginUnderTest:
    """The certified plugin.

    Attributes:
        name: the distribution's name.
        version: the distribution's version.
        plugin_class: dotted name of the connector class.
        type: ``source`` or ``sink``.
        location: the path that was given.
        digest: SHA-256 of the wheel, or of the sorted file digests of a directory.
        capabilities: what the plugin declares of itself.
    """

    name: str
    version: str
    plugin_class: str
    type: str
    location: str
    digest: str
    capabilities: Mapping[str, object] = field(default_factory=dict)
