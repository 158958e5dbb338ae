"""Keeps config provider references in stored task configurations, and resolves them for tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.config import is_reference

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plugwright.config import HiddenTexts, Resolution

_TELLING = 8
"""Minimum length of a supplied text for a match inside a setting not to be a coincidence."""


class References:
    """The references of one connector's configuration (KIP-297).

    A connector receives resolved settings and passes them on to its tasks. Task configurations are
    stored and shown with the references restored, so that no secret gets into the configs topic or
    a REST response: under the same key, as Kafka's ``reverseTransform`` does, and also where a
    connector derived another setting from a supplied value.

    Args:
        raw: the connector's configuration as submitted.
        resolve: replaces references with the current values of the providers.
        hidden: collects the supplied values.
    """

    def __init__(
        self,
        raw: Mapping[str, str],
        resolve: Callable[[Mapping[str, str]], Resolution],
        hidden: HiddenTexts,
    ) -> None:
        self._hidden = hidden
        self._raw = {key: value for key, value in raw.items() if is_reference(value)}
        self._resolve = resolve

    def restored(self, config: Mapping[str, str], supplied: Mapping[str, str]) -> dict[str, str]:
        """Replace supplied values in a task's configuration with the connector's references.

        Args:
            config: the configuration that the connector generated for the task.
            supplied: maps each value that a provider supplied to its reference.
        """
        telling = [text for text in supplied if len(text) >= _TELLING]

        def restored(value: str) -> str:
            for text in sorted(telling, key=len, reverse=True):
                value = value.replace(text, supplied[text])
            return value

        return {key: self._raw.get(key) or restored(value) for key, value in config.items()}

    def resolved(self, config: Mapping[str, str]) -> tuple[Mapping[str, str], frozenset[str]]:
        """Resolve a stored task configuration; also returns the texts that must stay hidden.

        Raises:
            ConfigError: if a provider fails.
        """
        if not any(map(is_reference, config.values())):
            return config, frozenset()
        resolution = self._resolve(config)
        self._hidden.add(resolution.secrets)
        return resolution.settings, resolution.secrets
