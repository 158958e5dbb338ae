"""The interface of config providers, which supply values from outside (KIP-297)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


@dataclass(frozen=True, slots=True)
class ConfigData:
    """Values from a provider; printing this does not show them.

    Attributes:
        data: values by key.
        ttl_ms: milliseconds after which they should be fetched again; ``None`` for never.
    """

    data: Mapping[str, str] = field(default_factory=dict, repr=False)
    ttl_ms: int | None = None


class ConfigProvider(ABC):
    """Looks up the value of ``${provider:path:key}`` in a configuration.

    A plugin. The runtime creates it without arguments, configures it once with the settings under
    ``config.providers.<name>.param.``, calls it from any thread, and closes it.
    """

    def configure(self, props: Mapping[str, object]) -> None:
        """Receive the settings of this provider."""

    @abstractmethod
    def get(self, path: str | None, keys: Collection[str] | None = None) -> ConfigData:
        """The values at a path; all of them, or those of ``keys`` that exist."""

    def close(self) -> None:
        """Release all resources; may be called more than once."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
