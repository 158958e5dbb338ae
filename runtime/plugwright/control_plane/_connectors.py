"""Connectors and tasks: what they are, how they do, and what is asked of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


OMIT_EMPTY: Final = {"omit": "empty"}
"""Metadata of a field that JSON leaves out when it is ``None`` or empty."""


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
    """The status of a connector instance: state, worker, and trace if it failed."""

    state: str
    worker_id: str
    trace: str | None = field(default=None, metadata=OMIT_EMPTY)
    version: str | None = field(default=None, metadata=OMIT_EMPTY)


@dataclass(frozen=True, slots=True)
class TaskState:
    """The status of a task: state, worker, and trace if it failed."""

    id: int
    state: str
    worker_id: str
    trace: str | None = field(default=None, metadata=OMIT_EMPTY)
    version: str | None = field(default=None, metadata=OMIT_EMPTY)


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """The engine of a connector's tasks, if these are not resident tasks.

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
class CreateConnector:
    """The body of ``POST /connectors``; the state is RUNNING, PAUSED or STOPPED (KIP-980)."""

    name: str
    config: Mapping[str, str | None]
    initial_state: str | None = None


@dataclass(frozen=True, slots=True)
class RestartRequest:
    """The parts of a connector to restart (KIP-745)."""

    connector: str
    only_failed: bool
    include_tasks: bool
