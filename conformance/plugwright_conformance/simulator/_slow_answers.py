"""A slow endpoint under the own threads of a task, and how far the task runs ahead of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_ANSWER_S = 1000.0
_ENOUGH = 40


class SlowAnswers:
    """Lets an endpoint answer only when no other thread has anything to do.

    Its answers take virtual time, which passes while the task's thread waits: so the endpoint gets
    on when the task holds back, and does not when the task takes more and more records.

    Args:
        most: records that a task may take while it awaits one answer; 0 for prompt answers.
        sleep: waits in virtual time.

    Attributes:
        most: the most records that were taken while one answer was awaited.
        answers: how many there were.
    """

    def __init__(self, most: int, sleep: Callable[[float], None]) -> None:
        self._limit, self._sleep = most, sleep
        self._taken = self._before = 0
        self.most = self.answers = 0

    def wait(self) -> None:
        """Take the time of one answer."""
        if self._limit:
            self._sleep(_ANSWER_S)
            self.answers += 1
            self._before = self._taken

    def seen_enough(self, taken: int, *, idle: bool) -> bool:
        """Record how many records have been taken; whether more would show nothing else."""
        self._taken = taken
        self.most = max(self.most, taken - self._before)
        over = self.most > self._limit or self.answers >= _ENOUGH
        return bool(self._limit) and (over or idle)
