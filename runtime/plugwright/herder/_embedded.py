"""Runs connectors without a control plane or stored state, for tests and embedding."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from plugwright.config import HiddenTexts
from plugwright.errors import AlreadyExistsError, ConnectError, NotFoundError, render
from plugwright.herder._worker_interface import StartRequest
from plugwright.herder.context import InstanceStatus
from plugwright.herder.spark_worker import SparkWorker
from plugwright.hosts import PluginHosts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.herder._worker_config import WorkerConfig
    from plugwright.herder._worker_interface import TaskUpdate
    from plugwright.herder.spark_connector import SparkConnector, SparkTasks
    from plugwright.herder.stream_tasks import StreamTasks
    from plugwright.plugins import Plugins
    from plugwright.spark import ResidentJob, SparkLauncher, StreamJob

log = logging.getLogger(__name__)


@dataclass
class _Running:
    properties: Mapping[str, str]
    connector: SparkConnector
    tasks: SparkTasks | StreamTasks
    traces: list[str] = field(default_factory=list)


class EmbeddedHerder:
    """Starts, watches and stops connectors whose tasks run on one Spark session.

    Args:
        worker: the worker's settings.
        plugins: the installed plugins.
        launcher: launches tasks on Spark.
    """

    def __init__(self, worker: WorkerConfig, plugins: Plugins, launcher: SparkLauncher) -> None:
        worker = replace(worker, offsets_file="")  # the launcher belongs to the caller
        self._config = worker
        self._hosts = PluginHosts(
            plugins,
            isolated=worker.isolated,
            timeout_s=worker.call_timeout_s,
            memory=worker.memory_limit,
        )
        self._hidden = HiddenTexts()
        self._worker = SparkWorker(worker, self._hosts, launcher, hidden=self._hidden)
        self._running: dict[str, _Running] = {}
        self._task_counts: dict[str, int] = {}
        self._generation = 0

    def start_connector(self, properties: Mapping[str, str]) -> ResidentJob | StreamJob:
        """Validate a configuration, start its connector, and launch its tasks on Spark.

        Raises:
            ConfigError: naming every setting that is missing or wrong.
            NotFoundError: if no plugin has that class name or alias.
            DiscoveryError: if the plugin cannot be loaded.
            AlreadyExistsError: if a connector of that name is running.
            PluginError: if the plugin fails to start.
        """
        name = properties.get("name", "")
        if name in self._running:
            raise AlreadyExistsError(f"Connector {name} already exists")
        traces: list[str] = []
        connector = self._worker.start_connector(
            StartRequest(
                name,
                properties,
                lambda: log.warning("%s: restart it to give its tasks new configurations", name),
                lambda error: traces.append(self._hidden.hide(_summary(error))),
                lambda: traces.append("another connector ended the process that they shared"),
                lambda ms: log.warning(
                    "%s: restart it in %d ms to read its secrets again", name, ms
                ),
            )
        )
        try:
            tasks = self._launched(name, properties, connector)
        except BaseException:
            connector.stop()
            raise
        self._running[name] = _Running(properties, connector, tasks, traces)
        return tasks.job

    def stop_connector(self, name: str) -> bool:
        """Stop a connector and its tasks; whether the tasks ended by themselves.

        Raises:
            NotFoundError: if no connector of that name is running.
        """
        running = self._running.pop(name, None)
        if running is None:
            raise NotFoundError(f"Connector {name} not found")
        gracefully = running.tasks.stop(self._config.shutdown_timeout_s)
        running.connector.stop()
        return gracefully

    def fence_zombies(self, name: str) -> None:
        """Abort the open transactions of an exactly-once source's tasks (KIP-618).

        The tasks fail at their next commit, as if newer ones had replaced them.

        Raises:
            NotFoundError: if no connector of that name is running.
            ConnectError: if Kafka does not answer.
        """
        self._worker.fence_zombies(name, self._found(name).properties, self._task_counts[name])

    def job(self, name: str) -> ResidentJob | StreamJob:
        """The running tasks of a connector.

        Raises:
            NotFoundError: if no connector of that name is running.
        """
        return self._found(name).tasks.job

    def status(self, name: str) -> InstanceStatus:
        """The status of the connector instance.

        Raises:
            NotFoundError: if no connector of that name is running.
        """
        running = self._found(name)
        trace = running.traces[-1] if running.traces else ""
        return InstanceStatus("FAILED" if trace else "RUNNING", trace, running.connector.pids)

    def close(self) -> None:
        """Stop every connector."""
        for name in list(self._running):
            self.stop_connector(name)
        self._hosts.close()

    def _found(self, name: str) -> _Running:
        try:
            return self._running[name]
        except KeyError:
            raise NotFoundError(f"Connector {name} not found") from None

    def _launched(
        self, name: str, properties: Mapping[str, str], connector: SparkConnector
    ) -> SparkTasks | StreamTasks:
        configs = dict(enumerate(connector.task_configs()))
        former = max(len(configs), self._task_counts.get(name, 0))
        self._worker.fence_zombies(name, properties, former)
        self._task_counts[name] = len(configs)
        self._generation += 1
        return connector.launch(f"{name}-{self._generation}", configs, _unheard)


def _unheard(_: int, __: TaskUpdate) -> None:
    """Ignore task updates: callers query the job."""


def _summary(error: Exception) -> str:
    return render(error) if isinstance(error, ConnectError) else str(error)
