"""Handles failing records: retries, skips, or fails the task (KIP-298).

Kafka Connect's ``RetryWithToleranceOperator``, entered only after a failure: the loops'
fast path does not involve it.
"""

from __future__ import annotations

import logging
import random
import time
from typing import TYPE_CHECKING, Any, Final, NoReturn

from plugwright.errors import ConnectError, PluginError, RetriableError
from plugwright.origin import is_operators, name_origin, origin, said
from plugwright.record import SourceRecord
from plugwright.retry import doubled_delay_s
from plugwright.worker._error_limit import ErrorLimit
from plugwright.worker._error_settings import ErrorSettings
from plugwright.worker._processing import FailedOperation, ProcessingStage
from plugwright.worker.counters import ErrorCounters
from plugwright.worker.record_text import record_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    from plugwright.worker._control import TaskControl
    from plugwright.worker._identity import TaskIdentity
    from plugwright.worker._processing import ErrorReporter, Origin


_TIMESTAMP_TYPES = ("NoTimestampType", "CreateTime", "LogAppendTime")

log = logging.getLogger(__name__)


class ErrorLog:
    """Logs one line for each record that failed for good.

    Args:
        messages: whether the line identifies the record.
    """

    def __init__(self, identity: TaskIdentity, counters: ErrorCounters, *, messages: bool) -> None:
        self._identity = identity
        self._counters = counters
        self._messages = messages

    def report(self, failed: FailedOperation) -> None:
        """Log the failure with its stack."""
        which = _described(failed.origin) if self._messages else ""
        log.error(
            "Error encountered in task %s. Executing stage '%s' with class '%s'%s.",
            self._identity,
            failed.stage.value,
            failed.executor,
            which,
            exc_info=failed.error,
        )
        self._counters.errors_logged += 1


def _described(origin: Origin) -> str:
    message = origin.message
    if message is None:
        shown = record_text(origin.record) if isinstance(origin.record, SourceRecord) else "null"
        return f", where source record is = {shown}"
    kind, timestamp = message.timestamp()
    when = f", timestamp={timestamp}, timestampType={_TIMESTAMP_TYPES[kind]}" if kind else ""
    return (
        f", where consumed record is {{topic='{message.topic()}', "
        f"partition={message.partition()}, offset={message.offset()}{when}}}"
    )


SKIPPED: Final = object()
"""The result of an operation whose record is skipped."""

_EXCEEDED = "Tolerance exceeded in error handler"
_FIRST_DELAY_S = 0.3
_TOLERABLE = frozenset(
    {
        ProcessingStage.TRANSFORMATION,
        ProcessingStage.KEY_CONVERTER,
        ProcessingStage.VALUE_CONVERTER,
        ProcessingStage.HEADER_CONVERTER,
    }
)
"""The stages in which every exception may be tolerated; elsewhere only a `RetriableError` may."""


class RetryAbandonedError(Exception):
    """The task was asked to stop while an operation waited for a retry.

    The record is neither skipped nor failed: its offset does not advance.
    """


class ErrorHandler:
    """Applies a connector's ``errors.*`` settings to failing records.

    Args:
        identity: identifies the task in errors.
        control: ends the wait between attempts when the task should stop.
        settings: the connector's settings; by default the first failure ends the task.
        reporters: called for every record that fails for good, tolerated or not; so is the log,
            if the settings enable it.
        counters: counts failures.
        wait: sleeps for at most so many seconds; by default as ``control`` does.
        clock: monotonic seconds.
        draw: returns a random number from 0 to below 1, for delays above the limit.
    """

    def __init__(  # noqa: PLR0913  # collaborators, the optional ones by keyword
        self,
        identity: TaskIdentity,
        control: TaskControl,
        settings: ErrorSettings | None = None,
        *,
        reporters: Sequence[ErrorReporter] = (),
        counters: ErrorCounters | None = None,
        wait: Callable[[float], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
        draw: Callable[[], float] = random.random,
    ) -> None:
        self.settings = settings or ErrorSettings()
        self.counters = counters or ErrorCounters()
        self._identity = identity
        self._control = control
        logged = ErrorLog(identity, self.counters, messages=self.settings.log_messages)
        self._reporters = [logged, *reporters] if self.settings.log else reporters
        self._wait = wait or control.wait
        self._clock = clock
        self._draw = draw
        self._limit = ErrorLimit(self.settings, identity, clock)

    @property
    def tolerates_all(self) -> bool:
        """Whether failing records are skipped."""
        return self.settings.tolerate_all

    def run(
        self,
        operation: Callable[[], Any],
        origin: Origin,
        stage: ProcessingStage,
        executor: str,
        *,
        failed_with: BaseException | None = None,
    ) -> Any:
        """Run an operation with retries as configured; returns its result or ``SKIPPED``.

        Args:
            operation: called once per attempt.
            origin: the record as it entered the runtime.
            stage: the stage that the operation belongs to.
            executor: dotted name of the class that performs it.
            failed_with: the exception of the first attempt, if that was made on the fast path.

        Raises:
            ConnectError: if the record fails and errors are not tolerated.
            RetryAbandonedError: if the task should stop before the next attempt.
        """
        start, attempt, error = self._clock(), 0, failed_with
        while True:
            if error is None:
                try:
                    return operation()
                except BaseException as raised:  # plugin code; handled below
                    if is_operators(raised):
                        raise
                    error = raised
            attempt += 1
            self.counters.record_failures += 1
            if not isinstance(error, RetriableError) or not self._may_retry(start):
                return self._give_up(FailedOperation(origin, stage, executor, error))
            self._back_off(attempt, start)
            self.counters.retries += 1
            error = None

    def failed(
        self, origin: Origin, stage: ProcessingStage, executor: str, error: BaseException
    ) -> list[Future[None]]:
        """Handle a failure that cannot be retried; returns the futures of its reports.

        Raises:
            ConnectError: unless every failure is tolerated, or if the limit is exceeded.
        """
        self.counters.record_failures += 1
        failed = FailedOperation(origin, stage, executor, error)
        futures = self._report(failed)
        self._leave_out(failed)
        return futures

    def _give_up(self, failed: FailedOperation) -> object:
        self._report(failed)
        tolerable = Exception if failed.stage in _TOLERABLE else RetriableError
        if not isinstance(failed.error, tolerable):
            self._end("Unhandled exception in error handler", failed)
        self._leave_out(failed)
        return SKIPPED

    def _leave_out(self, failed: FailedOperation) -> None:
        if not self.settings.tolerate_all:
            self._end(_EXCEEDED, failed)
        self._limit.note(failed)
        self.counters.records_skipped += 1

    def _report(self, failed: FailedOperation) -> list[Future[None]]:
        self.counters.record_errors += 1
        self.counters.last_error_timestamp = int(time.time() * 1000)
        noted = [reporter.report(failed) for reporter in self._reporters]
        return [future for future in noted if future is not None]

    def _may_retry(self, start: float) -> bool:
        limit = self.settings.retry_timeout_s
        return limit < 0 or self._clock() - start < limit

    def _back_off(self, attempt: int, start: float) -> None:
        """Wait before the next attempt: 300 ms, doubled each time, random above the limit."""
        now, limit = self._clock(), self.settings.retry_timeout_s
        delay = doubled_delay_s(_FIRST_DELAY_S, attempt)
        if delay > self.settings.retry_delay_max_s:
            delay = self._draw() * self.settings.retry_delay_max_s
        until = now + delay if limit < 0 else min(now + delay, start + limit)
        while (left := until - self._clock()) > 0 and not self._control.stopping:
            self._wait(left)
        if self._control.stopping:
            raise RetryAbandonedError

    def _end(self, verdict: str, failed: FailedOperation) -> NoReturn:
        """Raise the error that fails the task.

        An explained error of the plugin is passed on, with a note about its stage.
        """
        error = failed.error
        where = f"stage '{failed.stage.value}' with class '{failed.executor}'"
        if isinstance(error, ConnectError):
            error.add_note(f"{verdict}: {where} of task {self._identity}")
            raise error
        found = PluginError(
            f"{verdict}: {where}: {said(error)}",
            hint="fix the record or the plugin, or skip failing records (errors.tolerance)",
            facts={
                "task": str(self._identity),
                "class": failed.executor,
                "plugin": self._identity.plugin,
                "version": self._identity.version,
                "location": self._identity.location,
                "phase": failed.stage.value,
                "error": type(error).__name__,
            },
        )
        named = self._identity
        place = f"{failed.stage.value} with class {failed.executor}"
        name_origin(found, origin(named.plugin, named.version, named.location, place))
        raise found from error
