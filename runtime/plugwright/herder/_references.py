"""References to config providers in task configurations: stored as such, resolved for the task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.config import is_reference

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plugwright.config import HiddenTexts, Resolution

_TELLING = 8
"""From so many characters on, a text that a provider supplied stands in a setting by no chance."""


class References:
    """The references of one connector's configuration (KIP-297).

    A connector is given resolved settings and hands them on to its tasks. What is stored and shown
    of those are the references again, so that no secret gets into the configs topic or an answer of
    the REST API: under the same key, as Kafka's ``reverseTransform`` has it, and also where a
    connector made another setting of what a provider supplied.

    Args:
        raw: the connector's configuration as it was given.
        resolve: replaces references with what the providers say now.
        hidden: takes up what they say.
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
        """A task's configuration with the references of the connector's in place of values.

        Args:
            config: what the connector wants of the task.
            supplied: what providers told the connector, with the reference that it stands for.
        """
        telling = [text for text in supplied if len(text) >= _TELLING]

        def restored(value: str) -> str:
            for text in sorted(telling, key=len, reverse=True):
                value = value.replace(text, supplied[text])
            return value

        return {key: self._raw.get(key) or restored(value) for key, value in config.items()}

    def resolved(self, config: Mapping[str, str]) -> tuple[Mapping[str, str], frozenset[str]]:
        """A stored configuration as the task is given it, and what of it is not to be shown.

        Raises:
            ConfigError: if a provider fails.
        """
        if not any(map(is_reference, config.values())):
            return config, frozenset()
        resolution = self._resolve(config)
        self._hidden.add(resolution.secrets)
        return resolution.settings, resolution.secrets
