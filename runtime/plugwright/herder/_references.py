"""References to config providers in task configurations: stored as such, resolved for the task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.config import is_reference

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["References"]


class References:
    """The references of one connector's configuration (KIP-297).

    A connector is given resolved settings and hands them on to its tasks. What is stored and shown
    of those are the references again, as Kafka's ``reverseTransform`` has it,
    so that no secret gets into the configs topic or an answer of the REST API.

    Args:
        raw: the connector's configuration as it was given.
        resolve: replaces references with what the providers say now.
    """

    def __init__(
        self,
        raw: Mapping[str, str],
        resolve: Callable[[Mapping[str, str]], Mapping[str, str]],
    ) -> None:
        self._raw = {key: value for key, value in raw.items() if is_reference(value)}
        self._resolve = resolve

    def restored(self, config: Mapping[str, str]) -> dict[str, str]:
        """A task's configuration with the references of the connector's in place of values."""
        return {key: self._raw.get(key, value) for key, value in config.items()}

    def resolved(self, config: Mapping[str, str]) -> Mapping[str, str]:
        """A stored configuration as the task is given it.

        Raises:
            ConfigError: if a provider fails.
        """
        return self._resolve(config) if any(map(is_reference, config.values())) else config
