"""Limits how many failing records a task may skip within a time window."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.worker._processing import class_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright.worker._error_settings import ErrorSettings
    from plugwright.worker._identity import TaskIdentity
    from plugwright.worker._processing import FailedOperation


class ErrorLimit:
    """Counts skipped records; entered only once a record is skipped.

    Thread-safe, because a sink task may report records from its own threads.

    Args:
        settings: ``errors.tolerance.limit`` and its period.
        identity: identifies the task in the error.
        clock: monotonic seconds.
    """

    def __init__(
        self, settings: ErrorSettings, identity: TaskIdentity, clock: Callable[[], float]
    ) -> None:
        self._settings = settings
        self._identity = identity
        self._clock = clock
        self._lock = threading.Lock()
        self._times: deque[float] = deque()

    def note(self, failed: FailedOperation) -> None:
        """Count a skipped record.

        Raises:
            ConnectError: if it exceeds the limit; fails the task.
        """
        limit, period_s = self._settings.tolerance_limit, self._settings.tolerance_period_s
        if limit < 0:
            return
        now = self._clock()
        with self._lock:
            times = self._times
            while times and times[0] <= now - period_s:
                times.popleft()
            times.append(now)
            count, first = len(times), times[0]
            if count <= limit:
                return
            times.popleft()  # at most the limit and the one record that exceeds it are kept
        raise self._exceeded(failed, count, now - first) from failed.error

    def _exceeded(self, failed: FailedOperation, count: int, within_s: float) -> ConnectError:
        settings, error = self._settings, failed.error
        number = f"{count} records" if count > 1 else "1 record"
        return ConnectError(
            f"{number} of task {self._identity} failed within {_seconds(within_s)}, more than the "
            f"{settings.tolerance_limit} that errors.tolerance.limit allows in "
            f"{_seconds(settings.tolerance_period_s)}; the last one failed in stage "
            f"'{failed.stage.value}' with class '{failed.executor}': "
            f"{str(error) or type(error).__name__}",
            code="errors.limit-exceeded",
            hint=f"{_where(settings)}; fix the cause and restart the task, or raise "
            "errors.tolerance.limit",
            facts={
                "task": str(self._identity),
                "count": count,
                "within_s": round(within_s, 3),
                "limit": settings.tolerance_limit,
                "period_s": settings.tolerance_period_s,
                "phase": failed.stage.value,
                "class": failed.executor,
                "plugin": self._identity.plugin,
                "version": self._identity.version,
                "location": self._identity.location,
                "error": class_name(type(error)),
            },
        )


def _where(settings: ErrorSettings) -> str:
    """Advice on where to find the failed records."""
    places = []
    if settings.dead_letter_topic:
        places.append(f"the records are in topic {settings.dead_letter_topic}")
    if settings.log:
        places.append("each failure is in the worker's log")
    return ", ".join(places) or "set errors.log.enable=true to find each failure in the log"


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}".rstrip("0").rstrip(".") + " s"
