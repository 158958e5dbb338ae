"""Plugins and their settings in the form of the REST API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.config import import_class, key_info
from plugwright.control_plane import BadRequestError, PluginInfo
from plugwright.errors import ConnectError, NotFoundError
from plugwright.herder._connector_config import CONNECTOR_CONFIG
from plugwright.herder._named_plugins import NamedPlugin
from plugwright.herder._plugin_versions import CONVERTER_KEYS, NO_SUCH_VERSION
from plugwright.herder._shown_settings import shown_settings
from plugwright.herder.delivery import delivery_definitions
from plugwright.herder.reload_config import RELOAD_CONFIG
from plugwright.plugins import JAVA_NAMES, NAMED_BY_CONNECTORS, PLUGIN_TYPES, SINK, SOURCE
from plugwright.transforms import chain_config_def

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plugwright.herder._worker_interface import Worker
    from plugwright.plugins import PluginDescriptor, Plugins

_UNDEFINED = "undefined"


def plugin_list(plugins: Plugins) -> list[PluginInfo]:
    """The plugins that connectors may name, without exact duplicates, in Kafka's order of types."""
    found = {
        (NAMED_BY_CONNECTORS.index(p.type), p.java_name or p.class_name, p.version): p
        for p in (*plugins.descriptors, *plugins.builtin)
        if p.type in NAMED_BY_CONNECTORS
    }
    return [_info(plugin) for _, plugin in sorted(found.items(), key=lambda item: item[0])]


def plugin_config(
    plugins: Plugins, worker: Worker, name: str, version: str | None = None
) -> list[Mapping[str, Any]]:
    """The settings of a plugin, in the order of its definition.

    Args:
        plugins: the installed plugins.
        worker: retrieves the plugin's settings.
        name: class name or alias.
        version: an exact version or a range (KIP-891); ``None`` for the newest.

    Raises:
        NotFoundError: if there is no plugin of that name.
        BadRequestError: if the version is not installed, or connectors cannot name plugins of
            this type.
        PluginError: if the plugin fails to return its settings.
        ConnectError: if the class is abstract.
    """
    plugin = _find(plugins, name, version)
    if plugin.type not in NAMED_BY_CONNECTORS:
        raise BadRequestError(
            f"Invalid plugin class {name}. Valid types are sink, source, converter, "
            "header_converter, transformation, predicate."
        )
    own = worker.definition_of(plugin)
    return [*own, *_of_connectors(plugins.find(plugin.class_name, plugin.type), own)]


def _of_connectors(
    plugin: PluginDescriptor, own: Sequence[Mapping[str, Any]]
) -> Iterator[Mapping[str, Any]]:
    """The settings that every connector of a type has in addition to its own."""
    if plugin.type not in {SINK, SOURCE}:
        return
    sink = plugin.type is SINK
    chain = chain_config_def({}, import_class)
    defined = [CONNECTOR_CONFIG, chain, RELOAD_CONFIG, *delivery_definitions({}, sink=sink)]
    keys = [key_info(key) for each in defined for key in each.keys.values()]
    named = {"connector.class": NamedPlugin(plugin)} | dict.fromkeys(
        CONVERTER_KEYS, NamedPlugin(None)
    )
    names = {each["name"] for each in own}
    _, shown = shown_settings((), keys, named, {}, sink=sink)
    yield from (each for each in shown if each["name"] not in names)


def _find(plugins: Plugins, name: str, version: str | None) -> PluginDescriptor:
    try:
        if version is not None:
            return plugins.find(name, *PLUGIN_TYPES, version=version)
        return plugins.find(name, *PLUGIN_TYPES)
    except NotFoundError as error:
        if error.code == NO_SUCH_VERSION:
            raise BadRequestError(str(error)) from error
        if f"{name}$Value" in JAVA_NAMES:
            raise ConnectError(
                f"{name} is abstract: name {name}$Key or {name}$Value",
                code="plugin.abstract",
                facts={"name": name},
            ) from error
        raise NotFoundError(
            f"Unknown plugin {name}.", code=error.code, hint=error.hint, facts=error.facts
        ) from error


def _info(plugin: PluginDescriptor) -> PluginInfo:
    version = None if plugin.version == _UNDEFINED else plugin.version
    return PluginInfo(plugin.class_name, plugin.type.name, version)
