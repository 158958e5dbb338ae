"""Repeats a call that fails for a moment, and says how long to wait before it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_Answer = TypeVar("_Answer")


_MOST_DOUBLINGS = 40  # by then the delay exceeds any limit


def doubled_delay_s(first_s: float, failures: int) -> float:
    """The delay in seconds after so many failures: ``first_s``, doubled by each further one."""
    return first_s * 2.0 ** min(failures - 1, _MOST_DOUBLINGS)


def retried(
    call: Callable[[], _Answer],
    helps: Callable[[Exception], bool],
    *,
    within_s: float,
    pause_s: float,
    between: Callable[[], object] = lambda: None,
) -> _Answer:
    """Retry a call until it succeeds, and return its result.

    Args:
        call: is made at least once.
        helps: whether to repeat the call after an error.
        within_s: how long to repeat it.
        pause_s: how long to wait between two calls.
        between: is called before each wait, and may raise an error of its own.

    Raises:
        Exception: the last error of the call, if a retry does not help or the time is over.
    """
    deadline = time.monotonic() + within_s
    while True:
        try:
            return call()
        except Exception as error:
            if not helps(error) or time.monotonic() > deadline:
                raise
        between()
        time.sleep(pause_s)
