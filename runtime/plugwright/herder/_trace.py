"""What a person reads in a status about an error."""

from __future__ import annotations

import traceback

from plugwright.errors import ConnectError, render

__all__ = ["trace_of"]


def trace_of(error: BaseException) -> str:
    """The error, what to do next, and where it came from."""
    lines = "".join(traceback.format_exception(error)).rstrip()
    summary = render(error) if isinstance(error, ConnectError) else ""
    return "\n".join(filter(None, [summary, lines]))
