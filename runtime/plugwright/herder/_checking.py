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
    require_valid,
    resolve_references,
)
from plugwright.herder._connector_config import ConnectorConfig
from plugwright.herder._connector_validation import ConnectorValidation, missing_class
from plugwright.herder._shown_settings import in_java_order, is_judged_apart
from plugwright.hosts import HostedConnector, provider_class
from plugwright.plugins import CONFIG_PROVIDER, SINK

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plugwright.herder._worker_config import WorkerConfig
    from plugwright.hosts import PluginHosts
    from plugwright.override_policy import ClientConfigOverridePolicy
    from plugwright.plugins import PluginDescriptor


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
    """Create a connector and validate its configuration."""
    hidden.add(resolution.secrets)

    def shown(values: Sequence[ConfigValue]) -> list[ConfigValue]:
        return [resolution.discreet_value(value, hidden.hide) for value in values]

    require_valid(shown(missing_class(resolution)))
    validation = ConnectorValidation(resolution.settings, worker, hosts.plugins)
    connector = validation.new_connector(hosts)
    try:
        values, definitions = validation.results(connector, policy)
    except BaseException:
        connector.stop()
        raise
    return ConfigValidation(
        validation.resolved,
        validation.plugin,
        connector,
        shown(values),
        [resolution.discreet_definition(each, hidden.hide) for each in definitions],
        resolution.written.get("connector.class", validation.resolved["connector.class"]),
        resolution.supplied,
        connector.own,
    )


def resolved_config(
    properties: Mapping[str, str | None], worker: WorkerConfig, hosts: PluginHosts
) -> Resolution:
    """Resolve references to config providers, on the worker (KIP-297)."""

    def load(name: str) -> type[Any]:
        return provider_class(hosts.plugins.find(name, CONFIG_PROVIDER), hosts)

    return resolve_references(properties, worker.originals, None, load)
