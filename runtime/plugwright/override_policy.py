"""Plugins that say which settings of its Kafka clients a connector may override (KIP-458)."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from plugwright.config import (
    ConfigDef,
    ConfigType,
    ConfigValue,
    Importance,
    ValidList,
    require_valid,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "AllConnectorClientConfigOverridePolicy",
    "AllowlistConnectorClientConfigOverridePolicy",
    "ClientConfigOverridePolicy",
    "ClientConfigRequest",
    "NoneConnectorClientConfigOverridePolicy",
    "PrincipalConnectorClientConfigOverridePolicy",
]

log = logging.getLogger(__name__)

ALLOWLIST: Final = "connector.client.config.override.allowlist"
_PRINCIPAL: Final = frozenset({"sasl.jaas.config", "sasl.mechanism", "security.protocol"})
_ALLOWLIST_CONFIG: Final = ConfigDef().define(
    ALLOWLIST,
    ConfigType.LIST,
    "",
    Importance.MEDIUM,
    "Client settings that connectors may override under the policy Allowlist; none if it is empty.",
    validator=ValidList.any_non_duplicate_values(empty_allowed=True, null_allowed=False),
)


@dataclass(frozen=True, slots=True)
class ClientConfigRequest:
    """The overrides of one kind of client (``ConnectorClientConfigRequest``).

    Attributes:
        connector: its name.
        connector_type: ``source`` or ``sink``.
        connector_class: class name of its plugin.
        client_type: ``producer``, ``consumer`` or ``admin``.
        settings: the overridden settings, without the prefix.
    """

    connector: str
    connector_type: str
    connector_class: str
    client_type: str
    settings: Mapping[str, str]


class ClientConfigOverridePolicy(ABC):
    """Judges the overrides of connectors (``ConnectorClientConfigOverridePolicy``).

    A worker has one, which its setting ``connector.client.config.override.policy`` names.
    """

    def configure(self, settings: Mapping[str, str]) -> None:
        """Take the worker's properties."""

    @abstractmethod
    def validate(self, request: ClientConfigRequest) -> Sequence[ConfigValue]:
        """The overridden settings, under their names in the request, each with its problems."""

    def close(self) -> None:
        """Release everything."""


class _ByName(ClientConfigOverridePolicy):
    """A policy that looks only at the names of settings."""

    policy_name: str

    @abstractmethod
    def allows(self, setting: str) -> bool:
        """Whether a connector may override it."""

    def validate(self, request: ClientConfigRequest) -> Sequence[ConfigValue]:
        """Every overridden setting; those that are not allowed in Kafka's words."""
        return [self._judged(key, value) for key, value in request.settings.items()]

    def _judged(self, key: str, value: str) -> ConfigValue:
        judged = ConfigValue(key, value)
        if self.allows(key):
            return judged
        return judged.with_error(
            f"The '{self.policy_name}' policy does not allow '{key}' to be "
            "overridden in the connector configuration."
        )


class AllConnectorClientConfigOverridePolicy(_ByName):
    """Any setting may be overridden, which is the default."""

    policy_name = "All"

    def allows(self, setting: str) -> bool:  # noqa: ARG002  # whichever it is
        """Yes."""
        return True


class NoneConnectorClientConfigOverridePolicy(_ByName):
    """No setting may be overridden."""

    policy_name = "None"

    def allows(self, setting: str) -> bool:  # noqa: ARG002  # whichever it is
        """No."""
        return False


class PrincipalConnectorClientConfigOverridePolicy(_ByName):
    """Only what says who the connector is may be overridden."""

    policy_name = "Principal"

    def allows(self, setting: str) -> bool:
        """Whether it is about the connector's principal."""
        return setting in _PRINCIPAL


class AllowlistConnectorClientConfigOverridePolicy(_ByName):
    """Only what the worker lists may be overridden (KIP-1188).

    The worker's setting ``connector.client.config.override.allowlist`` is the list.
    """

    policy_name = "Allowlist"

    def __init__(self) -> None:
        self._allowed: frozenset[str] = frozenset()

    def configure(self, settings: Mapping[str, str]) -> None:
        """Read the list.

        Raises:
            ConfigError: if it names a setting twice.
        """
        require_valid(_ALLOWLIST_CONFIG.validate(settings))
        self._allowed = frozenset(_ALLOWLIST_CONFIG.parse(settings)[ALLOWLIST])
        log.info("connectors may override these client settings: %s", sorted(self._allowed))

    def allows(self, setting: str) -> bool:
        """Whether the list has it."""
        return setting in self._allowed
