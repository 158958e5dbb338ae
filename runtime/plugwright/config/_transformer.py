"""Replaces references in a configuration with values from config providers (KIP-297)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from plugwright.errors import ConfigError, ConnectError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from plugwright.config._provider import ConfigData, ConfigProvider

_REFERENCE: Final = re.compile(r"\$\{(?:([^}:]*+):(?:([^}:]*+):)?([^}]*+)\}|[^}:]*+\}|[^}]*+\Z)")
"""Matches a reference, or a text that only begins like one.

The latter is matched as a whole, so that a search reads no text twice.
"""


@dataclass(frozen=True, slots=True)
class ConfigTransformerResult:
    """A resolved configuration; printing this does not show its values.

    Attributes:
        data: the configuration with references replaced.
        ttls: the shortest time in milliseconds, by path, after which values should be fetched
            again; Connect restarts a connector then if ``config.action.reload`` is ``restart``.
        supplied: the values that providers supplied for references; likely secrets.
    """

    data: Mapping[str, str | None] = field(repr=False)
    ttls: Mapping[str, int]
    supplied: Mapping[str, str] = field(default_factory=dict, repr=False)


class ConfigTransformer:
    """Resolves ``${provider:[path:]key}`` with a set of providers.

    Unresolvable references stay as they are; a provider's values are not resolved again.

    Args:
        providers: the providers by the names that references use.
    """

    def __init__(self, providers: Mapping[str, ConfigProvider]) -> None:
        self._providers = providers

    def transform(self, configs: Mapping[str, str | None]) -> ConfigTransformerResult:
        """Replace every reference, calling each provider once for each path.

        Raises:
            ConfigError: if a provider fails.
        """
        answers = {
            (name, path): self._ask(name, path, keys)
            for (name, path), keys in _requests(configs.values()).items()
            if name in self._providers
        }

        supplied: dict[str, str] = {}

        def resolved(reference: re.Match[str]) -> str:
            name, path, key = _parts(reference)
            answer = answers.get((name, path))
            value = None if answer is None else answer.data.get(key)
            if value is None:
                return reference[0]
            supplied[str(value)] = reference[0]
            return str(value)

        data = {
            key: None if value is None else _REFERENCE.sub(resolved, value)
            for key, value in configs.items()
        }
        return ConfigTransformerResult(data, _shortest(answers), supplied)

    def _ask(self, name: str, path: str, keys: Iterable[str]) -> ConfigData:
        try:
            return self._providers[name].get(path, frozenset(keys))
        except ConnectError:
            raise
        except Exception as error:
            raise ConfigError(
                f"The config provider {name} failed with {type(error).__name__} on path '{path}'",
                code="config.provider-failed",
                hint="check the provider's settings and that its store answers",
                facts={"provider": name, "path": path},
            ) from error


def is_reference(value: object) -> bool:
    """Whether a raw value contains a reference."""
    return isinstance(value, str) and any(True for _ in _references([value]))


def _requests(values: Iterable[str | None]) -> dict[tuple[str, str], list[str]]:
    """The keys that references name, by provider and path."""
    requests: dict[tuple[str, str], list[str]] = {}
    for name, path, key in _references(values):
        requests.setdefault((name, path), []).append(key)
    return requests


def _references(values: Iterable[str | None]) -> Iterator[tuple[str, str, str]]:
    for value in values:
        for found in _REFERENCE.finditer(value or ""):
            if found[1] is not None:
                yield _parts(found)


def _parts(reference: re.Match[str]) -> tuple[str, str, str]:
    return reference[1], reference[2] or "", reference[3]


def _shortest(answers: Mapping[tuple[str, str], ConfigData]) -> dict[str, int]:
    ttls: dict[str, int] = {}
    for (_, path), answer in answers.items():
        if answer.ttl_ms is not None and answer.ttl_ms >= 0:
            ttls[path] = min(answer.ttl_ms, ttls.get(path, answer.ttl_ms))
    return ttls
