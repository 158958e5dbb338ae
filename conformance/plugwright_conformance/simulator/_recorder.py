"""Numbers the boundary events of a run, and crashes it at a requested one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright.worker import Boundary


class Recorder:
    """The boundary events of one task run, in order.

    Args:
        stop_at: number of the event at which the world stops, from 0.
        stop_in: name and number of occurrence instead, from 1, for runs that do not repeat.
        stop: stops the world; never returns.
        feed_at: number of the event at which more is fed, before a stop at the same one.
        feed: feeds.

    Attributes:
        events: their names.
    """

    def __init__(
        self,
        *,
        stop_at: int | None = None,
        stop_in: tuple[str, int] | None = None,
        stop: Callable[[], None] | None = None,
        feed_at: int | None = None,
        feed: Callable[[], None] | None = None,
    ) -> None:
        self.events: list[str] = []
        self._stop_at = stop_at
        self._stop_in = stop_in
        self._stop = stop
        self._feed_at, self._feed = feed_at, feed
        self._repeated = False

    def event(self, name: str) -> None:
        """Something has happened that a crash may come before or after."""
        self.events.append(name)
        if self._feed is not None and len(self.events) - 1 == self._feed_at:
            self._feed()
        if self._stop is None:
            return
        here = len(self.events) - 1 == self._stop_at
        if self._stop_in is not None and name == self._stop_in[0]:
            here = self.events.count(name) == self._stop_in[1]
        if here:
            self._stop()

    def reading(self, name: str, when: str) -> None:
        """A call that reads is about to be made, or was made.

        Reading changes nothing that lasts: of a series of equal reads only the first two are
        numbered, because a crash among the others is the same crash.
        """
        pair = [f"{name} before", f"{name} after"]
        if when == "before":
            self._repeated = self.events[-4:] == pair * 2
        if not self._repeated:
            self.event(f"{name} {when}")

    def boundary(self, boundary: Boundary) -> None:
        """Take an announcement of the loop."""
        self.event(boundary.value)
