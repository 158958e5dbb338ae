"""References to config providers in a worker's own properties."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

from plugwright.config import ConfigTransformer, config_providers
from plugwright.hosts import PluginHosts, provider_class
from plugwright.plugins import CONFIG_PROVIDER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.plugins import Plugins

__all__ = ["resolved_properties"]

_ISOLATION = "plugin.isolation"


def resolved_properties(properties: Mapping[str, str], plugins: Plugins) -> dict[str, str]:
    """A worker's properties with references replaced by what its providers say (KIP-297).

    Raises:
        ConfigError: if a provider cannot be made, or fails.
        NotFoundError: if there is no provider of that class.
    """
    if not properties.get("config.providers"):
        return dict(properties)
    isolated = properties.get(_ISOLATION, "process").lower() != "none"
    with closing(PluginHosts(plugins, isolated=isolated)) as hosts:

        def load(name: str) -> type[Any]:
            return provider_class(plugins.find(name, CONFIG_PROVIDER), hosts)

        with config_providers(properties, load) as providers:
            data = ConfigTransformer(providers).transform(dict(properties)).data
    return {key: value for key, value in data.items() if value is not None}
