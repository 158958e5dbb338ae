"""The context of a sink task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.errors import IllegalWorkerStateError
from plugwright.metrics import OwnPluginMetrics

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from plugwright.metrics import PluginMetrics
    from plugwright.record import TopicPartition
    from plugwright.task import ErrantRecordReporter
    from plugwright.worker._host_protocols import RecordConsumer


class LoopSinkTaskContext:
    """The sink task context: collects the task's requests until the loop handles them."""

    def __init__(
        self,
        configs: Mapping[str, str],
        consumer: RecordConsumer,
        reporter: ErrantRecordReporter | None = None,
        metrics: PluginMetrics | None = None,
    ) -> None:
        self._configs = configs
        self._consumer = consumer
        self._reporter = reporter
        self._metrics: PluginMetrics = metrics or OwnPluginMetrics({})
        self._rewinds: dict[TopicPartition, int] = {}
        self._timeout_s: float | None = None
        self._commit_requested = False
        self._paused: set[TopicPartition] = set()

    @property
    def configs(self) -> Mapping[str, str]:
        """The latest configuration of the task."""
        return self._configs

    def offset(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Request a seek to these offsets before the next batch."""
        self._rewinds.update(offsets)

    def timeout(self, timeout_ms: int) -> None:
        """Set the maximum wait in milliseconds before the next batch or retry; ignored below 1."""
        self._timeout_s = timeout_ms / 1000 if timeout_ms > 0 else None

    def assignment(self) -> Collection[TopicPartition]:
        """The partitions currently assigned to the task."""
        return list(self._consumer.assignment())

    def pause(self, *partitions: TopicPartition) -> None:
        """Stop fetching from these partitions until ``resume``.

        Raises:
            IllegalWorkerStateError: if the task does not own one of them.
        """
        self.check_owned("pause", partitions)
        self._paused.update(partitions)
        self._consumer.pause(partitions)

    def resume(self, *partitions: TopicPartition) -> None:
        """Resume fetching from these partitions.

        Raises:
            IllegalWorkerStateError: if the task does not own one of them.
        """
        self.check_owned("resume", partitions)
        self._paused.difference_update(partitions)
        self._consumer.resume(partitions)

    def request_commit(self) -> None:
        """Request an early offset commit."""
        self._commit_requested = True

    def errant_record_reporter(self) -> ErrantRecordReporter | None:
        """The reporter for records that the task rejects; ``None`` if not configured (KIP-610)."""
        return self._reporter

    def plugin_metrics(self) -> PluginMetrics:
        """Registers metrics of the task (KIP-877)."""
        return self._metrics

    def check_owned(self, what: str, partitions: Iterable[TopicPartition]) -> None:
        """Refuse requests about partitions that are not assigned, as Kafka's consumer does.

        Raises:
            IllegalWorkerStateError: if the task does not own one of them.
        """
        owned = set(self._consumer.assignment())
        if unassigned := sorted(set(partitions) - owned):
            raise IllegalWorkerStateError(
                f"SinkTasks may not {what} partitions that are not currently assigned to them.",
                code="task.unassigned",
                hint="ask for partitions of open() until close(), not in initialize() or start()",
                facts={"partitions": unassigned, "assigned": sorted(owned)},
            )

    def forget(self, partitions: Collection[TopicPartition]) -> None:
        """Drop the seeks of partitions that leave."""
        self._rewinds = {p: at for p, at in self._rewinds.items() if p not in partitions}

    def take_rewinds(self) -> Mapping[TopicPartition, int]:
        """The seeks requested since the last call."""
        rewinds, self._rewinds = self._rewinds, {}
        return rewinds

    def take_timeout(self, otherwise_s: float) -> float:
        """The wait requested since the last call, in seconds, or ``otherwise_s``."""
        timeout_s, self._timeout_s = self._timeout_s, None
        return otherwise_s if timeout_s is None else timeout_s

    def take_commit_request(self) -> bool:
        """Whether a commit was requested since the last call."""
        requested, self._commit_requested = self._commit_requested, False
        return requested

    def still_paused(self) -> list[TopicPartition]:
        """The assigned partitions that the task has paused; revoked ones are forgotten."""
        self._paused.intersection_update(self._consumer.assignment())
        return sorted(self._paused)

    def unpaused(self) -> list[TopicPartition]:
        """The assigned partitions that the task has not paused."""
        return [p for p in self._consumer.assignment() if p not in self._paused]
