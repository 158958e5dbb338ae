"""Logs of a worker and its processes: context, formats, capture, and transfer to the worker."""

from __future__ import annotations

from plugwright.logs._capture import captured_output, redirected_output
from plugwright.logs._context import LogContext, current_context, in_context, in_scope
from plugwright.logs._formats import LOG_FORMATS, log_formatter
from plugwright.logs._levels import explicit_levels, restore_levels, set_level
from plugwright.logs._limit import LineLimit
from plugwright.logs._lines import OUTPUT_LOGGER, LineStream, mark_line, printable, read_mark
from plugwright.logs._relay import LogLine, RelayHandler, replay

__all__ = [
    "LOG_FORMATS",
    "OUTPUT_LOGGER",
    "LineLimit",
    "LineStream",
    "LogContext",
    "LogLine",
    "RelayHandler",
    "captured_output",
    "current_context",
    "explicit_levels",
    "in_context",
    "in_scope",
    "log_formatter",
    "mark_line",
    "printable",
    "read_mark",
    "redirected_output",
    "replay",
    "restore_levels",
    "set_level",
]
