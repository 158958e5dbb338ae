"""The discovery modes: values of ``plugin.discovery``."""

from __future__ import annotations

from enum import Enum
from typing import Self

from plugwright.errors import ConfigError


class DiscoveryMode(Enum):
    """A mode of KIP-898.

    Attributes:
        scans: whether modules are scanned.
        is_hybrid: whether scan and manifests are compared.
        refuses: whether the worker does not start if they differ.
        documentation: what the documentation of ``plugin.discovery`` states about it.
    """

    ONLY_SCAN = (
        "only_scan",
        True,
        False,
        False,
        "scan the modules of plugin.path, ignoring manifests",
    )
    HYBRID_WARN = (
        "hybrid_warn",
        True,
        True,
        False,
        "use manifests and scan; a warning names the plugins without a manifest",
    )
    HYBRID_FAIL = (
        "hybrid_fail",
        True,
        True,
        True,
        "the same, but the worker does not start if there are such plugins",
    )
    SERVICE_LOAD = (
        "service_load",
        False,
        False,
        False,
        "use only manifests, which is the fastest; plugins without a manifest cannot be used",
    )

    scans: bool
    is_hybrid: bool
    refuses: bool
    documentation: str

    def __new__(
        cls, value: str, scans: bool, is_hybrid: bool, refuses: bool, documentation: str
    ) -> Self:
        """Create a member, whose value is its name in a configuration."""
        mode = object.__new__(cls)
        mode._value_ = value
        mode.scans, mode.is_hybrid, mode.refuses = scans, is_hybrid, refuses
        mode.documentation = documentation
        return mode

    @property
    def requires_manifests(self) -> bool:
        """Whether a worker cannot use a plugin without a manifest."""
        return self.refuses or not self.scans

    @classmethod
    def parse(cls, value: str) -> DiscoveryMode:
        """Parse the value of a worker configuration, in any case.

        Raises:
            ConfigError: if there is no such mode.
        """
        modes = {mode.value: mode for mode in cls}
        try:
            return modes[value.strip().lower()]
        except KeyError:
            names = ", ".join(modes)
            raise ConfigError(
                f"Invalid plugin.discovery value, must be one of [{names}]; found {value!r}",
                code="config.invalid",
                hint=f"set plugin.discovery={cls.HYBRID_WARN.value}, the default",
                facts={"name": "plugin.discovery", "value": value},
            ) from None
