"""How plugins are looked for: the values of ``plugin.discovery``."""

from __future__ import annotations

from enum import Enum

from plugwright.errors import ConfigError

__all__ = ["DiscoveryMode"]


class DiscoveryMode(Enum):
    """A mode of KIP-898."""

    ONLY_SCAN = "only_scan"
    HYBRID_WARN = "hybrid_warn"
    HYBRID_FAIL = "hybrid_fail"
    SERVICE_LOAD = "service_load"

    @classmethod
    def parse(cls, value: str) -> DiscoveryMode:
        """The mode that a worker configuration names, in any case.

        Raises:
            ConfigError: if there is no such mode.
        """
        try:
            return cls(value.strip().lower())
        except ValueError:
            names = ", ".join(mode.value for mode in cls)
            raise ConfigError(
                f"Invalid plugin.discovery value, must be one of [{names}]; found {value!r}",
                code="config.invalid",
                hint=f"set plugin.discovery={cls.HYBRID_WARN.value}, the default",
                facts={"name": "plugin.discovery", "value": value},
            ) from None

    @property
    def scans(self) -> bool:
        """Whether modules are looked into."""
        return self is not DiscoveryMode.SERVICE_LOAD

    @property
    def is_hybrid(self) -> bool:
        """Whether scan and manifests are compared."""
        return self in {DiscoveryMode.HYBRID_WARN, DiscoveryMode.HYBRID_FAIL}
