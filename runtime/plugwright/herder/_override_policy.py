"""Which settings of its Kafka clients a connector may override (KIP-458)."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from plugwright.config import ConfigValue

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["OverridePolicy", "validate_overrides"]

_PREFIXES = ("producer.override.", "consumer.override.", "admin.override.")
_PRINCIPAL = frozenset({"sasl.jaas.config", "sasl.mechanism", "security.protocol"})


class OverridePolicy(Enum):
    """Kafka Connect's three policies, by the names that configurations use."""

    ALL = "All"
    NONE = "None"
    PRINCIPAL = "Principal"

    @classmethod
    def of(cls, name: str) -> OverridePolicy:
        """The policy that a setting names, by its alias or Java class name in any case.

        Raises:
            ValueError: if there is none of that name.
        """
        simple = name.rpartition(".")[2].removesuffix("ConnectorClientConfigOverridePolicy")
        for policy in cls:
            if policy.value.lower() == simple.lower():
                return policy
        raise ValueError(name)

    def allows(self, setting: str) -> bool:
        """Whether a connector may override a client's setting."""
        if self is OverridePolicy.PRINCIPAL:
            return setting in _PRINCIPAL
        return self is OverridePolicy.ALL


def validate_overrides(
    policy: OverridePolicy, properties: Mapping[str, str]
) -> Sequence[ConfigValue]:
    """The overrides of a connector that the worker's policy does not allow, each with its error."""
    found = []
    for key, value in properties.items():
        prefix = next((prefix for prefix in _PREFIXES if key.startswith(prefix)), None)
        if prefix is None or policy.allows(key.removeprefix(prefix)):
            continue
        message = (
            f"The '{policy.value}' policy does not allow '{key.removeprefix(prefix)}' to be "
            "overridden in the connector configuration."
        )
        found.append(ConfigValue(key, value).with_error(message))
    return found
