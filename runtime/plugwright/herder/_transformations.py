"""The transformations of a connector, checked on the driver and described for its task hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.herder._plugin_choices import PluginChoices
from plugwright.herder._plugin_versions import CHAIN_KINDS, chain_versions
from plugwright.spark import ClassReference
from plugwright.transforms import TransformationChain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.plugins import Location, Plugins

__all__ = ["transformations"]


def transformations(
    properties: Mapping[str, str], plugins: Plugins, location: Location | None = None
) -> tuple[Mapping[str, str], Mapping[str, ClassReference]]:
    """The settings of a connector's chain, and the classes they name.

    Args:
        properties: the configuration of the connector, resolved.
        plugins: what there is.
        location: that of the connector, whose copies come first where no version is wanted.

    Raises:
        ConfigError: naming every setting that is missing or wrong.
    """
    # What chooses a plugin is no setting of the plugin.
    versions = chain_versions(properties).names
    choices = PluginChoices(properties, plugins, location)
    settings = {
        key: value
        for key, value in choices.chain().items()
        if key.split(".", 1)[0] in CHAIN_KINDS and key not in versions
    }
    named: dict[str, ClassReference] = {}

    def resolve(name: str) -> type[Any]:
        found = choices.load(name)
        named[name] = ClassReference.to(found)
        return found

    TransformationChain[Any].compile(settings, resolve).close()
    return settings, named
