"""Plugins and their settings as the REST API shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.config import key_info
from plugwright.errors import NotFoundError, PluginError
from plugwright.plugins import (
    CONVERTER,
    HEADER_CONVERTER,
    PLUGIN_TYPES,
    PREDICATE,
    SINK,
    SOURCE,
    TRANSFORMATION,
)
from plugwright.rest import BadRequestError, PluginInfo

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.plugins import PluginDescriptor, Plugins

__all__ = ["plugin_config", "plugin_list"]

_LISTED = (SINK, SOURCE, CONVERTER, HEADER_CONVERTER, TRANSFORMATION, PREDICATE)
_UNDEFINED = "undefined"


def plugin_list(plugins: Plugins) -> list[PluginInfo]:
    """The plugins that connectors may name, exact duplicates once, in Kafka's order of kinds."""
    found = {
        (_LISTED.index(p.type), p.class_name, p.version): p
        for p in (*plugins.descriptors, *plugins.builtin)
        if p.type in _LISTED
    }
    return [_info(plugin) for _, plugin in sorted(found.items(), key=lambda item: item[0])]


def plugin_config(
    plugins: Plugins, name: str, version: str | None = None
) -> list[Mapping[str, Any]]:
    """The settings of a plugin, in the order of its definition.

    Raises:
        NotFoundError: if there is no plugin of that name and version.
        BadRequestError: if it is of a kind that connectors do not name.
        PluginError: if the plugin fails at telling.
    """
    plugin = _find(plugins, name, version)
    if plugin.type not in _LISTED:
        raise BadRequestError(
            f"Invalid plugin class {name}. Valid types are sink, source, converter, "
            "header_converter, transformation, predicate."
        )
    try:
        definition = plugins.load(plugin)().config()
    except (Exception, SystemExit) as error:
        raise PluginError(
            f"{plugin.class_name} {plugin.version} failed in config: {error}",
            facts={"plugin": plugin.class_name, "version": plugin.version, "phase": "config"},
        ) from error
    return [key_info(key) for key in definition.keys.values()]


def _find(plugins: Plugins, name: str, version: str | None) -> PluginDescriptor:
    try:
        if version:
            return plugins.find(name, *PLUGIN_TYPES, version=version)
        return plugins.find(name, *PLUGIN_TYPES)
    except NotFoundError as error:
        raise NotFoundError(
            f"Unknown plugin {name}.", code=error.code, hint=error.hint, facts=error.facts
        ) from error


def _info(plugin: PluginDescriptor) -> PluginInfo:
    version = None if plugin.version == _UNDEFINED else plugin.version
    return PluginInfo(plugin.class_name, plugin.type.name, version)
