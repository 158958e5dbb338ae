"""The life of a sink task: consume, convert, put, and commit what the task says is durable.

Follows Kafka Connect's worker: offsets are committed only through ``pre_commit``, a
`RetriableError` from ``put`` brings the same batch again, and partitions are closed before they
leave.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.errors import RetriableError
from plugwright.record import TopicPartition
from plugwright.worker._boundary import Boundary, unobserved
from plugwright.worker._counters import TaskCounters
from plugwright.worker._sink_context import LoopSinkTaskContext
from plugwright.worker._steps import attempt

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.record import SinkRecord
    from plugwright.task import SinkTask
    from plugwright.worker._boundary import BoundaryObserver
    from plugwright.worker._codec import RecordCodec
    from plugwright.worker._control import TaskControl
    from plugwright.worker._identity import TaskIdentity
    from plugwright.worker._seams import KafkaMessage, RecordConsumer, StatusListener

__all__ = ["SinkSettings", "SinkTaskLoop"]

_BATCH = 500  # small batches stay in the processor's cache; larger ones measured slower
_POLL_S = 0.2  # how late a stop request may be noticed on an idle topic
_RETRY_S = 1.0  # how long a batch waits to be put again when the task names no time itself

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SinkSettings:
    """The worker settings that a sink loop obeys, in seconds."""

    offset_flush_interval_s: float = 60.0


class SinkTaskLoop:
    """Runs one sink task until its control says stop.

    Args:
        task: the plugin's task, fresh.
        identity: names the task in errors.
        configs: the task's configuration.
        topics: what to subscribe to.
        codec: the converters.
        consumer: a group member; polled on this thread only.
        control: the target state.
        status: hears of running, paused, failed, stopped.
    """

    def __init__(  # noqa: PLR0913  # the seams of the loop, all named at the call
        self,
        task: SinkTask,
        *,
        identity: TaskIdentity,
        configs: Mapping[str, str],
        topics: Sequence[str],
        codec: RecordCodec,
        consumer: RecordConsumer,
        control: TaskControl,
        status: StatusListener,
        settings: SinkSettings | None = None,
        observer: BoundaryObserver = unobserved,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.counters = TaskCounters()
        self._task = task
        self._identity = identity
        self._configs = configs
        self._topics = topics
        self._decode = codec.decode
        self._consumer = consumer
        self._control = control
        self._status = status
        self._settings = settings or SinkSettings()
        self._observe = observer
        self._clock = clock
        self._context = LoopSinkTaskContext(configs, consumer)
        self._pending: list[SinkRecord] = []
        self._retry_at: float | None = None
        self._delivered: dict[TopicPartition, int] = {}
        self._committed: dict[TopicPartition, int] = {}
        self._next_commit = clock() + self._settings.offset_flush_interval_s
        self._rebalance_failure: Exception | None = None

    def run(self) -> None:
        """Run the task to its end. Never raises: the status listener hears of an error."""
        failure = attempt(self._start)
        if failure is None:
            failure = attempt(self._work)
            failure = attempt(self._close_all) if failure is None else failure
        failure = failure or attempt(self._stop)
        if failure is None:
            self._status.stopped()
        else:
            self._status.failed(failure)

    def _start(self) -> None:
        self._observe(Boundary.START)
        with self._identity.calling("initialize"):
            self._task.initialize(self._context)
        with self._identity.calling("start"):
            self._task.start(self._configs)
        self._consumer.subscribe(self._topics, self)
        self._status.running()

    def _work(self) -> None:
        try:
            while not self._control.stopping:
                if self._control.paused:
                    self._hold()
                else:
                    self._iterate()
        except Exception:
            # What was put before the failure may be durable: the task is asked, as on a clean stop.
            attempt(self._close_all)
            raise

    def _iterate(self) -> None:
        if self._clock() >= self._next_commit or self._context.take_commit_request():
            self._commit(list(self._delivered))
        messages = self._poll()
        self._rewind(self._context.take_rewinds())
        self._take(messages)
        if self._retry_at is None or self._clock() >= self._retry_at:
            self._put()

    def _hold(self) -> None:
        self._status.paused()
        self._consumer.pause(self._consumer.assignment())
        while self._control.paused and not self._control.stopping:
            # Polling keeps the group membership alive; late arrivals wait for the resume.
            self._take(self._poll())
            self._consumer.pause(self._consumer.assignment())
            if self._clock() >= self._next_commit:
                self._commit(list(self._delivered))
        if not self._control.stopping:
            self._consumer.resume(self._context.unpaused())
            self._status.running()

    def _poll(self) -> Sequence[KafkaMessage]:
        until_commit = max(self._next_commit - self._clock(), 0.0)
        timeout_s = min(_POLL_S, until_commit, self._context.take_timeout(_POLL_S))
        messages = self._consumer.poll(_BATCH, timeout_s)
        if self._rebalance_failure is not None:
            failure, self._rebalance_failure = self._rebalance_failure, None
            raise failure
        return messages

    def _take(self, messages: Sequence[KafkaMessage]) -> None:
        """Convert consumed messages. Hot path: once per record."""
        decode = self._decode
        self._pending += [decode(message) for message in messages]

    def _put(self) -> None:
        batch = self._pending
        self._observe(Boundary.PUT_ENTER)
        try:
            with self._identity.calling("put"):
                self._task.put(batch[:])
        except RetriableError as error:
            self._retry_later(error)
            return
        self._observe(Boundary.PUT_RETURN)
        if self._retry_at is not None:
            self._retry_at = None
            self._consumer.resume(self._context.unpaused())
        if batch:
            self._mark_delivered(batch)
            self.counters.records += len(batch)
            self.counters.batches += 1
            self._pending = []

    def _retry_later(self, error: RetriableError) -> None:
        wait_s = self._context.take_timeout(_RETRY_S)
        log.warning("%s: put will be repeated in %g s: %s", self._identity, wait_s, error)
        self.counters.retries += 1
        self._retry_at = self._clock() + wait_s
        self._consumer.pause(self._consumer.assignment())

    def _mark_delivered(self, batch: Sequence[SinkRecord]) -> None:
        """Remember the next offset of each partition. Hot path: one store per record."""
        ends: dict[tuple[str, int], int] = {}
        for record in batch:
            ends[record.original_topic, record.original_kafka_partition] = (
                record.original_kafka_offset
            )
        for (topic, partition), offset in ends.items():
            self._delivered[TopicPartition(topic, partition)] = offset + 1

    def _commit(self, partitions: Sequence[TopicPartition], *, closing: bool = False) -> None:
        """Ask the task what is durable in these partitions and commit that."""
        self._next_commit = self._clock() + self._settings.offset_flush_interval_s
        offsets = {p: self._delivered[p] for p in partitions if p in self._delivered}
        if not offsets:
            return
        self._observe(Boundary.PRE_COMMIT_ENTER)
        try:
            with self._identity.calling("pre_commit"):
                durable = self._task.pre_commit(dict(offsets))
        except Exception as error:  # noqa: BLE001  # Connect's rule: an exception skips the commit
            self._skip_commit(error, offsets, closing=closing)
            return
        self._observe(Boundary.PRE_COMMIT_RETURN)
        if advance := self._advance(durable or {}, offsets):
            self._consumer.commit(advance)
            self._committed.update(advance)
            self.counters.commits += 1
            self._observe(Boundary.CONSUMER_COMMIT)

    def _skip_commit(
        self, error: Exception, offsets: Mapping[TopicPartition, int], *, closing: bool
    ) -> None:
        self.counters.commit_failures += 1
        log.warning("%s: offsets not committed: %s", self._identity, error)
        if not closing:
            self._pending = []
            for partition in offsets:
                self._consumer.seek(partition, self._committed.get(partition))
                self._delivered.pop(partition, None)

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

    def _rewind(self, rewinds: Mapping[TopicPartition, int]) -> None:
        for partition, offset in rewinds.items():
            self._consumer.seek(partition, offset)
            self._delivered[partition] = offset
        if rewinds:
            self._pending = [r for r in self._pending if _home(r) not in rewinds]

    def assigned(self, partitions: Sequence[TopicPartition]) -> None:
        """Remember where the group stands and open the partitions (group callback)."""
        self._guarded(lambda: self._open(partitions))

    def revoked(self, partitions: Sequence[TopicPartition]) -> None:
        """Commit and close partitions that are about to leave (group callback)."""
        self._guarded(lambda: self._release(partitions, lost=False))

    def lost(self, partitions: Sequence[TopicPartition]) -> None:
        """Close partitions that another member owns already (group callback)."""
        self._guarded(lambda: self._release(partitions, lost=True))

    def _guarded(self, step: Callable[[], None]) -> None:
        # An exception may not cross the client's callback; the next poll raises it.
        self._rebalance_failure = attempt(step) or self._rebalance_failure

    def _open(self, partitions: Sequence[TopicPartition]) -> None:
        self._committed.update(self._consumer.committed(partitions))
        with self._identity.calling("open"):
            self._task.open(list(partitions))
        self._observe(Boundary.OPEN)
        if self._retry_at is not None:
            self._consumer.pause(partitions)

    def _release(self, partitions: Sequence[TopicPartition], *, lost: bool) -> None:
        if not lost:
            self._commit(partitions, closing=True)
        gone = set(partitions)
        self._pending = [r for r in self._pending if _home(r) not in gone]
        for partition in gone:
            self._delivered.pop(partition, None)
            self._committed.pop(partition, None)
        with self._identity.calling("close"):
            self._task.close(list(partitions))
        self._observe(Boundary.CLOSE)

    def _close_all(self) -> None:
        partitions = self._consumer.assignment()
        if partitions:
            self._release(partitions, lost=False)

    def _stop(self) -> None:
        self._observe(Boundary.STOP)
        with self._identity.calling("stop"):
            self._task.stop()


def _home(record: SinkRecord) -> TopicPartition:
    return TopicPartition(record.original_topic, record.original_kafka_partition)
