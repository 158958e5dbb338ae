"""What a person reads in a status about an error."""

from __future__ import annotations

from plugwright.errors import ConnectError, render
from plugwright.origin import trace_text

__all__ = ["trace_of"]


def trace_of(error: BaseException) -> str:
    """The error, what to do next, and where it came from."""
    summary = render(error) if isinstance(error, ConnectError) else ""
    return "\n".join(filter(None, [summary, trace_text(error)]))
