"""Validates a connector's settings together with those of the plugins that they name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.config import key_info
from plugwright.herder._connector_config import CONNECTOR_CONFIG
from plugwright.herder._error_config import dead_letter_problems, duplicate_topics, validate_errors
from plugwright.herder._named_plugins import named_plugins
from plugwright.herder._plugin_choices import PluginChoices
from plugwright.herder._plugin_versions import (
    CONVERTER_KEYS,
    PLUGIN_VERSION,
    chain_versions,
    without_versions,
)
from plugwright.herder._shown_settings import shown_settings
from plugwright.herder._sink_config import with_sink_problems
from plugwright.herder.client_settings import shown_overrides
from plugwright.herder.delivery import delivery_definitions, validate_delivery
from plugwright.herder.engine_config import ENGINE_CONFIG, validate_engine
from plugwright.herder.override_policy import validate_overrides
from plugwright.herder.reload_config import RELOAD_CONFIG
from plugwright.hosts import ChainSetup, ConverterSetup, HostedConnector
from plugwright.plugins import CONVERTER, HEADER_CONVERTER, SINK
from plugwright.worker import ERROR_CONFIG

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from plugwright.config import ConfigValue, Resolution
    from plugwright.herder._worker_config import WorkerConfig
    from plugwright.hosts import PluginHosts
    from plugwright.override_policy import ClientConfigOverridePolicy
    from plugwright.plugins import Plugins


def missing_class(resolution: Resolution) -> Sequence[ConfigValue]:
    """The runtime's own settings with their problems, if ``connector.class`` is missing."""
    resolved = {key: value for key, value in resolution.settings.items() if value is not None}
    return () if resolved.get("connector.class") else CONNECTOR_CONFIG.validate(resolved)


class ConnectorValidation:
    """Validates a connector's settings together with those of the plugins that they name.

    Args:
        given: the settings, some of them ``None``, with references to config providers resolved.
        worker: supplies the converters that the connector does not name.
        plugins: the installed plugins.

    Attributes:
        resolved: the settings that are not null.
        plugin: the connector's plugin; ``None`` if the requested version is not installed.

    Raises:
        ConfigError: if the requested version cannot be parsed.
        NotFoundError: if no plugin has that class name or alias.
    """

    def __init__(self, given: Mapping[str, Any], worker: WorkerConfig, plugins: Plugins) -> None:
        self.resolved = {key: value for key, value in given.items() if value is not None}
        self._given = given
        self._worker = worker
        self._plugins = plugins
        self._choices = PluginChoices(self.resolved, plugins)
        self.plugin = self._choices.connector()
        self._sink = self.plugin is not None and self.plugin.type is SINK
        self._versions = chain_versions(self.resolved)

    def new_connector(self, hosts: PluginHosts) -> HostedConnector:
        """A new instance of the connector, with the plugins around its tasks.

        Raises:
            DiscoveryError: if a plugin cannot be loaded.
            PluginError: if a plugin fails, hangs or ends its process when it is created.
        """
        named = self._choices.chain()
        steps = {key: named[key] for key in named if key not in self._versions.names}
        location = self.plugin.location if self.plugin else None
        chain = ChainSetup(steps, self._choices.pinned, location)
        return HostedConnector(hosts, self.plugin, self._given, list(self._converters()), chain)

    def results(
        self, connector: HostedConnector, policy: ClientConfigOverridePolicy
    ) -> tuple[list[ConfigValue], list[dict[str, Any]]]:
        """Every setting with its problems, and every defined setting, both in Kafka's order.

        Raises:
            ConnectError: if an override of a client setting does not fit its type.
            PluginError: if a plugin fails, hangs or ends its process.
        """
        values = self._validated(connector, policy)
        overrides = list(self._overrides())
        refused = {value.name for value in values}
        values += [value for _, value in overrides if value.name not in refused]
        return shown_settings(
            self._choices.judged(self._with_sink_problems(values)),
            self._definitions(connector, (each for each, _ in overrides if each)),
            named_plugins(
                self._given, self._worker, self._plugins, connects=self.plugin is not None
            ),
            self._given,
            sink=self._sink,
        )

    def _validated(
        self, connector: HostedConnector, policy: ClientConfigOverridePolicy
    ) -> list[ConfigValue]:
        """The values, validated in the order of Kafka Connect's herder.

        These are the runtime's own settings, those of transformations and predicates, of the
        connector and of its converters.
        """
        values = [
            *CONNECTOR_CONFIG.validate(self._given),
            *RELOAD_CONFIG.validate(self._given),
            *self._delivery_values(connector),
            *(validate_engine(self.resolved, sink=self._sink) if self.plugin else ()),
            *self._versions.validate(self._given),
            *connector.values,
            *self._refused_overrides(policy),
        ]
        return [each for each in values if not self._choices.hides(each.name)]

    def _delivery_values(self, connector: HostedConnector) -> Sequence[ConfigValue]:
        """The settings for errors, exactly-once delivery and topics, by connector type."""
        if self.plugin is None:
            return validate_errors(self._given, sink=False)
        return validate_delivery(self._given, self._worker, connector, sink=self._sink)

    def _refused_overrides(self, policy: ClientConfigOverridePolicy) -> Sequence[ConfigValue]:
        """The overridden client settings that the worker's policy rejects."""
        if self.plugin is None:
            return validate_overrides(policy, self.resolved)
        kind, class_name = self.plugin.type.name, self.plugin.class_name
        return validate_overrides(policy, self.resolved, kind=kind, class_name=class_name)

    def _overrides(self) -> Iterable[tuple[dict[str, Any], ConfigValue]]:
        """The overridden client settings, each with its definition, or an empty one."""
        if self.plugin is None:
            return ()
        return shown_overrides(self._given, sink=self._sink, exactly_once=self._worker.exactly_once)

    def _with_sink_problems(self, values: Sequence[ConfigValue]) -> Sequence[ConfigValue]:
        """Add the problems that a sink's settings have in combination."""
        if not self._sink:
            return values
        found = with_sink_problems(values, {"name": "", **self._given}, self._worker)
        problems = (*duplicate_topics(self.resolved), *dead_letter_problems(self.resolved))
        for key, problem in problems:
            found = [each.with_error(problem) if each.name == key else each for each in found]
        return found

    def _definitions(
        self, connector: HostedConnector, overrides: Iterable[Mapping[str, Any]]
    ) -> list[Mapping[str, Any]]:
        """Every defined setting of the runtime, the connector and its clients."""
        delivery = delivery_definitions(self.resolved, sink=self._sink)
        runtime = [
            CONNECTOR_CONFIG,
            RELOAD_CONFIG,
            *(delivery if self.plugin else (ERROR_CONFIG,)),
            *((ENGINE_CONFIG,) if self._sink else ()),
            self._versions,
        ]
        return [
            *(key_info(key) for each in runtime for key in each.keys.values()),
            *(each for each in connector.definitions if not self._choices.hides(each["name"])),
            *overrides,
        ]

    def _converters(self) -> Iterator[ConverterSetup]:
        """The converters of the connector, or else of the worker, with their settings.

        A version applies where the converter is named (KIP-891).
        """
        for key in (each for each in CONVERTER_KEYS if self._given.get(each, "") is not None):
            kind = HEADER_CONVERTER if key.startswith("header") else CONVERTER
            own = key in self._given
            origin = self._given if own else self._worker.originals
            if own:
                plugin = self._choices.converter(key, kind)
            else:
                default: str = getattr(self._worker, key.replace(".", "_"))
                version = origin.get(f"{key}.{PLUGIN_VERSION}")
                plugin = self._plugins.find(default, kind, version=version)
            if plugin is not None:
                settings = without_versions(_settings_under(f"{key}.", origin))
                yield ConverterSetup(key, plugin, settings, own)


def _settings_under(prefix: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    """The settings whose keys begin with a prefix, without it."""
    return {k.removeprefix(prefix): v for k, v in properties.items() if k.startswith(prefix)}
