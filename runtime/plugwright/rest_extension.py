"""Plugins that extend the REST API of a worker (KIP-285)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["RestExtension"]


class RestExtension(ABC):
    """A plugin that extends the REST API (Kafka's ``ConnectRestExtension``, KIP-285).

    It runs in the worker's own process; the worker's setting ``rest.extension.classes`` names it.
    """

    def version(self) -> str:
        """The version of the plugin."""
        return "undefined"

    def configure(self, settings: Mapping[str, str]) -> None:
        """Take the worker's properties, before `register`."""

    @abstractmethod
    def register(self, context: Any) -> None:
        """Add filters and resources, once, before the API opens.

        Args:
            context: a `plugwright.rest.RestExtensionContext`; its package imports this one.
        """

    def close(self) -> None:
        """Release everything, after the API has closed."""
