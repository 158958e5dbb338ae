"""Runs connectors in plugin processes and their tasks on Spark."""

from __future__ import annotations

import time
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from plugwright.config import HiddenTexts
from plugwright.errors import ConfigError, ConnectError
from plugwright.herder._checking import check_connector, resolved_config, validated_config
from plugwright.herder._plugin_choices import PluginChoices
from plugwright.herder._references import References
from plugwright.herder.connector_offsets import offsets_of
from plugwright.herder.context import HerderContext
from plugwright.herder.delivery import fencing_client
from plugwright.herder.engine_config import is_streamed
from plugwright.herder.override_policy import override_policy
from plugwright.herder.plugin_uses import plugin_uses
from plugwright.herder.reload_config import restarts_on_reload
from plugwright.herder.spark_connector import SparkConnector
from plugwright.kafka import fence_producers
from plugwright.logs import LogContext, in_context
from plugwright.metrics import OwnPluginMetrics, reported_figures
from plugwright.plugins import SINK, SOURCE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from plugwright.config import Resolution
    from plugwright.herder._checking import CheckedConnector
    from plugwright.herder._offset_file import OffsetFile
    from plugwright.herder._worker_config import WorkerConfig
    from plugwright.herder._worker_interface import Offsets, StartRequest
    from plugwright.herder.connector_offsets import StoredOffsets
    from plugwright.herder.plugin_uses import PluginUse
    from plugwright.herder.spark_connector import TaskLauncher
    from plugwright.hosts import PluginHosts
    from plugwright.plugins import PluginDescriptor

_UNKNOWN = "unknown"
_FRESH_S = 3.0
"""Well below every session time-out, so that an ownership proof of this age still holds."""


class SparkWorker:
    """Implements the herder's worker: validates, starts and queries connectors.

    Args:
        config: the worker's settings.
        hosts: the plugin processes.
        launcher: launches tasks on Spark.
        offsets: stores source offsets, if the worker's settings name a file for them.
        hidden: collects values from config providers, which no raised error contains.
        metrics: metrics of the worker's own plugins (KIP-877).

    Raises:
        ConfigError: if the worker's settings name an unknown override policy.
    """

    def __init__(  # noqa: PLR0913  # all but three have defaults
        self,
        config: WorkerConfig,
        hosts: PluginHosts,
        launcher: TaskLauncher,
        offsets: OffsetFile | None = None,
        *,
        hidden: HiddenTexts | None = None,
        metrics: OwnPluginMetrics | None = None,
    ) -> None:
        self._metrics = metrics or OwnPluginMetrics({})
        self._contexts = WeakValueDictionary[str, HerderContext]()
        self._hidden = HiddenTexts() if hidden is None else hidden
        self._offsets = offsets
        self._policy = override_policy(config, hosts.plugins, self._metrics)
        self._config = config
        self._hosts = hosts
        self._launcher = launcher

    def prepare(self, configs: Collection[Mapping[str, str]]) -> None:
        """Wait until tasks can run, and warm up for connectors with these configurations.

        Raises:
            ConnectError: if tasks can never run.
        """
        self._launcher.prepare(sorted(set(map(self._own_path, configs))))

    def start_connector(self, request: StartRequest) -> SparkConnector:
        """Validate a configuration and start its connector.

        Raises:
            ConnectError: if the configuration is wrong or the connector fails to start.
        """
        read_offsets = partial(self.offsets, request.name, request.config)
        hear = (request.reconfigure, request.failed, request.lost)
        context = HerderContext(request.name, *hear, read_offsets)
        self._contexts[request.name] = context
        connector = self._connector(request.config, context, request)
        if not request.paused:
            with self._hidden.in_errors():
                connector.start()
        return connector

    def host_tasks(self, name: str, config: Mapping[str, str]) -> SparkConnector:  # noqa: ARG002  # the configuration has it
        """Create a host for tasks of a connector that is not started on this worker.

        Raises:
            ConnectError: if the configuration is wrong.
        """
        return self._connector(config, None)

    def spreads_tasks(self, config: Mapping[str, str]) -> bool:
        """Whether the tasks of a connector may run on several workers; a streaming query cannot."""
        return not (self.connector_type(config) == SINK.name and is_streamed(config))

    def validate(self, config: Mapping[str, str | None]) -> Mapping[str, Any]:
        """Validate a configuration without starting it; the result is ready for JSON."""
        with (
            in_context(LogContext(config.get("name") or "", scope="validate")),
            self._hidden.in_errors(),
            validated_config(
                config, self._config, self._hosts, self._policy, self._hidden
            ) as validation,
        ):
            return validation.infos()

    def connector_type(self, config: Mapping[str, str]) -> str:
        """``source``, ``sink`` or ``unknown``."""
        try:
            found = self._hosts.plugins.find(config.get("connector.class", ""), SOURCE, SINK)
        except ConnectError:
            return _UNKNOWN
        return found.type.name

    def connector_class(self, config: Mapping[str, str]) -> str:
        """The class of the configured plugin, or the configured value if it is not installed."""
        found = self._connector_plugin(config)
        return found.class_name if found else config.get("connector.class", "")

    def connector_version(self, config: Mapping[str, str]) -> str:
        """The version of the configured plugin, or an empty string if it is not installed."""
        found = self._connector_plugin(config)
        return found.version if found else ""

    def _connector_plugin(self, config: Mapping[str, str]) -> PluginDescriptor | None:
        try:
            return PluginChoices(config, self._hosts.plugins).connector()
        except (ConnectError, KeyError):
            return None

    def plugin_uses(self, config: Mapping[str, str]) -> Iterator[PluginUse]:
        """The converters, transformations and predicates of a connector's tasks."""
        return plugin_uses(config, self._config, self._hosts.plugins)

    def plugin_figures(self, name: str = "") -> Mapping[str, float]:
        """The plugin metrics of a connector, or else of the worker's own plugins (KIP-877)."""
        if not name:
            return reported_figures(self._metrics.figures())
        context = self._contexts.get(name)
        return {} if context is None else context.figures

    def fence_zombies(
        self,
        name: str,
        config: Mapping[str, str],
        tasks: int,
        prove: Callable[[], None] = lambda: None,
    ) -> None:
        """Fence the producers of a connector's former tasks (KIP-618).

        Raises:
            RebalanceNeededError: from ``prove``, if another worker now owns the connector.
            ConnectError: if Kafka does not answer.
        """
        if not self._config.exactly_once or self.connector_type(config) != SOURCE.name:
            return
        ids = [f"{self._config.group_id}-{name}-{number}" for number in range(tasks)]
        with self._hidden.in_errors():
            client = fencing_client(self._config, self._resolved(config))
            _prove_afresh(prove)
            if ids:
                fence_producers(self._config.bootstrap_servers, ids, client)

    def definition_of(self, plugin: PluginDescriptor) -> list[Mapping[str, Any]]:
        """The settings of a plugin, retrieved in a process of its location.

        Raises:
            DiscoveryError: if it cannot be loaded.
            PluginError: if it fails, hangs, or ends its process.
        """
        return self._hosts.definition_of(plugin)

    def set_logger_level(self, namespace: str, level: int) -> None:
        """Set a level in the processes of plugins and tasks, including those started later."""
        self._hosts.set_level(namespace, level)
        self._launcher.set_level(namespace, level)

    def offsets(self, name: str, config: Mapping[str, str]) -> Offsets:
        """The committed offsets of a connector.

        Raises:
            ConnectError: if they cannot be read.
        """
        with self._hidden.in_errors(), closing(self._stored(name, config)) as stored:
            return stored.read()

    def alter_offsets(self, name: str, config: Mapping[str, str], offsets: Offsets | None) -> bool:
        """Alter some offsets of a stopped connector, or reset all, after asking the plugin.

        Returns:
            Whether the plugin reports that it took part.

        Raises:
            ConnectError: if the plugin or Kafka rejects the change.
        """
        with self._hidden.in_errors():
            return self._altered(name, config, offsets)

    def close(self) -> None:
        """Close the override policy."""
        self._policy.close()

    def _altered(self, name: str, config: Mapping[str, str], offsets: Offsets | None) -> bool:
        checked = self._checked(self._resolve(config))
        with closing(self._stored(name, config)) as stored:
            try:
                wanted = [(p, None) for p, _ in stored.read()] if offsets is None else offsets
                properties = checked.config.originals
                took_part = checked.connector.alter_offsets(properties, stored.for_plugin(wanted))
            except ConfigError as error:  # raised by the plugin: the request itself was parsed
                message = f"Failed to modify offsets for connector {name}: {error}"
                raise ConnectError(message, code=error.code, hint=error.hint) from error
            finally:
                checked.connector.stop()
            stored.write(wanted)
        return took_part

    def _connector(
        self,
        config: Mapping[str, str],
        context: HerderContext | None,
        request: StartRequest | None = None,
    ) -> SparkConnector:
        def check() -> CheckedConnector:
            with self._hidden.in_errors():
                resolution = self._resolve(config)
                ttl_ms = resolution.ttl_ms
                if request and ttl_ms is not None and restarts_on_reload(resolution.settings):
                    request.expires(ttl_ms)
                return self._checked(resolution)

        references = References(config, self._resolve, self._hidden)
        with self._hidden.in_errors():
            return SparkConnector(self._config, self._launcher, check, context, references)

    def _checked(self, resolution: Resolution) -> CheckedConnector:
        return check_connector(resolution, self._config, self._hosts, self._policy, self._hidden)

    def _own_path(self, config: Mapping[str, str]) -> str:
        """The location of a connector's plugin; empty if it has none or is not installed."""
        try:
            found = self._hosts.plugins.find(config.get("connector.class", ""), SOURCE, SINK)
        except ConnectError:
            return ""
        return "" if found.location is None else str(found.location.path.resolve())

    def _stored(self, name: str, config: Mapping[str, str]) -> StoredOffsets:
        kind = self.connector_type(config)
        return offsets_of(name, kind, self._resolved(config), self._config, self._offsets)

    def _resolved(self, config: Mapping[str, str]) -> Mapping[str, str]:
        resolution = self._resolve(config)
        self._hidden.add(resolution.secrets)
        return resolution.settings

    def _resolve(self, config: Mapping[str, str]) -> Resolution:
        return resolved_config(config, self._config, self._hosts)


def _prove_afresh(prove: Callable[[], None]) -> None:
    """Repeat the ownership proof until it is recent, since the process may have been suspended."""
    while True:
        begun = time.monotonic()
        prove()
        if time.monotonic() - begun < _FRESH_S:
            return
