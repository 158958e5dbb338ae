"""How a task ended, as reported by its loop."""

from __future__ import annotations

import traceback


class TaskEnding:
    """Receives the state changes of one task.

    Attributes:
        ending: ``running``, ``stopped`` or ``failed``.
        failure: why it has failed.
    """

    def __init__(self) -> None:
        self.ending = "running"
        self.failure: Exception | None = None

    @property
    def error(self) -> str:
        """The failure message; empty if there is none."""
        found = self.failure
        return "" if found is None else f"{type(found).__name__}: {found}"

    def running(self) -> None:
        """It runs."""

    def paused(self) -> None:
        """It holds still."""

    def failed(self, error: Exception) -> None:
        """It has failed."""
        self.ending, self.failure = "failed", error

    def stopped(self) -> None:
        """The task ended on request."""
        self.ending = "stopped"


def let_go(error: BaseException | None) -> None:
    """Forget the variables of the calls that an error has ended; what they held is closed.

    An error may be its own cause.
    """
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        traceback.clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__
