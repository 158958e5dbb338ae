"""Transfers log lines from a worker's processes to the worker's own log."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from plugwright.logs._context import LogContext, current_context, current_scope
from plugwright.logs._formats import CONTEXT_ATTRIBUTE
from plugwright.logs._limit import LineLimit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_OWN = "plugwright.logs"
_MOST_CHARACTERS = 32_768


@dataclass(frozen=True, slots=True)
class LogLine:
    """One log record as plain data.

    Attributes:
        created: seconds since the epoch.
        trace: the stack trace of the logged exception, if there is one.
        connector: the connector that it is about, if the sender knows it.
        scope: the sender's activity, as in `LogContext`.
    """

    level: int
    logger: str
    message: str
    created: float
    trace: str = ""
    connector: str = ""
    scope: str = "worker"

    def to_plain(self) -> dict[str, Any]:
        """As JSON data."""
        return asdict(self)

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """From JSON data that `to_plain` made; other keys are ignored."""
        return cls(
            int(plain["level"]),
            str(plain["logger"]),
            str(plain["message"]),
            float(plain.get("created") or time.time()),
            str(plain.get("trace", "")),
            str(plain.get("connector", "")),
            str(plain.get("scope", "worker")),
        )


class RelayHandler(logging.Handler):
    """Sends a process's log to its owner, line by line on the logging thread.

    Nothing is queued, so nothing is lost when the process ends. If a process logs too much, lines
    are dropped and counted; long lines are truncated.

    Args:
        send: receives a line; an exception ``gone`` from it is ignored.
        gone: the exception of ``send`` after the owner has gone.
        connector: the connector of lines from threads without context; empty if it is unknown.
        limit: creates the limit on lines; called with the function that reports dropped lines.
    """

    def __init__(
        self,
        send: Callable[[LogLine], None],
        gone: type[Exception],
        *,
        connector: Callable[[], str] = str,
        limit: Callable[[Callable[[str], None]], LineLimit] = LineLimit,
    ) -> None:
        super().__init__()
        self._send = send
        self._gone = gone
        self._connector = connector
        self._limit = limit(self._report)
        self._formatter = logging.Formatter()
        self._busy = threading.local()

    def emit(self, record: logging.LogRecord) -> None:
        """Send one record, unless there are too many."""
        if getattr(self._busy, "sending", False):
            return  # sending itself has logged
        self._busy.sending = True
        try:
            if self._limit.admits():
                self._relay(self._line(record))
        finally:
            self._busy.sending = False

    def close(self) -> None:
        """Report how many lines were dropped, if any were."""
        self._limit.settle()
        super().close()

    def _line(self, record: logging.LogRecord) -> LogLine:
        context = current_context()
        return LogLine(
            record.levelno,
            record.name,
            _cut(_message(record)),
            record.created,
            _cut(self._trace(record)),
            self._connector() if context is None else context.connector,
            current_scope(),
        )

    def _trace(self, record: logging.LogRecord) -> str:
        if record.exc_info and record.exc_info[0] is not None:
            return self._formatter.formatException(record.exc_info)
        return record.exc_text or ""

    def _relay(self, line: LogLine) -> None:
        try:
            self._send(line)
        except self._gone:
            return  # the owner has gone

    def _report(self, what: str) -> None:
        record = logging.makeLogRecord({"name": _OWN, "levelno": logging.WARNING, "msg": what})
        self._relay(self._line(record))


def replay(line: LogLine, context: LogContext | None = None) -> None:
    """Put a line of another process into this one's log.

    The sender has already checked its level.

    Args:
        line: the line from the other process.
        context: its context; by default the one in the line.
    """
    logger = logging.getLogger(line.logger)
    record = logging.LogRecord(line.logger, line.level, "", 0, "%s", (line.message,), None)
    record.created, record.msecs = line.created, line.created % 1 * 1000
    record.exc_text = line.trace or None
    if context is None and line.connector:
        context = LogContext(line.connector)
    if context is not None:
        context = replace(context, scope=line.scope)
    setattr(record, CONTEXT_ATTRIBUTE, context)
    logger.handle(record)


def _message(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except Exception as error:  # noqa: BLE001  # a plugin's own objects are formatted here
        return f"{record.msg!r} cannot be written out: {type(error).__name__}: {error}"


def _cut(text: str) -> str:
    more = len(text) - _MOST_CHARACTERS
    return f"{text[:_MOST_CHARACTERS]}… ({more} characters more)" if more > 0 else text
