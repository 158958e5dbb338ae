"""Resolves config provider references in a worker's own properties."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

from plugwright.config import resolve_references
from plugwright.hosts import PluginHosts, provider_class
from plugwright.plugins import CONFIG_PROVIDER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.config import HiddenTexts
    from plugwright.plugins import Plugins

_ISOLATION = "plugin.isolation"


def resolved_properties(
    properties: Mapping[str, str], plugins: Plugins, hidden: HiddenTexts
) -> dict[str, str]:
    """Replace references in a worker's properties with the values of its providers (KIP-297).

    Args:
        properties: as written.
        plugins: include the providers.
        hidden: collects the supplied values.

    Raises:
        ConfigError: if a provider cannot be created, or fails.
        NotFoundError: if there is no provider of that class.
    """
    if not properties.get("config.providers"):
        return dict(properties)
    isolated = properties.get(_ISOLATION, "process").lower() != "none"
    with closing(PluginHosts(plugins, isolated=isolated)) as hosts:

        def load(name: str) -> type[Any]:
            return provider_class(plugins.find(name, CONFIG_PROVIDER), hosts)

        resolution = resolve_references(properties, properties, None, load)
    hidden.add(resolution.secrets)
    return resolution.settings
