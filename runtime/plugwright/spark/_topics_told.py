"""Which of the topics that tasks tell of still count after they were to be forgotten."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plugwright.spark._messages import HostReport


class TopicsTold:
    """Leaves out what a task's process told before it heard that it is to forget its topics.

    Commands and reports pass each other on the line to a process. So a report says how many such
    commands its process has carried out, and one that lacks any of them is of before.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: dict[int, int] = {}

    def began(self, place: int) -> None:
        """A process has taken over the task at this place; it knows of no command yet."""
        with self._lock:
            self._asked[place] = 0

    def forget(self) -> None:
        """Every process is about to be told to forget."""
        with self._lock:
            self._asked = {place: asked + 1 for place, asked in self._asked.items()}

    def topics(self, place: int, report: HostReport) -> tuple[str, ...]:
        """The topics of a report that count."""
        with self._lock:
            is_current = report.forgets >= self._asked.get(place, 0)
        return tuple(report.topics) if is_current else ()
