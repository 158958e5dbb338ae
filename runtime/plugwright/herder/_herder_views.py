"""The read-only half of the herder."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from plugwright._version import __version__
from plugwright.control_plane import ActiveTopics, OperationDisabledError, ServerInfo
from plugwright.errors import NotFoundError
from plugwright.herder._offset_requests import shown_offsets
from plugwright.herder._plugin_views import plugin_config, plugin_list
from plugwright.herder._views import connector_info, connector_status, task_infos, task_state
from plugwright.herder.engine_config import engine_info
from plugwright.herder.loggers import Loggers
from plugwright.spark import NO_SLOT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.control_plane import (
        ConnectorInfo,
        ConnectorOffsets,
        ConnectorStatus,
        LoggerLevel,
        PluginInfo,
        TaskId,
        TaskInfo,
        TaskState,
    )
    from plugwright.herder._parts import HerderParts


class HerderViews:
    """Answers the herder's read requests; any worker of a cluster can answer them.

    Args:
        parts: the components of the herder.
    """

    def __init__(self, parts: HerderParts) -> None:
        self._parts = parts
        self._loggers = Loggers(parts.worker.set_logger_level)

    def server_info(self) -> ServerInfo:
        """The version of the runtime and the id of the Kafka cluster."""
        return ServerInfo(__version__, "unknown", self._parts.settings.cluster_id)

    def tasks_without_slot(self) -> Sequence[str]:
        """The tasks on all workers that wait for a Spark slot."""
        return [
            f"{name}-{number}"
            for name in self.connectors()
            for number, status in sorted(self._parts.statuses.tasks(name).items())
            if status.state == "UNASSIGNED" and status.trace.startswith(NO_SLOT)
        ]

    def connectors(self) -> Sequence[str]:
        """The names of all connectors, sorted."""
        return sorted(self._parts.configs.snapshot().configs)

    def connector_info(self, name: str) -> ConnectorInfo:
        """A connector with its configuration as submitted.

        Raises:
            NotFoundError: if there is no such connector.
        """
        return self._info(name, self.connector_config(name))

    def connector_config(self, name: str) -> Mapping[str, str]:
        """The configuration of a connector as submitted.

        Raises:
            NotFoundError: if there is no such connector.
        """
        try:
            return self._parts.configs.snapshot().configs[name]
        except KeyError:
            raise NotFoundError(f"Connector {name} not found", facts={"name": name}) from None

    def task_configs(self, name: str) -> Sequence[TaskInfo]:
        """The tasks of a connector, by number.

        Raises:
            NotFoundError: if there is no such connector.
        """
        self.connector_config(name)
        return task_infos(name, self._parts.configs.snapshot())

    def connector_status(self, name: str) -> ConnectorStatus:
        """The status of a connector and its tasks.

        Raises:
            NotFoundError: if there is no such connector, or it has no status yet.
        """
        config = self._parts.configs.snapshot().configs.get(name, {})
        kind = self._parts.worker.connector_type(config)
        status = connector_status(name, self._parts.statuses, kind)
        return replace(status, engine=engine_info(config))

    def task_status(self, task: TaskId) -> TaskState:
        """The status of one task.

        Raises:
            NotFoundError: if the task has no status.
        """
        return task_state(task, self._parts.statuses)

    def connector_offsets(self, name: str) -> ConnectorOffsets:
        """The committed offsets of a connector.

        Raises:
            NotFoundError: if there is no such connector.
        """
        return shown_offsets(self._parts.worker.offsets(name, self.connector_config(name)))

    def connector_active_topics(self, name: str) -> ActiveTopics:
        """The topics that a connector has used.

        Raises:
            OperationDisabledError: if topic tracking is disabled.
        """
        require_tracking(self._parts.settings.topic_tracking, "Topic tracking is disabled.")
        return ActiveTopics(name, self._parts.statuses.topics(name))

    def validate_connector_config(self, config: Mapping[str, str | None]) -> Mapping[str, Any]:
        """Validate a configuration without starting the connector."""
        return self._parts.worker.validate(config)

    def connector_plugins(self) -> Sequence[PluginInfo]:
        """The plugins that a connector configuration can name."""
        return plugin_list(self._parts.plugins)

    def connector_plugin_config(
        self, name: str, version: str | None = None
    ) -> Sequence[Mapping[str, Any]]:
        """The settings of a plugin.

        Raises:
            NotFoundError: if there is no such plugin.
        """
        return plugin_config(self._parts.plugins, self._parts.worker, name, version)

    def all_logger_levels(self) -> Mapping[str, LoggerLevel]:
        """The loggers that have a level of their own."""
        return self._loggers.all_levels()

    def logger_level(self, name: str) -> LoggerLevel | None:
        """The effective level of a logger, or ``None`` if there is no such logger."""
        return self._loggers.level(name)

    def _info(self, name: str, config: Mapping[str, str]) -> ConnectorInfo:
        kind = self._parts.worker.connector_type(config)
        return connector_info(name, config, self._parts.configs.snapshot(), kind)


def require_tracking(enabled: bool, message: str) -> None:
    """Reject a request about topics if topic tracking is disabled.

    Raises:
        OperationDisabledError: if it is disabled.
    """
    if not enabled:
        raise OperationDisabledError(message, code="herder.topic-tracking")
