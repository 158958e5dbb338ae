"""Failing records in the log, in Kafka Connect's words (KIP-298)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plugwright.worker._counters import ErrorCounters
    from plugwright.worker._identity import TaskIdentity
    from plugwright.worker._processing import FailedOperation, Origin

_TIMESTAMP_TYPES = ("NoTimestampType", "CreateTime", "LogAppendTime")

log = logging.getLogger(__name__)


class ErrorLog:
    """Writes one log line for each record that was given up.

    Args:
        messages: whether the line says which record it was.
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
        return f", where source record is = {origin.record!r}"
    kind, timestamp = message.timestamp()
    when = f", timestamp={timestamp}, timestampType={_TIMESTAMP_TYPES[kind]}" if kind else ""
    return (
        f", where consumed record is {{topic='{message.topic()}', "
        f"partition={message.partition()}, offset={message.offset()}{when}}}"
    )
