"""Validates a connector's whole configuration and reports all problems at once."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from plugwright.config import (
    ConfigValue,
    HiddenTexts,
    Resolution,
    infos_of,
    key_info,
    require_valid,
    resolve_references,
)
from plugwright.herder._client_settings import shown_overrides
from plugwright.herder._connector_config import CONNECTOR_CONFIG, ConnectorConfig
from plugwright.herder._delivery import delivery_definitions, validate_delivery
from plugwright.herder._engine_config import ENGINE_CONFIG, validate_engine
from plugwright.herder._error_config import dead_letter_problems, duplicate_topics, validate_errors
from plugwright.herder._named_plugins import named_plugins
from plugwright.herder._override_policy import validate_overrides
from plugwright.herder._plugin_choices import PluginChoices
from plugwright.herder._plugin_versions import (
    CONVERTER_KEYS,
    PLUGIN_VERSION,
    chain_versions,
    without_versions,
)
from plugwright.herder._reload_config import RELOAD_CONFIG
from plugwright.herder._shown_settings import in_java_order, is_judged_apart, shown_settings
from plugwright.herder._sink_config import with_sink_problems
from plugwright.hosts import ChainSetup, ConverterSetup, HostedConnector, provider_class
from plugwright.plugins import CONFIG_PROVIDER, CONVERTER, HEADER_CONVERTER, SINK
from plugwright.worker import ERROR_CONFIG

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plugwright.herder._worker_config import WorkerConfig
    from plugwright.hosts import PluginHosts
    from plugwright.override_policy import ClientConfigOverridePolicy
    from plugwright.plugins import PluginDescriptor, Plugins


@dataclass(frozen=True, slots=True)
class CheckedConnector:
    """A connector with a valid configuration, not started.

    Attributes:
        config: the configuration, with references to config providers resolved.
        plugin: the connector's plugin.
        connector: a new, uninitialised instance of it in its own process.
        supplied: maps each value that a config provider supplied to its reference.
    """

    config: ConnectorConfig
    plugin: PluginDescriptor
    connector: HostedConnector
    supplied: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class ConfigValidation:
    """The result of validating a configuration.

    Attributes:
        config: the configuration, with references to config providers resolved.
        plugin: the connector's plugin; ``None`` if the requested version is not installed.
        connector: a new instance of it, with the plugins around its tasks.
        values: every setting with its problems, in Kafka's order.
        definitions: every defined setting, as the REST API shows it.
        class_name: the value of ``connector.class`` as written.
        supplied: maps each value that a config provider supplied to its reference.
        own: the settings that the connector itself defines.
    """

    config: Mapping[str, str] = field(repr=False)
    plugin: PluginDescriptor | None
    connector: HostedConnector
    values: Sequence[ConfigValue]
    definitions: Sequence[Mapping[str, Any]]
    class_name: str
    supplied: Mapping[str, str] = field(repr=False)
    own: frozenset[str] = frozenset()

    def infos(self) -> dict[str, Any]:
        """The validation result, ready for JSON."""
        infos = infos_of(self.class_name, self.definitions, self.values)
        # Overrides that no client knows are listed last, after all settings with a definition.
        infos["configs"].sort(key=_is_unknown_override)
        return infos


def _is_unknown_override(config: Mapping[str, Any]) -> bool:
    return config["definition"] is None and ".override." in config["value"]["name"]


def check_connector(
    resolution: Resolution,
    worker: WorkerConfig,
    hosts: PluginHosts,
    policy: ClientConfigOverridePolicy,
    hidden: HiddenTexts,
) -> CheckedConnector:
    """Validate a configuration and create its connector.

    Values that config providers supplied are added to ``hidden``.

    Raises:
        ConfigError: naming every setting that is missing or wrong.
        NotFoundError: if no plugin has that class name or alias.
        DiscoveryError: if the plugin cannot be loaded.
        PluginError: if the plugin fails, hangs or ends its process when it is created or called.
    """
    found = _validate(resolution, worker, hosts, policy, hidden)
    try:
        require_valid(found.values, found.config)
        assert found.plugin is not None  # noqa: S101  # its absence is a problem of its version
        config = ConnectorConfig.parse(found.config)
        if found.plugin.type is SINK:
            config.require_topics()
    except BaseException:
        found.connector.stop()
        raise
    return CheckedConnector(config, found.plugin, found.connector, found.supplied)


@contextmanager
def validated_config(
    properties: Mapping[str, str | None],
    worker: WorkerConfig,
    hosts: PluginHosts,
    policy: ClientConfigOverridePolicy,
    hidden: HiddenTexts,
) -> Iterator[ConfigValidation]:
    """Validate a configuration without starting the connector.

    Values that config providers supply are added to ``hidden``.

    Raises:
        ConfigError: if it does not name its connector class.
        NotFoundError: if no plugin has that class name or alias.
        DiscoveryError: if the plugin cannot be loaded.
        PluginError: if the plugin fails, hangs or ends its process when it is created or called.
    """
    resolution = resolved_config(properties, worker, hosts)
    found = _validate(resolution, worker, hosts, policy, hidden)
    try:
        yield replace(found, values=_with_nulls(found, properties))
    finally:
        found.connector.stop()


def _with_nulls(found: ConfigValidation, properties: Mapping[str, str | None]) -> list[ConfigValue]:
    """Add the problem of settings that were given as ``null``.

    The connector validates the settings that it defines itself, as in Kafka Connect.
    """
    nulls = [key for key, value in properties.items() if value is None]
    known = {value.name for value in found.values}
    unknown = [key for key in nulls if key not in known]
    together = [name for name in known if name not in found.own and not is_judged_apart(name)]
    added = map(ConfigValue, in_java_order(unknown, len(together) + len(unknown)))
    refused = {key for key in nulls if key not in found.own}
    message = "Null value can not be supplied as the configuration value."
    return [v.with_error(message) if v.name in refused else v for v in (*found.values, *added)]


def _validate(
    resolution: Resolution,
    worker: WorkerConfig,
    hosts: PluginHosts,
    policy: ClientConfigOverridePolicy,
    hidden: HiddenTexts,
) -> ConfigValidation:
    """Create a connector and validate its configuration.

    The runtime's own settings, those of transformations and predicates, of the connector and of its
    converters are validated together, in this order, as Kafka Connect's herder does.
    """
    hidden.add(resolution.secrets)
    given = resolution.settings
    resolved = {key: value for key, value in given.items() if value is not None}

    def shown(values: Sequence[ConfigValue]) -> list[ConfigValue]:
        return [resolution.discreet_value(value, hidden.hide) for value in values]

    own = CONNECTOR_CONFIG.validate(given)
    if not resolved.get("connector.class"):
        require_valid(shown(CONNECTOR_CONFIG.validate(resolved)))
    choices = PluginChoices(resolved, hosts.plugins)
    plugin = choices.connector()
    kind = plugin.type if plugin else None
    versions = chain_versions(resolved)
    settings = {k: v for k, v in choices.chain().items() if k not in versions.names}
    chain = ChainSetup(settings, choices.pinned, plugin.location if plugin else None)
    converters = list(_converters(given, worker, hosts.plugins, choices))
    connector = HostedConnector(hosts, plugin, given, converters, chain)
    try:
        values = [
            *own,
            *RELOAD_CONFIG.validate(given),
            *_delivery_values(given, worker, plugin, connector),
            *(validate_engine(resolved, sink=kind is SINK) if plugin else ()),
            *versions.validate(given),
            *connector.values,
            *_override_values(policy, resolved, plugin),
        ]
    except BaseException:
        connector.stop()
        raise
    values = [each for each in values if not choices.hides(each.name)]
    overrides = (
        list(shown_overrides(given, sink=kind is SINK, exactly_once=worker.exactly_once))
        if plugin
        else []
    )
    refused = {value.name for value in values}
    values += [value for _, value in overrides if value.name not in refused]
    judged = _judged_sink(values, given, resolved, worker) if kind is SINK else values
    engine = (ENGINE_CONFIG,) if kind is SINK else ()
    defined = [
        CONNECTOR_CONFIG,
        RELOAD_CONFIG,
        *(delivery_definitions(resolved, sink=kind is SINK) if plugin else (ERROR_CONFIG,)),
        *engine,
        versions,
    ]
    own_definitions = [key_info(key) for each in defined for key in each.keys.values()]
    definitions = [
        *own_definitions,
        *(each for each in connector.definitions if not choices.hides(each["name"])),
        *(each for each, _ in overrides if each),
    ]
    values, listed = shown_settings(
        choices.judged(judged),
        definitions,
        named_plugins(given, worker, hosts.plugins, connects=plugin is not None),
        given,
        sink=kind is SINK,
    )
    return ConfigValidation(
        resolved,
        plugin,
        connector,
        shown(values),
        [resolution.discreet_definition(each, hidden.hide) for each in listed],
        resolution.written.get("connector.class", resolved["connector.class"]),
        resolution.supplied,
        connector.own,
    )


def _judged_sink(
    values: Sequence[ConfigValue],
    given: Mapping[str, str | None],
    resolved: Mapping[str, str],
    worker: WorkerConfig,
) -> Sequence[ConfigValue]:
    """Add the problems that a sink's settings have in combination."""
    found = with_sink_problems(values, {"name": "", **given}, worker)
    for key, problem in (*duplicate_topics(resolved), *dead_letter_problems(resolved)):
        found = [each.with_error(problem) if each.name == key else each for each in found]
    return found


def _delivery_values(
    resolved: Mapping[str, str],
    worker: WorkerConfig,
    plugin: PluginDescriptor | None,
    connector: HostedConnector,
) -> Sequence[ConfigValue]:
    """The settings for errors, exactly-once delivery and topics, by connector type."""
    if plugin is None:
        return validate_errors(resolved, sink=False)
    return validate_delivery(resolved, worker, connector, sink=plugin.type is SINK)


def _override_values(
    policy: ClientConfigOverridePolicy,
    resolved: Mapping[str, str],
    plugin: PluginDescriptor | None,
) -> Sequence[ConfigValue]:
    """The overridden client settings that the worker's policy rejects."""
    if plugin is None:
        return validate_overrides(policy, resolved)
    return validate_overrides(policy, resolved, kind=plugin.type.name, class_name=plugin.class_name)


def resolved_config(
    properties: Mapping[str, str | None], worker: WorkerConfig, hosts: PluginHosts
) -> Resolution:
    """Resolve references to config providers, on the worker (KIP-297)."""

    def load(name: str) -> type[Any]:
        return provider_class(hosts.plugins.find(name, CONFIG_PROVIDER), hosts)

    return resolve_references(properties, worker.originals, None, load)


def _converters(
    resolved: Mapping[str, str], worker: WorkerConfig, plugins: Plugins, choices: PluginChoices
) -> Iterator[ConverterSetup]:
    """The converters of the connector, or else of the worker, with their settings.

    A version applies where the converter is named (KIP-891).
    """
    for key in (each for each in CONVERTER_KEYS if resolved.get(each, "") is not None):
        kind = HEADER_CONVERTER if key.startswith("header") else CONVERTER
        own = key in resolved
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
