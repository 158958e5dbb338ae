"""What the REST API shows of connectors, tasks, offsets and plugins, field for field as in JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "ActiveTopics",
    "ConfigInfo",
    "ConfigInfos",
    "ConfigKeyInfo",
    "ConfigValueInfo",
    "ConnectorInfo",
    "ConnectorOffset",
    "ConnectorOffsets",
    "ConnectorState",
    "ConnectorStatus",
    "CreateConnector",
    "EngineInfo",
    "ErrorMessage",
    "LoggerLevel",
    "Message",
    "MetricValue",
    "PluginInfo",
    "RestartRequest",
    "ServerInfo",
    "Stage",
    "TaskId",
    "TaskInfo",
    "TaskState",
    "WorkerHealth",
]

OMIT_EMPTY = {"omit": "empty"}
"""Metadata of a field that JSON leaves out when it is ``None`` or empty."""


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """What ``GET /`` says about the worker."""

    version: str
    commit: str
    kafka_cluster_id: str | None


@dataclass(frozen=True, slots=True)
class TaskId:
    """One task of one connector."""

    connector: str
    task: int

    def __str__(self) -> str:
        return f"{self.connector}-{self.task}"


@dataclass(frozen=True, slots=True)
class ConnectorInfo:
    """A connector as it is configured.

    Attributes:
        config: the raw configuration; references to config providers are not resolved.
        type: ``source``, ``sink`` or ``unknown``.
    """

    name: str
    config: Mapping[str, str]
    tasks: Sequence[TaskId]
    type: str


@dataclass(frozen=True, slots=True)
class TaskInfo:
    """A task as it is configured; references in its configuration are not resolved."""

    id: TaskId
    config: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ConnectorState:
    """What a connector instance does at present, where, and why it failed if it did."""

    state: str
    worker_id: str
    trace: str | None = field(default=None, metadata=OMIT_EMPTY)
    version: str | None = field(default=None, metadata=OMIT_EMPTY)


@dataclass(frozen=True, slots=True)
class TaskState:
    """What a task does at present, where, and why it failed if it did."""

    id: int
    state: str
    worker_id: str
    trace: str | None = field(default=None, metadata=OMIT_EMPTY)
    version: str | None = field(default=None, metadata=OMIT_EMPTY)


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """What runs the tasks of a connector, where these are not resident tasks.

    Attributes:
        name: that of ``spark.engine``.
        offsets: who owns them, and who shows them.
        latency: what records wait for.
    """

    name: str
    offsets: str
    latency: str


@dataclass(frozen=True, slots=True)
class ConnectorStatus:
    """The states of a connector and of its tasks, tasks in the order of their numbers.

    Attributes:
        engine: only there for tasks that are not resident, for Kafka Connect knows no others.
    """

    name: str
    connector: ConnectorState
    tasks: Sequence[TaskState]
    type: str
    engine: EngineInfo | None = field(default=None, metadata=OMIT_EMPTY)


@dataclass(frozen=True, slots=True)
class ActiveTopics:
    """The topics that a connector has used since its creation or the last reset (KIP-558)."""

    connector: str
    topics: Sequence[str]


@dataclass(frozen=True, slots=True)
class ConnectorOffset:
    """The position in one partition, in the connector's own terms; no offset asks for a reset."""

    partition: Mapping[str, Any] | None
    offset: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class ConnectorOffsets:
    """Positions of a connector (KIP-875)."""

    offsets: Sequence[ConnectorOffset]


@dataclass(frozen=True, slots=True)
class Message:
    """One sentence for the caller."""

    message: str


@dataclass(frozen=True, slots=True)
class LoggerLevel:
    """The level of a logger, and when it was last changed at run time, in ms since the epoch."""

    level: str
    last_modified: int | None = None


@dataclass(frozen=True, slots=True)
class MetricValue:
    """One figure of a worker, or one text, by Kafka Connect's names.

    Attributes:
        group: such as ``source-task-metrics``.
        name: within the group, such as ``source-record-write-total``.
        tags: what it is about: connector, task.
    """

    group: str
    name: str
    tags: dict[str, str]
    value: float | str


@dataclass(frozen=True, slots=True)
class PluginInfo:
    """One plugin that the worker can run.

    Attributes:
        type: as the REST API and plugin lists call the kind.
        version: ``None`` where it has none.
    """

    class_name: str = field(metadata={"json": "class"})
    type: str
    version: str | None = field(default=None, metadata=OMIT_EMPTY)


@dataclass(frozen=True, slots=True)
class RestartRequest:
    """What to restart of a connector (KIP-745)."""

    connector: str
    only_failed: bool
    include_tasks: bool


@dataclass(frozen=True, slots=True)
class CreateConnector:
    """The body of ``POST /connectors``; the state is RUNNING, PAUSED or STOPPED (KIP-980)."""

    name: str
    config: Mapping[str, str | None]
    initial_state: str | None = None


@dataclass(frozen=True, slots=True)
class WorkerHealth:
    """The answer of ``GET /health`` (KIP-1017)."""

    status: str
    message: str


@dataclass(frozen=True, slots=True)
class ErrorMessage:
    """The body of every answer that reports an error."""

    error_code: int
    message: str


@dataclass(frozen=True, slots=True)
class Stage:
    """What the herder is doing, for messages about time-outs.

    Attributes:
        description: completes the sentence "the worker is currently …".
        started_ms: when it began, in ms since the epoch.
        completed_ms: when it ended; ``None`` while it goes on.
    """

    description: str
    started_ms: int
    completed_ms: int | None = None


class ConfigKeyInfo(TypedDict):
    """The definition of one setting, as `plugwright.config.key_info` makes it."""

    name: str
    type: str
    required: bool
    default_value: str | None
    importance: str
    documentation: str
    group: str | None
    width: str
    display_name: str
    dependents: list[str]
    order: int


class ConfigValueInfo(TypedDict):
    """The outcome of validation for one setting; secrets are hidden."""

    name: str
    value: str | None
    recommended_values: list[str]
    errors: list[str]
    visible: bool


class ConfigInfo(TypedDict):
    """Definition and outcome of one setting; either may be missing."""

    definition: ConfigKeyInfo | None
    value: ConfigValueInfo | None


class ConfigInfos(TypedDict):
    """The result of a validation, as `plugwright.config.config_infos` makes it."""

    name: str
    error_count: int
    groups: list[str]
    configs: list[ConfigInfo]
