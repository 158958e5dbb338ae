"""The control plane interface of the REST API (Kafka Connect's ``HerderApi``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.control_plane import (
        ActiveTopics,
        ConnectorInfo,
        ConnectorOffset,
        ConnectorOffsets,
        ConnectorStatus,
        LoggerLevel,
        Message,
        PluginInfo,
        RestartRequest,
        ServerInfo,
        Stage,
        TaskId,
        TaskInfo,
        TaskState,
    )


class HerderApi(Protocol):
    """The control plane, as the API uses it.

    Every method may be called from several threads at once, blocks until it is done, and may be
    abandoned: after the request's time-out the client has its answer, and what the method returns
    is dropped.

    Errors become answers: `NotFoundError` 404, `AlreadyExistsError` 409, `BadRequestError`,
    `ConfigError` and `DataError` 400, `OperationDisabledError` 403; every other error is a 500
    with its code. In a cluster a method may raise `RequestTargetError` to have the request
    forwarded, or `RebalanceNeededError` for a 409.
    """

    def server_info(self) -> ServerInfo:
        """Version, commit and Kafka cluster of this worker; must not block."""
        ...

    def is_ready(self) -> bool:
        """Whether start-up is complete; must not block."""
        ...

    def tasks_without_slot(self) -> Sequence[str]:
        """The tasks of the cluster that wait for a slot of Spark; must not block."""
        ...

    def health_check(self) -> None:
        """Return once the herder's own thread has answered; block while it cannot."""
        ...

    def stage(self) -> Stage | None:
        """The herder's current or last stage, for messages about time-outs; must not block."""
        ...

    def connectors(self) -> Sequence[str]:
        """The names of all connectors."""
        ...

    def connector_info(self, name: str) -> ConnectorInfo:
        """One connector with its raw configuration."""
        ...

    def connector_config(self, name: str) -> Mapping[str, str]:
        """The raw configuration of one connector, references not resolved."""
        ...

    def task_configs(self, name: str) -> Sequence[TaskInfo]:
        """The tasks of one connector in the order of their numbers, references not resolved."""
        ...

    def put_connector_config(
        self,
        name: str,
        config: Mapping[str, str | None],
        target_state: str | None,
        allow_replace: bool,
    ) -> tuple[bool, ConnectorInfo]:
        """Create a connector or replace its configuration.

        Args:
            name: the connector; ``config["name"]`` equals it.
            config: the whole configuration; a value of ``None`` is an error of that key.
            target_state: STARTED, PAUSED or STOPPED for a new connector; ``None``: leave it.
            allow_replace: whether the connector may exist already.

        Returns:
            Whether it was created, and its new state.

        Raises:
            ConfigError: naming in ``facts["problems"]`` every setting that is missing or wrong.
            AlreadyExistsError: if it exists and must not be replaced.
        """
        ...

    def patch_connector_config(
        self, name: str, patch: Mapping[str, str | None]
    ) -> tuple[bool, ConnectorInfo]:
        """Change some settings of a connector, removing those whose value is ``None`` (KIP-477)."""
        ...

    def delete_connector_config(self, name: str) -> None:
        """Remove a connector."""
        ...

    def connector_status(self, name: str) -> ConnectorStatus:
        """The states of a connector and of its tasks."""
        ...

    def task_status(self, task: TaskId) -> TaskState:
        """The state of one task."""
        ...

    def restart_connector(self, name: str) -> None:
        """Restart the connector instance but not its tasks."""
        ...

    def restart_connector_and_tasks(self, request: RestartRequest) -> ConnectorStatus:
        """Plan a restart; what will restart is RESTARTING in the status (KIP-745)."""
        ...

    def restart_task(self, task: TaskId) -> None:
        """Restart one task."""
        ...

    def pause_connector(self, name: str) -> None:
        """Ask a connector and its tasks to pause."""
        ...

    def resume_connector(self, name: str) -> None:
        """Resume a connector and its tasks."""
        ...

    def refuse_internal(self, what: str, *, signed: bool = False) -> NoReturn:
        """Reject a request that only workers of Kafka Connect send each other; ours never do."""
        ...

    def stop_connector(self, name: str) -> None:
        """Stop a connector and remove its tasks (KIP-875)."""
        ...

    def connector_offsets(self, name: str) -> ConnectorOffsets:
        """The committed offsets of a connector."""
        ...

    def alter_connector_offsets(
        self, name: str, offsets: Sequence[ConnectorOffset] | None
    ) -> Message:
        """Change offsets of a stopped connector; ``None`` resets all of them (KIP-875)."""
        ...

    def connector_active_topics(self, name: str) -> ActiveTopics:
        """The topics that a connector has used."""
        ...

    def reset_connector_active_topics(self, name: str) -> None:
        """Reset the active topics of a connector."""
        ...

    def validate_connector_config(self, config: Mapping[str, str | None]) -> Mapping[str, Any]:
        """Validate a configuration; the result is as `plugwright.config.config_infos` makes it."""
        ...

    def connector_plugins(self) -> Sequence[PluginInfo]:
        """All plugins of the six kinds that connectors name in their configurations."""
        ...

    def connector_plugin_config(
        self, name: str, version: str | None = None
    ) -> Sequence[Mapping[str, Any]]:
        """The settings of a plugin, each as `plugwright.config.key_info` makes it.

        Args:
            name: class name or alias.
            version: an exact version or a range (KIP-891); ``None``: the newest.
        """
        ...

    def all_logger_levels(self) -> Mapping[str, LoggerLevel]:
        """The loggers that have a level of their own."""
        ...

    def logger_level(self, name: str) -> LoggerLevel | None:
        """The effective level of a logger, or ``None`` if there is no such logger."""
        ...

    def set_worker_logger_level(self, namespace: str, level: str) -> Sequence[str]:
        """Set a level in this worker; returns the names of the loggers that changed."""
        ...

    def set_cluster_logger_level(self, namespace: str, level: str) -> None:
        """Set a level in all workers of the cluster (KIP-976)."""
        ...
