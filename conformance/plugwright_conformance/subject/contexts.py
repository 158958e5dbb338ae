"""Stub contexts for tasks and connectors that checks call directly."""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from plugwright.metrics import OwnPluginMetrics
from plugwright.record import SinkRecord, TimestampType, TopicPartition
from plugwright.schema import OPTIONAL_STRING_SCHEMA

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from plugwright.connector import Connector
    from plugwright.metrics import PluginMetrics
    from plugwright.record import SourceRecord
    from plugwright.task import Task

__all__ = [
    "RecordingConnectorContext",
    "SinkContext",
    "SourceContext",
    "key_at",
    "sink_records",
    "stopped_at_end",
]


class _Metered:
    """A context whose plugin metrics are not read."""

    def plugin_metrics(self) -> PluginMetrics:
        """New ones (KIP-877)."""
        return OwnPluginMetrics({})


class SourceContext(_Metered):
    """A source task context with fixed stored offsets; counts reads.

    Args:
        stored: source partition and offset pairs, as the runtime would have them.
    """

    def __init__(self, stored: Iterable[tuple[Mapping[str, Any], Mapping[str, Any]]] = ()) -> None:
        self._stored: dict[str, Mapping[str, Any] | None] = {
            partition_text(partition): offset for partition, offset in stored
        }
        self.configs: Mapping[str, str] = {}
        self.transaction_context = None
        self.lookups: list[Mapping[str, Any]] = []

    @property
    def has_offsets(self) -> bool:
        """Whether there are stored offsets, so that an earlier task has read something."""
        return bool(self._stored)

    @property
    def offset_storage_reader(self) -> SourceContext:
        """Itself."""
        return self

    def offset(self, partition: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The stored offset, or ``None``; notes the question."""
        self.lookups.append(dict(partition))
        return self._stored.get(partition_text(partition))

    def offsets(
        self, partitions: Iterable[Mapping[str, Any]]
    ) -> Sequence[tuple[Mapping[str, Any], Mapping[str, Any] | None]]:
        """The stored offsets, in the order requested."""
        return [(partition, self.offset(partition)) for partition in partitions]

    def advance(self, records: Iterable[SourceRecord]) -> None:
        """Store the offsets of these records, as the runtime would have."""
        for record in records:
            self._stored[partition_text(record.source_partition)] = record.source_offset

    def store(self, offsets: Iterable[tuple[Mapping[str, Any], Mapping[str, Any] | None]]) -> None:
        """Nothing is stored: the task is looked at as if it were to die."""

    def close(self) -> None:
        """Nothing is held."""


def partition_text(partition: Mapping[str, Any] | None) -> str:
    """A source partition as text: equal ones have the same."""
    return json.dumps(partition, sort_keys=True, default=repr)


class RecordingConnectorContext(_Metered):
    """A connector context without stored offsets that records requests."""

    def __init__(self) -> None:
        self.offset_storage_reader = SourceContext()
        self.reconfigurations = 0
        self.errors: list[Exception] = []

    def request_task_reconfiguration(self) -> None:
        """Count the request."""
        self.reconfigurations += 1

    def raise_error(self, error: Exception) -> None:
        """Remember the failure."""
        self.errors.append(error)


@contextmanager
def stopped_at_end(started: Connector | Task) -> Iterator[None]:
    """Stop something at the end; a failure that is on its way is not replaced by one of stop()."""
    try:
        yield
    except BaseException:
        with suppress(Exception):
            started.stop()
        raise
    else:
        started.stop()


@contextmanager
def started(connector: Connector, config: Mapping[str, str]) -> Iterator[Connector]:
    """Initialise and start a connector; it is stopped at the end."""
    connector.initialize(RecordingConnectorContext())
    with stopped_at_end(connector):
        connector.start(config)
        yield connector


@dataclass
class SinkContext(_Metered):
    """A sink task context that records requests, without error reporter (KIP-610)."""

    configs: Mapping[str, str] = field(default_factory=dict)
    assigned: set[TopicPartition] = field(default_factory=set)
    rewinds: dict[TopicPartition, int] = field(default_factory=dict)
    timeouts: list[int] = field(default_factory=list)
    commit_requests: int = 0

    def offset(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Remember a rewind."""
        self.rewinds.update(offsets)

    def timeout(self, timeout_ms: int) -> None:
        """Remember a wait."""
        self.timeouts.append(timeout_ms)

    def assignment(self) -> Collection[TopicPartition]:
        """The partitions given so far."""
        return set(self.assigned)

    def pause(self, *partitions: TopicPartition) -> None:
        """Nothing is fetched here anyway."""

    def resume(self, *partitions: TopicPartition) -> None:
        """Nothing is fetched here anyway."""

    def request_commit(self) -> None:
        """Count the hint."""
        self.commit_requests += 1

    def errant_record_reporter(self) -> None:
        """No dead-letter queue is configured."""


def key_at(home: TopicPartition, offset: int) -> str:
    """The key of a record that has to have one."""
    return f"key {home.topic}-{home.partition}@{offset}"


def sink_records(
    values: Iterable[Any], home: TopicPartition, *, first_offset: int = 0, keyed: bool = False
) -> list[SinkRecord]:
    """Consumed string records of one partition, with consecutive offsets; keyed if need be.

    No two partitions have a key in common, as in Kafka, where a key decides the partition.
    """
    return [
        SinkRecord(
            home.topic,
            home.partition,
            OPTIONAL_STRING_SCHEMA,
            key_at(home, offset) if keyed else None,
            OPTIONAL_STRING_SCHEMA,
            value,
            offset,
            1_700_000_000_000 + offset,
            TimestampType.CREATE_TIME,
        )
        for offset, value in enumerate(values, start=first_offset)
    ]
