"""A worker: its version, its loggers, its figures, and what it is doing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """The response of ``GET /`` about the worker."""

    version: str
    commit: str
    kafka_cluster_id: str | None


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
        description: what it counts, of a metric that a plugin has registered (KIP-877).
    """

    group: str
    name: str
    tags: dict[str, str]
    value: float | str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Stage:
    """The herder's current stage, for messages about time-outs.

    Attributes:
        description: completes the sentence "the worker is currently …".
        started_ms: when it began, in ms since the epoch.
        completed_ms: when it ended; ``None`` while it goes on.
    """

    description: str
    started_ms: int
    completed_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """One sentence for the caller."""

    message: str
