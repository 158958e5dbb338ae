"""How a process has ended, in words."""

from __future__ import annotations

import signal


def ending(code: int) -> str:
    """A predicate for a process, by its exit code; below zero that is the signal's number."""
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended with status {code}"
