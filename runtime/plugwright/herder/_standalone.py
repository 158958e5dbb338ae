"""The control plane of one process: connectors by name, their instances and their running tasks."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from plugwright.errors import AlreadyExistsError, ConnectError, NotFoundError
from plugwright.herder._checking import check_connector, settings_under
from plugwright.herder._context import ConnectorStatus, HerderContext
from plugwright.hosts import PluginHosts
from plugwright.plugins import SOURCE
from plugwright.spark import TaskSpec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.herder._checking import CheckedConnector
    from plugwright.herder._worker_config import WorkerConfig
    from plugwright.hosts import HostedConnector, TaskPlan
    from plugwright.plugins import Plugins
    from plugwright.spark import ResidentJob, SparkLauncher

__all__ = ["StandaloneHerder"]


@dataclass(frozen=True, slots=True)
class _Running:
    connector: HostedConnector
    context: HerderContext
    job: ResidentJob


class StandaloneHerder:
    """Starts, watches and stops connectors whose tasks run on one Spark session.

    Args:
        worker: the worker's settings.
        plugins: what may run.
        launcher: puts tasks onto Spark.
    """

    def __init__(self, worker: WorkerConfig, plugins: Plugins, launcher: SparkLauncher) -> None:
        self._worker = worker
        self._hosts = PluginHosts(
            plugins, isolated=worker.isolated, timeout_s=worker.call_timeout_s
        )
        self._launcher = launcher
        self._running: dict[str, _Running] = {}
        self._generation = 0

    def start_connector(self, properties: Mapping[str, str]) -> ResidentJob:
        """Check a configuration, start its connector, and put its tasks onto Spark.

        Raises:
            ConfigError: naming every setting that is missing or wrong.
            NotFoundError: if no plugin has that class name or alias.
            DiscoveryError: if the plugin cannot be loaded.
            AlreadyExistsError: if a connector of that name runs.
            PluginError: if the plugin fails to start.
        """
        checked = check_connector(properties, self._worker, self._hosts)
        try:
            running = self._launched(checked)
        except BaseException:
            checked.connector.stop()
            raise
        self._running[checked.config.name] = running
        return running.job

    def _launched(self, checked: CheckedConnector) -> _Running:
        config, connector = checked.config, checked.connector
        if config.name in self._running:
            raise AlreadyExistsError(f"Connector {config.name} already exists")
        context = HerderContext(config.name)
        connector.start(context)
        self._generation += 1
        job = self._launcher.launch(
            f"{config.name}-{self._generation}",
            self._specs(checked),
            python_path=os.pathsep.join(connector.python_path),
        )
        return _Running(connector, context, job)

    def stop_connector(self, name: str) -> bool:
        """Stop a connector and its tasks; whether the tasks ended by themselves.

        Raises:
            NotFoundError: if no connector of that name runs.
        """
        running = self._running.pop(name, None)
        if running is None:
            raise NotFoundError(f"Connector {name} not found")
        gracefully = running.job.stop(self._worker.shutdown_timeout_s)
        running.connector.stop()
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

    def status(self, name: str) -> ConnectorStatus:
        """How a connector's own instance is.

        Raises:
            NotFoundError: if no connector of that name runs.
        """
        self.job(name)
        running = self._running[name]
        state = "FAILED" if running.context.trace else "RUNNING"
        return ConnectorStatus(state, running.context.trace, running.connector.pids)

    def close(self) -> None:
        """Stop every connector."""
        for name in list(self._running):
            self.stop_connector(name)
        self._hosts.close()

    def _specs(self, checked: CheckedConnector) -> list[TaskSpec]:
        config = checked.config
        plan = checked.connector.tasks(config.tasks_max)
        if len(plan.configs) > config.tasks_max:
            raise ConnectError(
                f"The connector {config.name} has generated {len(plan.configs)} tasks, which is "
                f"greater than {config.tasks_max}, the maximum number of tasks it is configured "
                "to create.",
                code="connector.too-many-tasks",
                hint="mend task_configs, or raise tasks.max",
            )
        common = self._common_spec(checked, plan)
        return [
            replace(common, task=number, config=dict(task_config))
            for number, task_config in enumerate(plan.configs)
        ]

    def _common_spec(self, checked: CheckedConnector, plan: TaskPlan) -> TaskSpec:
        """What all tasks of a connector share; the chain and the converters are settled once."""
        config, plugin = checked.config, checked.plugin
        around = checked.connector.surroundings()
        prefix = "producer.override." if plugin.type is SOURCE else "consumer.override."
        return TaskSpec(
            connector=config.name,
            task=0,
            kind=plugin.type.name,
            task_class=plan.task_class,
            version=plugin.version,
            location=plan.task_class.location,
            config={},
            bootstrap_servers=self._worker.bootstrap_servers,
            key_converter=around.converters["key.converter"],
            value_converter=around.converters["value.converter"],
            header_converter=around.converters["header.converter"],
            transforms=around.transforms,
            transform_classes=around.transform_classes,
            stage_paths=around.paths,
            topics=config.topics,
            client=settings_under(prefix, config.originals),
            offsets_topic=self._worker.offsets_topic,
            offsets_partitions=self._worker.offsets_partitions,
            flush_interval_s=self._worker.flush_interval_s,
            flush_timeout_s=self._worker.flush_timeout_s,
        )
