"""Tracks the next offset to commit for each partition, and commits to the group."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.worker._boundary import Boundary

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from plugwright.record import TopicPartition
    from plugwright.worker._host_protocols import RecordConsumer
    from plugwright.worker._task_environment import TaskEnvironment
    from plugwright.worker.batch import SinkBatch
    from plugwright.worker.counters import TaskCounters

log = logging.getLogger(__name__)


class SinkOffsets:
    """The offsets of one sink task.

    Commits are asynchronous: the group's answer arrives with a later poll. A commit without an
    answer in time counts as failed; a late answer is ignored.

    Args:
        timeout_s: time that the group may take to answer.

    Attributes:
        refused: whether the group rejected the last commit.
    """

    def __init__(
        self,
        consumer: RecordConsumer,
        environment: TaskEnvironment,
        counters: TaskCounters,
        timeout_s: float,
    ) -> None:
        self._consumer = consumer
        self._identity = environment.identity
        self._counters = counters
        self._observe = environment.observe
        self._clock = environment.clock
        self._timeout_s = timeout_s
        self._open: set[TopicPartition] = set()
        self._current: dict[TopicPartition, int] = {}
        self._committed: dict[TopicPartition, int] = {}
        self._anchors: dict[TopicPartition, int] = {}  # rewind here after a failed pre_commit
        self._commit_number = 0
        self.refused = False
        self._commit_began: float | None = None

    def opened(self, partitions: Collection[TopicPartition]) -> None:
        """Look up where reading of new partitions begins.

        Raises:
            RetriableError: if the group coordinator does not answer.
        """
        self._open.update(partitions)
        begin = self._consumer.positions(list(partitions))
        self._committed.update(begin)
        self._current.update(begin)
        self._counters.partitions += len(partitions)

    @property
    def only_partition(self) -> TopicPartition | None:
        """The partition of every message, if exactly one is open."""
        return next(iter(self._open)) if len(self._open) == 1 else None

    def put(self, batch: SinkBatch, took_s: float) -> None:
        """Count a batch that was put, and record the next offset of each partition.

        Args:
            batch: the batch.
            took_s: duration of ``put``, in seconds.
        """
        ends = batch.ends()
        self._counters.batch_put(len(batch), took_s, ends)
        self._current.update(ends)
        self.anchor(batch)
        self._count_active()

    def anchor(self, batch: SinkBatch) -> None:
        """Remember where a batch begins in partitions of which nothing was put or committed."""
        for partition, first in batch.firsts().items():
            self._anchors.setdefault(partition, first)

    def rewound(self, partition: TopicPartition, offset: int) -> None:
        """Record that the task continues from this offset."""
        self._current[partition] = self._anchors[partition] = offset

    def go_back(self, partitions: Iterable[TopicPartition]) -> None:
        """Rewind to the last commit; nothing was read of partitions without an anchor."""
        for partition in partitions:
            if (anchor := self._anchors.get(partition)) is not None:
                self._consumer.seek(partition, anchor)
                self._current[partition] = anchor
        self._count_active()

    def forget(self, partitions: Collection[TopicPartition]) -> None:
        """Drop revoked partitions; pending answers about them are ignored."""
        self._commit_number += 1
        self._commit_began = None
        self._counters.partitions -= len(set(partitions))
        self._open.difference_update(partitions)
        for partition in partitions:
            for known in (self._current, self._committed, self._anchors):
                known.pop(partition, None)
        self._count_active()

    def current(
        self, partitions: Iterable[TopicPartition] | None = None
    ) -> dict[TopicPartition, int]:
        """The next offset of each partition: behind the records that were put, or where it begins.

        Of partitions without records too, as Kafka Connect's worker passes them to a sink.
        """
        wanted = self._current if partitions is None else partitions
        return {p: self._current[p] for p in wanted if p in self._current}

    @property
    def committing(self) -> bool:
        """Whether a commit is pending; one that has timed out is dropped."""
        began = self._commit_began
        if began is not None and self._clock() - began >= self._timeout_s:
            log.warning("%s: the commit of offsets timed out", self._identity)
            self._counters.commit_failures += 1
            self.refused = True
            self._commit_number += 1
            self._commit_began = None
        return self._commit_began is not None

    def commit(
        self,
        durable: Mapping[TopicPartition, int],
        offsets: Mapping[TopicPartition, int],
        *,
        wait: bool,
    ) -> None:
        """Commit the offsets that the task reports durable, up to those it was asked about.

        Args:
            durable: the task's answer.
            offsets: the offsets that it was asked about.
            wait: whether to wait for the answer, because the partitions are about to be revoked.
        """
        committable = self._committable(durable, offsets)
        if not committable:
            return
        self._commit_number += 1
        self._counters.commit_number = self._commit_number
        began = self._clock()
        if wait:
            try:
                self._consumer.commit(committable)
            except ConnectError as error:
                self._refused(error)
            else:
                self._accepted(committable, began)
            return
        number = self._commit_number
        self._commit_began = began
        self._consumer.commit_async(
            committable, lambda error: self._answered(number, committable, error)
        )

    def _answered(
        self, number: int, committable: Mapping[TopicPartition, int], error: ConnectError | None
    ) -> None:
        if number != self._commit_number:
            self._counters.commit_skips += 1  # timed out, or overtaken by a rebalance
            return
        began, self._commit_began = self._commit_began, None
        if error is None:
            self._accepted(committable, self._clock() if began is None else began)
        else:
            self._refused(error)

    def _accepted(self, committable: Mapping[TopicPartition, int], began: float) -> None:
        self.refused = False
        self._committed.update(committable)
        self._anchors.update(committable)
        self._count_active()
        self._counters.commits += 1
        self._counters.commit_ms.add((self._clock() - began) * 1000)
        self._observe(Boundary.CONSUMER_COMMIT)

    def _count_active(self) -> None:
        """Update the number of uncommitted records. Runs once per batch, over all partitions."""
        known = self._anchors
        lags = [offset - known.get(place, offset) for place, offset in self._current.items()]
        self._counters.now_active(sum(lags), max(lags, default=0))

    def _refused(self, error: ConnectError) -> None:
        """Handle a rejected commit, which is retried with the next one."""
        self.refused = True
        self._counters.commit_failures += 1
        log.warning("%s: offsets not committed, will be retried: %s", self._identity, error)

    def _committable(
        self, durable: Mapping[TopicPartition, int], offsets: Mapping[TopicPartition, int]
    ) -> dict[TopicPartition, int]:
        """All offsets to commit; empty if none of them would change.

        As in Kafka Connect: partitions that ``durable`` leaves out have their last committed
        offset, or the one where reading began, so that a restart does not reset them. After a
        seek it is at most the offset that the task asked for.
        """
        if not durable:
            return {}
        known = {p: self._committed[p] for p in offsets if p in self._committed}
        committable = {p: min(offset, offsets[p]) for p, offset in known.items()}
        for partition, offset in durable.items():
            if partition not in offsets:
                log.warning("%s: ignored offset of unassigned %s", self._identity, partition)
            elif offset > offsets[partition]:
                log.warning(
                    "%s: ignored offset %d beyond the consumed %d of %s",
                    self._identity,
                    offset,
                    offsets[partition],
                    partition,
                )
            else:
                committable[partition] = offset
        return {} if committable == known else committable
