"""Runs the life cycle of a sink task: consumes, converts, puts and commits.

Follows Kafka Connect's worker: offsets are committed only through ``pre_commit``, a
`RetriableError` from ``put`` repeats the batch, and partitions are closed before they are revoked.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from plugwright.errors import RetriableError
from plugwright.task import takes_columns
from plugwright.worker._boundary import Boundary
from plugwright.worker._errant_records import LoopErrantRecordReporter
from plugwright.worker._pipeline import SinkPipeline
from plugwright.worker._processing import class_name
from plugwright.worker._sink_context import LoopSinkTaskContext
from plugwright.worker._sink_offsets import SinkOffsets
from plugwright.worker._sink_settings import SinkSettings
from plugwright.worker._steps import attempt, first_of
from plugwright.worker.batch import SinkBatch
from plugwright.worker.counters import TaskCounters
from plugwright.worker.dead_letter_queue import DeadLetterQueue
from plugwright.worker.error_handler import ErrorHandler, RetryAbandonedError
from plugwright.worker.runs import runs_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from plugwright.record import TopicPartition
    from plugwright.task import SinkTask
    from plugwright.worker._host_protocols import KafkaMessage, RecordProducer
    from plugwright.worker._sink_clients import SinkClients
    from plugwright.worker._task_environment import TaskEnvironment

    _Offsets = Mapping[TopicPartition, int]

_POLL_S = 0.2  # latest detection of a stop request on an idle topic
_RETRY_S = 1.0  # delay before a batch is put again unless the task sets one

log = logging.getLogger(__name__)


class SinkTaskLoop:
    """Runs one sink task until its control requests a stop.

    Args:
        task: a new instance of the plugin's task.
        environment: the interfaces of the host.
        clients: consume records and send failing ones.
        task_class: dotted name of the plugin's task, if ``task`` is a wrapper around it.
    """

    def __init__(
        self,
        task: SinkTask,
        environment: TaskEnvironment,
        clients: SinkClients,
        *,
        settings: SinkSettings | None = None,
        task_class: str = "",
    ) -> None:
        self.counters = TaskCounters()
        self.trouble: Exception | None = None  # why records are being put or committed again
        self._task = task
        self._by_column = takes_columns(type(task))
        self._identity = environment.identity
        self._configs = environment.configs
        self._control = environment.control
        self._status = environment.status
        self._observe = environment.observe
        self._clock = environment.clock
        self._consumer = clients.consumer
        self._topics = clients.topics
        self._settings = settings or SinkSettings()
        handler = self._error_handler(clients.dead_letters)
        name = task_class or class_name(type(task))
        reports, timeout_s = self._settings.errors.reports, self._settings.offset_flush_timeout_s
        codec, transform = environment.conversion.codec, environment.conversion.transform
        self._reporter = LoopErrantRecordReporter(handler, codec, name) if reports else None
        self._pipeline = SinkPipeline(codec, transform, handler, remembers=reports)
        self._prepare = environment.conversion.prepare
        self._context = LoopSinkTaskContext(
            self._configs, self._consumer, self._reporter, self._identity.metrics
        )
        self._offsets = SinkOffsets(self._consumer, environment, self.counters, timeout_s)
        self._arrived = SinkBatch()  # queued behind the batch, which may wait for a retry
        self._batch = SinkBatch()
        self._retry_at: float | None = None
        self._asked_at = self._clock()
        self._uncommitted = 0
        self._rebalance_failure: Exception | None = None
        self._closed = False

    def run(self) -> None:
        """Run the task to its end. Never raises: errors are reported to the status listener."""
        for _ in self.steps():
            pass

    def steps(self) -> Iterator[None]:
        """Run the task in steps: the first one starts it, each other one polls.

        Must be exhausted; it ends once the control requests a stop.
        """
        failure = attempt(self._start)
        if failure is None:
            try:
                yield from self._work()
            except Exception as error:  # noqa: BLE001  # reported to the status listener
                failure = error
        self._closed = True
        # Connect stops whatever it has begun to start, so that nothing stays half-open.
        failure = first_of(failure, attempt(self._stop))
        if failure is None:
            self._status.stopped()
        else:
            self._status.failed(failure)

    def request_commit(self) -> None:
        """Request a commit before the next poll; only for the loop's own thread."""
        self._context.request_commit()

    def _start(self) -> None:
        self._observe(Boundary.START)
        with self._identity.calling("initialize"):
            self._task.initialize(self._context)
        with self._identity.calling("start"):
            self._task.start(self._configs)
        self._consumer.subscribe(self._topics, self)
        self._status.running()

    def _work(self) -> Iterator[None]:
        try:
            yield
            while not self._control.stopping:
                if self._control.paused:
                    self._hold()
                else:
                    self._iterate()
                yield
        except RetryAbandonedError:
            log.info("%s: stopped with records that were not put", self._identity)
        except Exception:
            # Records put before the failure may be durable: commit as on a clean stop.
            attempt(lambda: self._release(self._consumer.assignment(), lost=False))
            raise
        self._release(self._consumer.assignment(), lost=False)

    def _iterate(self) -> None:
        self._rewind(self._context.take_rewinds())
        self._commit_if_due()
        self._receive()
        if self._retry_at is None or self._clock() >= self._retry_at:
            self._put()
            if self._uncommitted > self._settings.most_uncommitted:
                self._commit(wait=True)

    def _hold(self) -> None:
        self._status.paused()
        self._consumer.pause(self._consumer.assignment())
        self._context.request_commit()
        while self._control.paused and not self._control.stopping:
            self._commit_if_due()
            # Polling keeps the group membership alive; records that arrive wait for the resume.
            self._receive()
            self._consumer.pause(self._consumer.assignment())
        if not self._control.stopping:
            if self._retry_at is None:
                self._consumer.resume(self._context.unpaused())
            self._status.running()

    def _commit_if_due(self) -> None:
        if self._offsets.committing:
            return
        if self._context.take_commit_request() or self._clock() >= self._next_commit():
            self._commit()

    def _receive(self) -> None:
        """Poll once; messages from a partition that ``open`` rewinds are discarded."""
        messages = self._poll()
        if rewinds := self._context.take_rewinds():
            messages = [m for m in messages if (m.topic(), m.partition()) not in rewinds]
            self._rewind(rewinds)
        if messages:
            self.counters.polled += len(messages)
            with self._identity.converting():
                if self._prepare is not None:
                    self._prepare(messages)
                runs = runs_of(messages, self._offsets.only_partition)
                self._pipeline.fill(self._arrived, messages, runs, by_column=self._by_column)

    def _poll(self) -> Sequence[KafkaMessage]:
        room = max(self._settings.batch - len(self._arrived), 1)
        messages = self._consumer.poll(room, self._poll_timeout_s())
        if self._rebalance_failure is not None:
            failure, self._rebalance_failure = self._rebalance_failure, None
            raise failure
        return messages

    def _next_commit(self) -> float:
        return self._asked_at + self._settings.commit_wait_s(refused=self._offsets.refused)

    def _poll_timeout_s(self) -> float:
        now = self._clock()
        timeout_s = min(_POLL_S, self._next_commit() - now, self._context.take_timeout(_POLL_S))
        if self._retry_at is not None and not self._control.paused:
            timeout_s = min(timeout_s, self._retry_at - now)
        return max(timeout_s, 0.0)

    def _put(self) -> None:
        if not self._batch:
            self._batch, self._arrived = self._arrived, SinkBatch()
        batch = self._batch
        self._observe(Boundary.PUT_ENTER)
        began = self._clock()
        try:
            with self._identity.calling("put"):
                batch.put_to(self._task, by_column=self._by_column)
        except RetriableError as error:
            self._raise_reported()
            self._retry_later(error)
            return
        self._raise_reported()
        self._observe(Boundary.PUT_RETURN)
        if self._retry_at is not None:
            self._retry_at = self.trouble = None
            self._consumer.resume(self._context.unpaused())
        if batch:
            self._uncommitted += len(batch)
            self._offsets.put(batch, self._clock() - began)
            self._batch = SinkBatch()

    def _retry_later(self, error: RetriableError) -> None:
        wait_s = self._context.take_timeout(_RETRY_S)
        log.warning("%s: put will be retried in %g s: %s", self._identity, wait_s, error)
        self.counters.retries += 1
        self.trouble = error
        self._retry_at = self._clock() + wait_s
        self._consumer.pause(self._consumer.assignment())

    def _commit(self, *, wait: bool = False) -> None:
        """Ask the task which offsets are durable, and commit them."""
        self._uncommitted = 0
        offsets = self._offsets.current()
        self._offsets.commit(self._durable(offsets, closing=False), offsets, wait=wait)

    def _durable(self, offsets: _Offsets, *, closing: bool) -> _Offsets:
        """The task's answer to these offsets; empty if nothing is to be committed."""
        self._asked_at = self._clock()
        if not offsets or not self._reports_are_safe():
            return {}
        self._observe(Boundary.PRE_COMMIT_ENTER)
        try:
            with self._identity.calling("pre_commit"):
                durable = dict(self._task.pre_commit(dict(offsets)) or {})
        except Exception as error:  # noqa: BLE001  # Connect's rule: an exception skips the commit
            self._skip_commit(error, closing=closing)
            return {}
        self.trouble = None
        self._observe(Boundary.PRE_COMMIT_RETURN)
        return durable

    def _reports_are_safe(self) -> bool:
        """Whether the reports of failing records are stored; raises if one failed (KIP-610)."""
        timeout_s = self._settings.offset_flush_timeout_s
        settled = all(r.settled(timeout_s) for r in (self._reporter, self._dead_letters) if r)
        if not settled:
            self.counters.commit_failures += 1
            why = "reports of failing records are pending"
            log.warning("%s: offsets not committed: %s", self._identity, why)
        return settled

    def _raise_reported(self) -> None:
        if self._reporter is not None:
            self._reporter.raise_refusal()

    def _skip_commit(self, error: Exception, *, closing: bool) -> None:
        self.counters.commit_failures += 1
        self.trouble = error
        log.warning("%s: offsets not committed: %s", self._identity, error)
        if not closing:
            partitions = list(self._offsets.current())
            self._drop_held(partitions)
            self._offsets.go_back(partitions)

    def _rewind(self, rewinds: Mapping[TopicPartition, int]) -> None:
        if not rewinds:
            return
        self._context.check_owned("seek", rewinds)
        self._drop_held(rewinds)
        for partition, offset in rewinds.items():
            self._consumer.seek(partition, offset)
            self._offsets.rewound(partition, offset)

    def _drop_held(self, partitions: Collection[TopicPartition]) -> None:
        """Discard the records of these partitions that have not been put yet."""
        for held in (self._batch, self._arrived):
            self._offsets.anchor(held)
            held.drop(partitions)

    def assigned(self, partitions: Sequence[TopicPartition]) -> None:
        """Fetch the committed offsets and open the partitions (group callback)."""
        self._guarded(lambda: self._open(partitions))

    def revoked(self, partitions: Sequence[TopicPartition]) -> None:
        """Commit and close partitions that are about to be revoked (group callback)."""
        self._guarded(lambda: self._release(partitions, lost=False))

    def lost(self, partitions: Sequence[TopicPartition]) -> None:
        """Close partitions that another member already owns (group callback)."""
        self._guarded(lambda: self._release(partitions, lost=True))

    def _guarded(self, step: Callable[[], None]) -> None:
        # Leaving the group calls back once more, after everything has been closed and stopped.
        if self._closed:
            return
        # An exception must not cross the client's callback; the next poll raises it.
        self._rebalance_failure = first_of(self._rebalance_failure, attempt(step))

    def _open(self, partitions: Sequence[TopicPartition]) -> None:
        self._offsets.opened(partitions)
        with self._identity.calling("open"):
            self._task.open(list(partitions))
        self._observe(Boundary.OPEN)
        self._pause_as_before(partitions)

    def _pause_as_before(self, partitions: Sequence[TopicPartition]) -> None:
        """Pause new partitions like the others, and resume after a batch whose partitions left."""
        if self._retry_at is not None and not self._batch:
            self._retry_at = None
            self._consumer.resume(self._context.unpaused())
        if self._retry_at is not None or self._control.paused:
            self._consumer.pause(partitions)
        else:
            self._consumer.pause(self._context.still_paused())

    def _release(self, partitions: Sequence[TopicPartition], *, lost: bool) -> None:
        """Close partitions, then commit: ``close`` may complete what ``pre_commit`` promised."""
        if not partitions:
            return
        offsets = self._offsets.current(partitions)
        durable = {} if lost else self._durable(offsets, closing=True)
        self._drop_held(set(partitions))
        try:
            with self._identity.calling("close"):
                self._task.close(list(partitions))
            self._observe(Boundary.CLOSE)
            self._offsets.commit(durable, offsets, wait=True)
        finally:
            self._offsets.forget(partitions)
            self._context.forget(partitions)

    def _stop(self) -> None:
        self._observe(Boundary.STOP)
        with self._identity.calling("stop"):
            self._task.stop()

    def _error_handler(self, dead_letters: RecordProducer | None) -> ErrorHandler:
        errors, counters = self._settings.errors, self.counters.errors
        self._dead_letters: DeadLetterQueue | None = None
        if errors.dead_letter_topic and dead_letters is not None:
            self._dead_letters = DeadLetterQueue(errors, self._identity, dead_letters, counters)
        reporters = [self._dead_letters] if self._dead_letters else []
        identity, control = self._identity, self._control
        return ErrorHandler(
            identity, control, errors, reporters=reporters, counters=counters, clock=self._clock
        )
