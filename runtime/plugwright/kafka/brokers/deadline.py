"""Stops waiting for a call that takes too long, even one that cannot be interrupted."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")


def within(seconds: float, call: Callable[[], Result]) -> Result:
    """The result or exception of the call, if it ends in time.

    The call runs in a daemon thread, because name resolution has no timeout. After the timeout it
    continues there until it ends by itself, and does not keep the process alive.

    Raises:
        TimeoutError: if the call takes longer.
    """
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(call())
        except BaseException as error:  # noqa: BLE001  # handed to the caller's thread
            errors.append(error)

    thread = threading.Thread(target=run, name="plugwright-deadline", daemon=True)
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors.pop()  # in the list it would be part of a reference cycle
    if not results:
        raise TimeoutError(f"no result within {seconds:g} s")
    return results[0]
