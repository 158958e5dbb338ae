"""The named points of a task loop at which a crash would matter.

The loops report each of them to an observer. Production has none; the crash-point sweep of the
conformance suite kills the task there.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum


class Boundary(Enum):
    """A point in a task loop, at batch granularity."""

    START = "start"
    POLL_ENTER = "poll.enter"
    POLL_RETURN = "poll.return"
    SEND = "send"
    OFFSET_STORE_ENTER = "offset-store.enter"
    OFFSET_STORE_RETURN = "offset-store.return"
    COMMIT = "commit"
    OPEN = "open"
    PUT_ENTER = "put.enter"
    PUT_RETURN = "put.return"
    PRE_COMMIT_ENTER = "pre-commit.enter"
    PRE_COMMIT_RETURN = "pre-commit.return"
    CONSUMER_COMMIT = "consumer-commit"
    CLOSE = "close"
    STOP = "stop"


BoundaryObserver = Callable[[Boundary], None]


def unobserved(boundary: Boundary) -> None:
    """The observer in production: does nothing."""
