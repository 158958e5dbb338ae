"""Formats of log lines: Kafka Connect's pattern, or JSON."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from plugwright.logs._context import current_context

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright.logs._context import LogContext

LOG_FORMATS: Final = ("text", "json")
"""The values of the worker's setting ``log.format``."""

CONTEXT_ATTRIBUTE: Final = "plugwright_context"
"""The attribute of a record from another process that holds its context."""

_TEXT: Final = "[%(asctime)s] %(levelname)s %(connector_context)s%(message)s (%(name)s)"


def log_formatter(kind: str, hide: Callable[[str], str] = str) -> logging.Formatter:
    """A formatter for a handler that writes on the logging thread.

    Args:
        kind: one of `LOG_FORMATS`.
        hide: removes secrets from messages and stack traces.
    """
    return _Json(hide) if kind == "json" else _Text(hide)


class _Discreet(logging.Formatter):
    """Lines without secrets, in messages and in stack traces."""

    def __init__(self, hide: Callable[[str], str]) -> None:
        super().__init__(_TEXT)
        self._hide = hide

    def formatException(self, ei: Any) -> str:  # noqa: N802  # logging's name
        return self._hide(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:  # noqa: N802  # logging's name
        return self._hide(super().formatStack(stack_info))


class _Text(_Discreet):
    """Lines in the pattern of Kafka Connect's own log configuration."""

    def format(self, record: logging.LogRecord) -> str:
        if record.exc_text:  # from another process, or from another handler
            record.exc_text = self._hide(record.exc_text)
        return super().format(record)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  # logging's name
        context = _context_of(record)
        record.connector_context = "" if context is None else context.prefix
        record.message = self._hide(record.message)
        return super().formatMessage(record)


class _Json(_Discreet):
    """One JSON object a line: timestamp (UTC), level, logger, connector, task, message, exception.

    Unknown fields are omitted.
    """

    def format(self, record: logging.LogRecord) -> str:
        when = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, Any] = {
            "timestamp": when.replace("+00:00", "Z"),
            "level": record.levelname,
            "logger": record.name,
        }
        if (context := _context_of(record)) is not None:
            line["connector"] = context.connector
            if context.task is None or context.scope != "worker":
                line["scope"] = context.scope
            if context.task is not None:
                line["task"] = context.task
        line["message"] = self._hide(record.getMessage())
        if record.exc_info and not record.exc_text:
            record.exc_text = self.formatException(record.exc_info)
        if record.exc_text:
            line["exception"] = self._hide(record.exc_text)
        return json.dumps(line, ensure_ascii=False, separators=(",", ":"))


def _context_of(record: logging.LogRecord) -> LogContext | None:
    """The context of a record: its own, or that of its thread."""
    context: LogContext | None = getattr(record, CONTEXT_ATTRIBUTE, None)
    return current_context() if context is None else context
