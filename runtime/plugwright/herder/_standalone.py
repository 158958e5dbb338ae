"""The control plane of one process: connectors by name, their instances and their running tasks."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugwright.errors import AlreadyExistsError, ConnectError, NotFoundError
from plugwright.herder._checking import (
    CheckedConnector,
    check_connector,
    location_of,
    plugin_error,
    settings_under,
)
from plugwright.herder._delivery import delivery_fields, for_task, transactional_ids
from plugwright.herder._transformations import transformations
from plugwright.kafka import fence_producers
from plugwright.plugins import CONVERTER, HEADER_CONVERTER, SOURCE
from plugwright.spark import ClassReference, TaskSpec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from plugwright.connector import Connector
    from plugwright.herder._connector_config import ConnectorConfig
    from plugwright.herder._worker_config import WorkerConfig
    from plugwright.plugins import PluginDescriptor, Plugins, PluginType
    from plugwright.spark import ResidentJob, SparkLauncher

__all__ = ["StandaloneHerder"]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Running:
    plugin: PluginDescriptor
    connector: Connector
    job: ResidentJob


class _ConnectorContext:
    """What a connector may ask of this herder."""

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def offset_storage_reader(self) -> _ConnectorContext:
        return self

    def offset(self, partition: Mapping[str, Any]) -> Mapping[str, Any] | None:
        raise ConnectError(
            f"connector {self._name} asked for the offset of {dict(partition)!r} on the driver",
            code="herder.offsets-on-tasks-only",
            hint="read offsets in the task, through its own context",
        )

    def offsets(
        self, partitions: Iterable[Mapping[str, Any]]
    ) -> Sequence[tuple[Mapping[str, Any], Mapping[str, Any] | None]]:
        return [(partition, self.offset(partition)) for partition in partitions]

    def request_task_reconfiguration(self) -> None:
        log.warning("%s: restart the connector to give its tasks new configurations", self._name)

    def raise_error(self, error: Exception) -> None:
        log.error("%s: %s", self._name, error)


class StandaloneHerder:
    """Starts, watches and stops connectors whose tasks run on one Spark session.

    Args:
        worker: the worker's settings.
        plugins: what may run.
        launcher: puts tasks onto Spark.
    """

    def __init__(self, worker: WorkerConfig, plugins: Plugins, launcher: SparkLauncher) -> None:
        self._worker = worker
        self._plugins = plugins
        self._launcher = launcher
        self._running: dict[str, _Running] = {}
        self._generation = 0
        self._task_counts: dict[str, int] = {}

    def start_connector(self, properties: Mapping[str, str]) -> ResidentJob:
        """Check a configuration, start its connector, and put its tasks onto Spark.

        Raises:
            ConfigError: naming every setting that is missing or wrong.
            NotFoundError: if no plugin has that class name or alias.
            DiscoveryError: if the plugin cannot be loaded.
            AlreadyExistsError: if a connector of that name runs.
            PluginError: if the plugin fails to start.
        """
        checked = check_connector(properties, self._worker, self._plugins)
        config, plugin, connector = checked.config, checked.plugin, checked.connector
        if config.name in self._running:
            raise AlreadyExistsError(f"Connector {config.name} already exists")
        _start(checked)
        self._generation += 1
        try:
            job = self._launcher.launch(
                f"{config.name}-{self._generation}",
                self._specs(plugin, connector, config),
                python_path=location_of(plugin),
            )
        except BaseException:
            _release(plugin, connector)
            raise
        self._running[config.name] = _Running(plugin, connector, job)
        return job

    def stop_connector(self, name: str) -> bool:
        """Stop a connector and its tasks; whether the tasks ended by themselves.

        Raises:
            NotFoundError: if no connector of that name runs.
        """
        running = self._running.pop(name, None)
        if running is None:
            raise NotFoundError(f"Connector {name} not found")
        gracefully = running.job.stop(self._worker.shutdown_timeout_s)
        _release(running.plugin, running.connector)
        return gracefully

    def job(self, name: str) -> ResidentJob:
        """The running tasks of a connector.

        Raises:
            NotFoundError: if no connector of that name runs.
        """
        try:
            return self._running[name].job
        except KeyError:
            raise NotFoundError(f"Connector {name} not found") from None

    def close(self) -> None:
        """Stop every connector."""
        for name in list(self._running):
            self.stop_connector(name)

    def _specs(
        self, plugin: PluginDescriptor, connector: Connector, config: ConnectorConfig
    ) -> list[TaskSpec]:
        try:
            task_class = connector.task_class()
            task_configs = list(connector.task_configs(config.tasks_max))
        except (Exception, SystemExit) as error:
            raise plugin_error(plugin, "task_configs", error) from error
        if len(task_configs) > config.tasks_max:
            raise ConnectError(
                f"The connector {config.name} has generated {len(task_configs)} tasks, which is "
                f"greater than {config.tasks_max}, the maximum number of tasks it is configured "
                "to create.",
                code="connector.too-many-tasks",
                hint="mend task_configs, or raise tasks.max",
            )
        common = self._common_spec(plugin, config, task_class)
        specs = [
            for_task(common, number, task_config) for number, task_config in enumerate(task_configs)
        ]
        self._fence_zombies(specs)
        return specs

    def _fence_zombies(self, specs: Sequence[TaskSpec]) -> None:
        """Shut out tasks of earlier generations that may still be at work somewhere (KIP-618)."""
        if specs and specs[0].transactional_id:
            name = specs[0].connector
            ids = transactional_ids(specs, self._task_counts.get(name, 0))
            fence_producers(self._worker.bootstrap_servers, ids, specs[0].client)
            self._task_counts[name] = len(specs)

    def _common_spec(
        self, plugin: PluginDescriptor, config: ConnectorConfig, task_class: type
    ) -> TaskSpec:
        """What all tasks of a connector share; the chain and the converters are settled once."""
        transforms, transform_classes = transformations(config.originals, self._plugins)
        delivery = {
            "offsets_topic": self._worker.offsets_topic,
            **delivery_fields(self._worker, config, sink=plugin.type is not SOURCE),
        }
        return TaskSpec(
            connector=config.name,
            task=0,
            kind=plugin.type.name,
            task_class=ClassReference.to(task_class),
            version=plugin.version,
            location=location_of(plugin),
            config={},
            bootstrap_servers=self._worker.bootstrap_servers,
            key_converter=self._converter("key.converter", config.key_converter, config),
            value_converter=self._converter("value.converter", config.value_converter, config),
            header_converter=self._converter("header.converter", config.header_converter, config),
            transforms=transforms,
            transform_classes=transform_classes,
            topics=config.topics,
            offsets_partitions=self._worker.offsets_partitions,
            flush_interval_s=self._worker.flush_interval_s,
            flush_timeout_s=self._worker.flush_timeout_s,
            **delivery,
        )

    def _converter(self, key: str, own: str | None, config: ConnectorConfig) -> ClassReference:
        """The converter of a connector, or the worker's, with the settings that belong to it."""
        kind: PluginType = HEADER_CONVERTER if key.startswith("header") else CONVERTER
        default: str = getattr(self._worker, key.replace(".", "_"))
        plugin = self._plugins.find(own or default, kind)
        origin = config.originals if own else self._worker.originals
        return ClassReference.to(self._plugins.load(plugin), settings_under(f"{key}.", origin))


def _start(checked: CheckedConnector) -> None:
    try:
        checked.connector.initialize(_ConnectorContext(checked.config.name))
        checked.connector.start(checked.config.originals)
    except ConnectError:
        raise
    except (Exception, SystemExit) as error:
        raise plugin_error(checked.plugin, "start", error) from error


def _release(plugin: PluginDescriptor, connector: Connector) -> None:
    """Stop a connector's instance; what it raises changes nothing, as in Connect."""
    try:
        connector.stop()
    except (Exception, SystemExit) as error:  # the others are stopped all the same
        log.warning("ignored: %s", plugin_error(plugin, "stop", error), exc_info=error)
