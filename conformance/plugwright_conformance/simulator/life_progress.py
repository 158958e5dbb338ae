"""Whether a task in the simulation still gets anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.processes.quiet_time import contended_s

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright_conformance.processes.virtual_time import VirtualTime

__all__ = ["LifeProgress"]

_MOST_WAITING_S = 10.0  # for tasks each of whose polls takes real time
_MOST_REPEATED = 16
_MOST_REPEATING_S = 60.0  # outlasts every outage that ends


class LifeProgress:
    """What a task has done since something new has arrived.

    Args:
        time: of the process; it knows how long the task has really waited.
        clock: virtual seconds.
    """

    def __init__(self, time: VirtualTime, clock: Callable[[], float]) -> None:
        self._time, self._clock = time, clock
        self._reached: object = None
        self._begin()

    def _begin(self) -> None:
        self._since, self._repeated = self._clock(), 0
        self._waited_s, self._contended_s = self._time.waited_s, contended_s()

    def look(self, reached: object, *, idle: bool) -> None:
        """Compare with the look before.

        Args:
            reached: how far everything is; anything that differs is progress.
            idle: whether the poll has moved nothing; otherwise it moved what had been there before.
        """
        if reached != self._reached:
            self._reached = reached
            self._begin()
        elif not idle:
            self._repeated += 1

    @property
    def waited_s(self) -> float:
        """For how long the task has really waited since."""
        return self._time.waited_s - self._waited_s

    def has_waited_long(self) -> bool:
        """Whether nothing has come of a long wait in real time, and the machine was not too busy.

        Seconds in which anything waited for a core do not count, up to as long as the wait may be.
        """
        waited_s = self.waited_s
        if waited_s < _MOST_WAITING_S:
            return False
        return waited_s - (contended_s() - self._contended_s) > _MOST_WAITING_S or (
            waited_s > 2 * _MOST_WAITING_S
        )

    def repeats_itself(self) -> bool:
        """Whether a sink was given the same records often and for long, and nothing came of it."""
        return self._repeated > _MOST_REPEATED and self._clock() - self._since > _MOST_REPEATING_S
