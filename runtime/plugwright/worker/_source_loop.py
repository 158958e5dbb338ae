"""Runs the life cycle of a source task: polls, converts, produces and stores offsets.

Follows Kafka Connect's worker. While ``poll`` blocks, a background thread serves acknowledgements,
stores offsets and performs a pause or a stop.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from plugwright.errors import RetriableError
from plugwright.task import TransactionBoundary
from plugwright.worker._background import LoopLock, NoBackground
from plugwright.worker._boundary import Boundary
from plugwright.worker._delivery import DeliveryParts, DispatchAbandonedError, TaskListener
from plugwright.worker._pipeline import SourcePipeline
from plugwright.worker._polled import checked_records
from plugwright.worker._source_context import LoopSourceTaskContext
from plugwright.worker._source_settings import SourceSettings
from plugwright.worker._steps import attempt, first_of
from plugwright.worker._transaction_context import LoopTransactionContext
from plugwright.worker.counters import TaskCounters
from plugwright.worker.error_handler import ErrorHandler, RetryAbandonedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plugwright.record import SourceRecord
    from plugwright.task import SourceTask
    from plugwright.worker._background import Background
    from plugwright.worker._delivery import DeliveryGuarantee
    from plugwright.worker._host_protocols import OutgoingRecord
    from plugwright.worker._task_environment import TaskEnvironment

_BATCH = 500  # small batches stay in the processor's cache; larger ones measured slower
_IDLE_S = 0.1
_STOP_GRACE_S = 0.5  # time for a poll to return before the task is stopped during it

log = logging.getLogger(__name__)


class SourceTaskLoop:
    """Runs one source task until its control requests a stop.

    Args:
        task: a new instance of the plugin's task.
        environment: the interfaces of the host.
        guarantee: how records and offsets are delivered.
        background: serves the task while ``poll`` blocks; none by default.
    """

    def __init__(
        self,
        task: SourceTask,
        environment: TaskEnvironment,
        guarantee: DeliveryGuarantee,
        *,
        background: Background | None = None,
        settings: SourceSettings | None = None,
    ) -> None:
        self.counters = TaskCounters()
        self._task = task
        self._identity = environment.identity
        self._configs = environment.configs
        self._control = environment.control
        self._status = environment.status
        self._observe = environment.observe
        self._clock = environment.clock
        self._loop_lock = LoopLock()
        self._background = background or NoBackground()
        self._settings = settings or SourceSettings()
        handler = self._error_handler()
        conversion = environment.conversion
        self._pipeline = SourcePipeline(conversion.codec, conversion.transform, handler)
        self._prepare = conversion.prepare
        self._ends_transactions = (
            guarantee.is_transactional and self._settings.boundary is TransactionBoundary.CONNECTOR
        )
        requests = LoopTransactionContext()
        self._context = LoopSourceTaskContext(
            self._configs,
            guarantee.offsets,
            requests if self._ends_transactions else None,
            self._identity.metrics,
        )
        self._delivery = guarantee.delivery(self._delivery_parts(handler, requests))
        self._shown_paused = False
        self._resting = False
        self._stop_seen: float | None = None
        self._stopped_early = False
        self._background_failure: Exception | None = None

    def run(self) -> None:
        """Run the task to its end. Never raises: errors are reported to the status listener."""
        for _ in self.steps():
            pass

    def steps(self) -> Iterator[None]:
        """Run the task in steps: the first one starts it, each other one polls.

        Must be exhausted; it ends once the control requests a stop.
        """
        self._loop_lock.take()
        failure = attempt(self._start)
        if failure is None:
            self._background.begin(self._loop_lock, self._background_step)
            try:
                yield from self._work()
            except Exception as error:  # noqa: BLE001  # reported to the status listener
                failure = error
        self._background.end()  # no further step runs, because the loop keeps the lock
        # Connect stops whatever it has begun to start, so that nothing stays half-open.
        if not self._stopped_early:
            failure = first_of(failure, attempt(self._stop))
        self._loop_lock.leave()
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
        self._status.running()

    def _work(self) -> Iterator[None]:
        try:
            yield
            while not self._control.stopping:
                if self._control.paused:
                    self._hold()
                elif (records := self._poll()) is not None:
                    self._send(records)
                self._raise_background_failure()
                if not self._stopped_early:
                    self._delivery.tick()
                yield
        except (DispatchAbandonedError, RetryAbandonedError):
            log.info("%s: stopped with records that were not sent", self._identity)
        except Exception:
            attempt(lambda: self._finish(failed=True))
            raise
        self._finish(failed=False)
        self._raise_background_failure()

    def _hold(self) -> None:
        if not self._shown_paused:
            self._show_pause()
            self._delivery.pause()
        while self._control.paused and not self._control.stopping:
            self._delivery.tick()
            self._control.wait(_IDLE_S)
        if not self._control.stopping:
            self._show_resume()

    def _show_pause(self) -> None:
        self._shown_paused = True
        self._status.paused()

    def _show_resume(self) -> None:
        self._shown_paused = False
        self._status.running()

    def _poll(self) -> Sequence[SourceRecord] | None:
        """The records of one poll; ``None`` if the task is being stopped, and they are dropped."""
        self._observe(Boundary.POLL_ENTER)
        began = self._clock()
        try:
            with self._loop_lock.lent(), self._identity.calling("poll"):
                records = checked_records(self._task.poll())
        except RetriableError as error:
            log.warning("%s: poll will be retried: %s", self._identity, error)
            self.counters.retries += 1
            self._control.wait(_IDLE_S)
            return ()
        except Exception as error:
            if not self._stopped_early:
                raise
            log.warning("%s: poll failed during the stop: %s", self._identity, error)
            return None
        if records is not None:
            self.counters.polled += len(records)
            self.counters.batch_took(len(records), self._clock() - began)
        self._observe(Boundary.POLL_RETURN)
        if self._shown_paused:
            self._hold()  # records polled during a pause wait for its end
        if self._stopped_early or (self._shown_paused and self._control.stopping):
            return None
        return records or ()

    def _send(self, records: Sequence[SourceRecord]) -> None:
        for start in range(0, len(records), _BATCH):
            batch = records[start : start + _BATCH]
            if self._prepare is not None:
                batch = list(batch)  # what is prepared is found again by the record itself
            outgoing: list[OutgoingRecord | None] = []
            try:
                with self._identity.converting():
                    if self._prepare is not None:
                        self._prepare(batch)
                    self._pipeline.run(batch, outgoing, self._delivery.callback(batch))
            finally:
                self._delivery.send(batch, outgoing)
        self._delivery.batch_sent()
        self.counters.batches += bool(records)

    def _rest(self, seconds: float) -> None:
        """Wait between two attempts, while the background may store offsets."""
        self._resting = True
        with self._loop_lock.lent():
            self._control.wait(seconds)
        self._resting = False

    def _background_step(self) -> bool:
        """Serve the task while its poll blocks (background thread, with the lock).

        Returns:
            Whether more work is pending.
        """
        if self._resting:
            step = self._delivery.tick  # a batch is being sent: no pause or stop in between
        else:
            step = self._stop_under_poll if self._control.stopping else self._do_what_is_due
        if not self._stopped_early and (self._control.stopping or self._background_failure is None):
            self._background_failure = first_of(self._background_failure, attempt(step))
        return self._delivery.in_flight

    def _do_what_is_due(self) -> None:
        if self._control.paused and not self._shown_paused:
            self._show_pause()
            if not self._ends_transactions:  # its requests concern the batch to come
                self._delivery.pause()
        elif self._shown_paused and not self._control.paused:
            self._show_resume()
        self._delivery.tick()

    def _stop_under_poll(self) -> None:
        """Store offsets and stop the task although its poll has not returned.

        The contract of ``stop`` permits that; records that the poll still returns are read again.
        """
        now = self._clock()
        self._stop_seen = now if self._stop_seen is None else self._stop_seen
        if now - self._stop_seen < _STOP_GRACE_S:
            return
        self._stopped_early = True
        # Requests about transactions concern the batch that will not be sent.
        failed = self._background_failure is not None or self._ends_transactions
        failure = attempt(lambda: self._delivery.finish(failed=failed))
        failure = first_of(failure, attempt(self._stop))
        if failure is not None:
            raise failure

    def _raise_background_failure(self) -> None:
        if self._background_failure is not None:
            raise self._background_failure

    def _finish(self, *, failed: bool) -> None:
        """Store what can be stored, unless the background thread has done so."""
        if not self._stopped_early:
            self._delivery.finish(failed=failed)

    def _stop(self) -> None:
        self._observe(Boundary.STOP)
        with self._identity.calling("stop"):
            self._task.stop()

    def _error_handler(self) -> ErrorHandler:
        return ErrorHandler(
            self._identity,
            self._control,
            self._settings.errors,
            counters=self.counters.errors,
            wait=self._rest,
            clock=self._clock,
        )

    def _delivery_parts(
        self, handler: ErrorHandler, requests: LoopTransactionContext
    ) -> DeliveryParts:
        return DeliveryParts(
            identity=self._identity,
            control=self._control,
            counters=self.counters,
            settings=self._settings,
            listener=TaskListener(self._task, self._identity),
            handler=handler,
            requests=requests,
            observe=self._observe,
            clock=self._clock,
        )
