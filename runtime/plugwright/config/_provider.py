"""What a source of configuration values outside the configuration implements (KIP-297)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


@dataclass(frozen=True, slots=True)
class ConfigData:
    """Values from a provider; their text is left out wherever this is printed.

    Attributes:
        data: values by key.
        ttl_ms: milliseconds after which they should be fetched again; ``None`` for never.
    """

    data: Mapping[str, str] = field(default_factory=dict, repr=False)
    ttl_ms: int | None = None


class ConfigProvider(ABC):
    """Looks up what ``${provider:path:key}`` in a configuration stands for.

    A plugin: the runtime makes it without arguments, configures it once with the settings under
    ``config.providers.<name>.param.``, asks it from any thread, and closes it.
    """

    def configure(self, props: Mapping[str, object]) -> None:
        """Take the settings of this provider."""

    @abstractmethod
    def get(self, path: str | None, keys: Collection[str] | None = None) -> ConfigData:
        """The values at a path; all of them, or those of ``keys`` that exist."""

    def close(self) -> None:
        """Release everything; may be called more than once."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
