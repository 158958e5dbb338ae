"""Everything that can be known to be wrong with a connector's configuration, all at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from plugwright.config import (
    ConfigTransformer,
    ConfigValue,
    config_providers,
    require_valid,
    resolving_classes,
)
from plugwright.errors import ConnectError, PluginError
from plugwright.herder._connector_config import CONNECTOR_CONFIG, ConnectorConfig
from plugwright.herder._delivery import validate_delivery
from plugwright.plugins import (
    CONFIG_PROVIDER,
    CONVERTER,
    HEADER_CONVERTER,
    PLUGIN_TYPES,
    SINK,
    SOURCE,
)
from plugwright.transforms import chain_config_def

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from plugwright.connector import Connector
    from plugwright.herder._worker_config import WorkerConfig
    from plugwright.plugins import PluginDescriptor, Plugins

__all__ = ["CheckedConnector", "check_connector", "location_of", "plugin_error", "settings_under"]

_CONVERTERS = ("key.converter", "value.converter", "header.converter")


@dataclass(frozen=True, slots=True)
class CheckedConnector:
    """A connector whose configuration has no problem that can be seen before it starts.

    Attributes:
        config: the configuration, references to config providers resolved.
        plugin: the plugin that it names.
        connector: a fresh instance of it, not initialised.
    """

    config: ConnectorConfig
    plugin: PluginDescriptor
    connector: Connector


def check_connector(
    properties: Mapping[str, str], worker: WorkerConfig, plugins: Plugins
) -> CheckedConnector:
    """Resolve, validate and make a connector.

    The runtime's own settings, those of transformations and predicates, of the connector and of its
    converters are validated together, in this order, as Kafka Connect's herder does.

    Raises:
        ConfigError: naming every setting that is missing or wrong.
        NotFoundError: if no plugin has that class name or alias.
        DiscoveryError: if the plugin cannot be loaded.
        PluginError: if the plugin fails at being made or asked.
    """

    def load(name: str) -> type[Any]:
        return plugins.load(plugins.find(name, *PLUGIN_TYPES))

    resolved = _resolve(properties, worker, plugins)
    own = CONNECTOR_CONFIG.validate(resolved)
    if not resolved.get("connector.class") or not resolved.get("name"):
        require_valid(own)
    plugin = plugins.find(resolved["connector.class"], SOURCE, SINK)
    with resolving_classes(load):
        connector = _make(plugin, plugins)
        require_valid(
            [
                *own,
                *validate_delivery(resolved, worker, connector, sink=plugin.type is SINK),
                *chain_config_def(resolved, load).validate(resolved),
                *_ask(plugin, connector, resolved),
                *_converter_values(resolved, plugins),
            ]
        )
    config = ConnectorConfig.parse(resolved)
    if plugin.type is SINK:
        config.require_topics()
    return CheckedConnector(config, plugin, connector)


def _resolve(
    properties: Mapping[str, str], worker: WorkerConfig, plugins: Plugins
) -> dict[str, str]:
    """The configuration with references to config providers replaced, on the worker (KIP-297)."""

    def load(name: str) -> type[Any]:
        return plugins.load(plugins.find(name, CONFIG_PROVIDER))

    with config_providers(worker.originals, load) as providers:
        data = ConfigTransformer(providers).transform(properties).data
    return {key: value for key, value in data.items() if value is not None}


def _make(plugin: PluginDescriptor, plugins: Plugins) -> Connector:
    try:
        connector: Connector = plugins.load(plugin)()
    except ConnectError:
        raise
    except (Exception, SystemExit) as error:
        raise plugin_error(plugin, "constructor", error) from error
    return connector


def _ask(
    plugin: PluginDescriptor, connector: Connector, resolved: Mapping[str, str]
) -> list[ConfigValue]:
    try:
        return list(connector.validate(resolved))
    except ConnectError:
        raise
    except (Exception, SystemExit) as error:
        raise plugin_error(plugin, "validate", error) from error


def _converter_values(resolved: Mapping[str, str], plugins: Plugins) -> Iterator[ConfigValue]:
    """The settings of the converters that the connector names itself, under their full keys."""
    for key in _CONVERTERS:
        if key in resolved:
            kind = HEADER_CONVERTER if key.startswith("header") else CONVERTER
            definition = plugins.load(plugins.find(resolved[key], kind))().config()
            settings = {"converter.type": key.split(".")[0], **settings_under(f"{key}.", resolved)}
            for value in definition.validate(settings):
                yield replace(value, name=f"{key}.{value.name}")


def settings_under(prefix: str, properties: Mapping[str, str]) -> dict[str, str]:
    """The settings whose keys begin with a prefix, without it."""
    return {k.removeprefix(prefix): v for k, v in properties.items() if k.startswith(prefix)}


def location_of(plugin: PluginDescriptor) -> str:
    """The directory that a plugin is imported from, or an empty string for a built-in one."""
    return str(plugin.location.path.resolve()) if plugin.location else ""


def plugin_error(plugin: PluginDescriptor, phase: str, error: BaseException) -> PluginError:
    """The error for something that a connector raised in a phase such as ``start``."""
    return PluginError(
        f"{plugin.class_name} {plugin.version} failed in {phase}: {error}",
        facts={
            "plugin": plugin.class_name,
            "version": plugin.version,
            "location": location_of(plugin),
            "phase": phase,
            "error": type(error).__name__,
        },
    )
