"""Everything that can be known to be wrong with a connector's configuration, all at once."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from plugwright.config import (
    ConfigTransformer,
    ConfigValue,
    config_providers,
    infos_of,
    key_info,
    require_valid,
)
from plugwright.herder._connector_config import CONNECTOR_CONFIG, ConnectorConfig
from plugwright.herder._delivery import delivery_definitions, validate_delivery
from plugwright.herder._engine_config import ENGINE_CONFIG, validate_engine
from plugwright.herder._override_policy import validate_overrides
from plugwright.herder._plugin_choices import PluginChoices
from plugwright.herder._plugin_versions import (
    CONVERTER_KEYS,
    PLUGIN_VERSION,
    chain_versions,
    without_versions,
)
from plugwright.herder._sink_config import with_sink_problems
from plugwright.hosts import ChainSetup, ConverterSetup, HostedConnector, provider_class
from plugwright.plugins import CONFIG_PROVIDER, CONVERTER, HEADER_CONVERTER, SINK

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plugwright.herder._worker_config import WorkerConfig
    from plugwright.hosts import PluginHosts
    from plugwright.override_policy import ClientConfigOverridePolicy
    from plugwright.plugins import PluginDescriptor, Plugins

__all__ = [
    "CheckedConnector",
    "Examination",
    "check_connector",
    "examine",
    "resolved_config",
    "settings_under",
]


@dataclass(frozen=True, slots=True)
class CheckedConnector:
    """A connector whose configuration has no problem that can be seen before it starts.

    Attributes:
        config: the configuration, references to config providers resolved.
        plugin: the plugin that it names.
        connector: a fresh instance of it, not initialised, in its own process.
    """

    config: ConnectorConfig
    plugin: PluginDescriptor
    connector: HostedConnector


@dataclass(frozen=True, slots=True)
class Examination:
    """What was found out about a configuration.

    Attributes:
        config: it, references to config providers resolved.
        plugin: the connector; ``None`` if it is not there in the version that was asked for.
        connector: a fresh instance of it, with what stands around its tasks.
        values: every setting with its problems, in Kafka's order.
        definitions: every setting that has one, as the REST API shows it.
    """

    config: Mapping[str, str]
    plugin: PluginDescriptor | None
    connector: HostedConnector
    values: Sequence[ConfigValue]
    definitions: Sequence[Mapping[str, Any]]

    def infos(self) -> dict[str, Any]:
        """The validation result, ready for JSON."""
        return infos_of(self.config["connector.class"], self.definitions, self.values)


def check_connector(
    properties: Mapping[str, str],
    worker: WorkerConfig,
    hosts: PluginHosts,
    policy: ClientConfigOverridePolicy,
) -> CheckedConnector:
    """Resolve, validate and make a connector; the policy is the worker's.

    Raises:
        ConfigError: naming every setting that is missing or wrong.
        NotFoundError: if no plugin has that class name or alias.
        DiscoveryError: if the plugin cannot be loaded.
        PluginError: if the plugin fails at being made or asked, hangs, or ends its process.
    """
    found = _examined(properties, worker, hosts, policy)
    try:
        require_valid(found.values, found.config)
        assert found.plugin is not None  # noqa: S101  # its absence is a problem of its version
        config = ConnectorConfig.parse(found.config)
        if found.plugin.type is SINK:
            config.require_topics()
    except BaseException:
        found.connector.stop()
        raise
    return CheckedConnector(config, found.plugin, found.connector)


@contextmanager
def examine(
    properties: Mapping[str, str | None],
    worker: WorkerConfig,
    hosts: PluginHosts,
    policy: ClientConfigOverridePolicy,
) -> Iterator[Examination]:
    """Everything that can be known of a configuration without starting it.

    Raises:
        ConfigError: if it does not even name its connector.
        NotFoundError: if no plugin has that class name or alias.
        DiscoveryError: if the plugin cannot be loaded.
        PluginError: if the plugin fails at being made or asked, hangs, or ends its process.
    """
    missing = [key for key, value in properties.items() if value is None]
    given = {key: value for key, value in properties.items() if value is not None}
    found = _examined(given, worker, hosts, policy)
    try:
        yield replace(found, values=_with_nulls(found.values, missing))
    finally:
        found.connector.stop()


def _with_nulls(values: Sequence[ConfigValue], keys: Sequence[str]) -> list[ConfigValue]:
    """Values of settings, with the problem of those that were given as ``null``."""
    known = {value.name for value in values}
    added = [ConfigValue(key) for key in keys if key not in known]
    message = "Null value can not be supplied as the configuration value."
    return [v.with_error(message) if v.name in keys else v for v in (*values, *added)]


def _examined(
    properties: Mapping[str, str],
    worker: WorkerConfig,
    hosts: PluginHosts,
    policy: ClientConfigOverridePolicy,
) -> Examination:
    """Resolve, make and ask a connector.

    The runtime's own settings, those of transformations and predicates, of the connector and of its
    converters are validated together, in this order, as Kafka Connect's herder does.
    """
    resolved = resolved_config(properties, worker, hosts)
    own = CONNECTOR_CONFIG.validate(resolved)
    if not resolved.get("connector.class") or not resolved.get("name"):
        require_valid(own)
    choices = PluginChoices(resolved, hosts.plugins)
    plugin = choices.connector()
    kind = plugin.type if plugin else None
    versions = chain_versions(resolved)
    settings = {k: v for k, v in choices.chain().items() if k not in versions.names}
    chain = ChainSetup(settings, choices.pinned, plugin.location if plugin else None)
    converters = list(_converters(resolved, worker, hosts.plugins, choices))
    connector = HostedConnector(hosts, plugin, resolved, converters, chain)
    try:
        values = [
            *own,
            *_delivery_values(resolved, worker, plugin, connector),
            *(validate_engine(resolved, sink=kind is SINK) if plugin else ()),
            *versions.validate(resolved),
            *connector.values,
            *_override_values(policy, resolved, plugin),
        ]
    except BaseException:
        connector.stop()
        raise
    engine = (ENGINE_CONFIG,) if kind is SINK else ()
    shown = [
        CONNECTOR_CONFIG,
        *delivery_definitions(resolved, sink=kind is SINK),
        *engine,
        versions,
    ]
    definitions = [key_info(key) for each in shown for key in each.keys.values()]
    return Examination(
        resolved,
        plugin,
        connector,
        choices.judged(with_sink_problems(values, resolved, worker) if kind is SINK else values),
        [*definitions, *connector.definitions],
    )


def _delivery_values(
    resolved: Mapping[str, str],
    worker: WorkerConfig,
    plugin: PluginDescriptor | None,
    connector: HostedConnector,
) -> Sequence[ConfigValue]:
    """The settings about errors, exactly-once delivery and topics, once the kind is known."""
    if plugin is None:
        return ()
    return validate_delivery(resolved, worker, connector, sink=plugin.type is SINK)


def _override_values(
    policy: ClientConfigOverridePolicy,
    resolved: Mapping[str, str],
    plugin: PluginDescriptor | None,
) -> Sequence[ConfigValue]:
    """The overridden client settings that the worker's policy refuses."""
    if plugin is None:
        return validate_overrides(policy, resolved)
    return validate_overrides(policy, resolved, kind=plugin.type.name, class_name=plugin.class_name)


def resolved_config(
    properties: Mapping[str, str], worker: WorkerConfig, hosts: PluginHosts
) -> dict[str, str]:
    """The configuration with references to config providers replaced, on the worker (KIP-297)."""

    def load(name: str) -> type[Any]:
        return provider_class(hosts.plugins.find(name, CONFIG_PROVIDER), hosts)

    with config_providers(worker.originals, load) as providers:
        data = ConfigTransformer(providers).transform(properties).data
    return {key: value for key, value in data.items() if value is not None}


def _converters(
    resolved: Mapping[str, str], worker: WorkerConfig, plugins: Plugins, choices: PluginChoices
) -> Iterator[ConverterSetup]:
    """The connector's converters, or the worker's, with the settings that belong to them.

    A version is wanted where the converter is named (KIP-891).
    """
    for key in CONVERTER_KEYS:
        kind = HEADER_CONVERTER if key.startswith("header") else CONVERTER
        own = bool(resolved.get(key))
        origin = resolved if own else worker.originals
        if own:
            plugin = choices.converter(key, kind)
        else:
            default: str = getattr(worker, key.replace(".", "_"))
            version = origin.get(f"{key}.{PLUGIN_VERSION}")
            plugin = plugins.find(default, kind, version=version)
        if plugin is not None:
            settings = without_versions(settings_under(f"{key}.", origin))
            yield ConverterSetup(key, plugin, settings, own)


def settings_under(prefix: str, properties: Mapping[str, str]) -> dict[str, str]:
    """The settings whose keys begin with a prefix, without it."""
    return {k.removeprefix(prefix): v for k, v in properties.items() if k.startswith(prefix)}
