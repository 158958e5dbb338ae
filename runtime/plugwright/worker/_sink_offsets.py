"""How far a sink task has come in each partition, and what the group is told about it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.worker._boundary import Boundary

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from plugwright.record import TopicPartition
    from plugwright.worker._batch import SinkBatch
    from plugwright.worker._boundary import BoundaryObserver
    from plugwright.worker._counters import TaskCounters
    from plugwright.worker._identity import TaskIdentity
    from plugwright.worker._seams import RecordConsumer

log = logging.getLogger(__name__)


class SinkOffsets:
    """The positions of one sink task.

    A commit does not hold up the task: the group's answer comes with a later poll. An answer that
    takes too long counts as a failure; should it come after all, it changes nothing.

    Args:
        timeout_s: how long the group may take to answer.

    Attributes:
        refused: whether the group did not take the last commit.
    """

    def __init__(  # noqa: PLR0913  # the seams of the loop, all named at the call
        self,
        *,
        consumer: RecordConsumer,
        identity: TaskIdentity,
        counters: TaskCounters,
        observe: BoundaryObserver,
        clock: Callable[[], float],
        timeout_s: float,
    ) -> None:
        self._consumer = consumer
        self._identity = identity
        self._counters = counters
        self._observe = observe
        self._clock = clock
        self._timeout_s = timeout_s
        self._open: set[TopicPartition] = set()
        self._delivered: dict[TopicPartition, int] = {}
        self._committed: dict[TopicPartition, int] = {}
        self._anchors: dict[TopicPartition, int] = {}  # where a failed pre_commit goes back to
        self._commit_number = 0
        self.refused = False
        self._commit_began: float | None = None

    def opened(self, partitions: Collection[TopicPartition]) -> None:
        """Learn where the group stands in new partitions.

        Raises:
            RetriableError: if the group coordinator does not answer.
        """
        self._open.update(partitions)
        self._committed.update(self._consumer.committed(list(partitions)))
        self._counters.partitions += len(partitions)

    @property
    def only_partition(self) -> TopicPartition | None:
        """Where every message comes from, if just one partition is open."""
        return next(iter(self._open)) if len(self._open) == 1 else None

    def put(self, batch: SinkBatch, took_s: float) -> None:
        """The task has taken a batch: count it, remember the next offset of each partition.

        Args:
            batch: what it has taken.
            took_s: how long it took, in seconds.
        """
        ends = batch.ends()
        self._counters.batch_put(len(batch), took_s, ends)
        self._delivered.update(ends)
        for partition, first in batch.firsts().items():
            self._anchors.setdefault(partition, first)  # nothing was put or committed before
        self._count_active()

    def rewound(self, partition: TopicPartition, offset: int) -> None:
        """The task goes on from here."""
        self._delivered[partition] = self._anchors[partition] = offset

    def go_back(self, partitions: Iterable[TopicPartition]) -> None:
        """Read again what came after the last commit."""
        for partition in partitions:
            self._consumer.seek(partition, self._anchors[partition])
            self._delivered.pop(partition, None)
        self._count_active()

    def forget(self, partitions: Collection[TopicPartition]) -> None:
        """The partitions have left; an answer about them changes nothing any more."""
        self._commit_number += 1
        self._commit_began = None
        self._counters.partitions -= len(set(partitions))
        self._open.difference_update(partitions)
        for partition in partitions:
            for known in (self._delivered, self._committed, self._anchors):
                known.pop(partition, None)
        self._count_active()

    def delivered(
        self, partitions: Iterable[TopicPartition] | None = None
    ) -> dict[TopicPartition, int]:
        """What may be asked about: the next offset of partitions of which something was put."""
        wanted = self._delivered if partitions is None else partitions
        return {p: self._delivered[p] for p in wanted if p in self._delivered}

    @property
    def committing(self) -> bool:
        """Whether the group still owes an answer; one that is overdue is given up."""
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
        """Tell the group what the task says is durable, as far as it was asked about it.

        Args:
            durable: the task's answer.
            offsets: what it was asked about.
            wait: whether to wait for the answer, because the partitions are about to leave.
        """
        advance = self._advance(durable, offsets)
        if not advance:
            return
        self._commit_number += 1
        self._counters.commit_number = self._commit_number
        began = self._clock()
        if wait:
            try:
                self._consumer.commit(advance)
            except ConnectError as error:
                self._refused(error)
            else:
                self._accepted(advance, began)
            return
        number = self._commit_number
        self._commit_began = began
        self._consumer.commit_async(advance, lambda error: self._answered(number, advance, error))

    def _answered(
        self, number: int, advance: Mapping[TopicPartition, int], error: ConnectError | None
    ) -> None:
        if number != self._commit_number:
            self._counters.commit_skips += 1  # given up, or overtaken by a rebalance
            return
        began, self._commit_began = self._commit_began, None
        if error is None:
            self._accepted(advance, self._clock() if began is None else began)
        else:
            self._refused(error)

    def _accepted(self, advance: Mapping[TopicPartition, int], began: float) -> None:
        self.refused = False
        self._committed.update(advance)
        self._anchors.update(advance)
        self._count_active()
        self._counters.commits += 1
        self._counters.commit_ms.add((self._clock() - began) * 1000)
        self._observe(Boundary.CONSUMER_COMMIT)

    def _count_active(self) -> None:
        """What was put and is not committed. Once for each batch: a step for each partition."""
        known = self._anchors
        lags = [offset - known.get(place, offset) for place, offset in self._delivered.items()]
        self._counters.now_active(sum(lags), max(lags, default=0))

    def _refused(self, error: ConnectError) -> None:
        """A group that refuses is asked again at the next commit."""
        self.refused = True
        self._counters.commit_failures += 1
        log.warning("%s: offsets not committed, will try again: %s", self._identity, error)

    def _advance(
        self, durable: Mapping[TopicPartition, int], offsets: Mapping[TopicPartition, int]
    ) -> dict[TopicPartition, int]:
        """The part of ``durable`` that may be committed: assigned, consumed, and progress."""
        advance = {}
        for partition, offset in durable.items():
            if partition not in offsets:
                log.warning("%s: ignored offset for foreign %s", self._identity, partition)
            elif offset > offsets[partition]:
                log.warning(
                    "%s: ignored offset %d beyond the consumed %d of %s",
                    self._identity,
                    offset,
                    offsets[partition],
                    partition,
                )
            elif offset != self._committed.get(partition):
                advance[partition] = offset
        return advance
