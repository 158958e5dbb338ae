"""How log lines are written: as Kafka Connect writes them, or as JSON."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from plugwright.logs._context import current_context

if TYPE_CHECKING:
    from plugwright.logs._context import LogContext

__all__ = ["CONTEXT_ATTRIBUTE", "LOG_FORMATS", "log_formatter"]

LOG_FORMATS: Final = ("text", "json")
"""The values of the worker's setting ``log.format``."""

CONTEXT_ATTRIBUTE: Final = "plugwright_context"
"""Where a record from another process carries what it is about."""

_TEXT: Final = "[%(asctime)s] %(levelname)s %(connector_context)s%(message)s (%(name)s)"


def log_formatter(kind: str) -> logging.Formatter:
    """A formatter for a handler that writes on the thread that logs.

    Args:
        kind: one of `LOG_FORMATS`.
    """
    return _Json() if kind == "json" else _Text(_TEXT)


class _Text(logging.Formatter):
    """Lines in the pattern of Kafka Connect's own log configuration."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  # logging's name
        context = _context_of(record)
        record.connector_context = "" if context is None else context.prefix
        return super().formatMessage(record)


class _Json(logging.Formatter):
    """One JSON object a line: timestamp (UTC), level, logger, connector, task, message, exception.

    What is not known is left out.
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
        line["message"] = record.getMessage()
        if record.exc_info and not record.exc_text:
            record.exc_text = self.formatException(record.exc_info)
        if record.exc_text:
            line["exception"] = record.exc_text
        return json.dumps(line, ensure_ascii=False, separators=(",", ":"))


def _context_of(record: logging.LogRecord) -> LogContext | None:
    """What a record is about: as it came with it, or as its thread says."""
    context: LogContext | None = getattr(record, CONTEXT_ATTRIBUTE, None)
    return current_context() if context is None else context
