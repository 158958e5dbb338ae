"""Brings the tasks of a job back after crashes, or gives them up; says why those wait that do."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright.errors import render
from plugwright.spark._board import ENDED
from plugwright.spark._crashes import CrashHistory, Exit, crash_error

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from plugwright.spark._board import TaskBoard
    from plugwright.spark._crashes import CrashBudget
    from plugwright.spark._messages import Hello

log = logging.getLogger(__name__)


class Recovery:
    """What becomes of the tasks of one job that have no process.

    Args:
        board: the tasks.
        budget: how often the process of a task may crash.
        explain: what Spark says of how a task ended last, by its index in the Spark job.
        cancel: ends the Spark job.

    Attributes:
        order: the places of the tasks in the present Spark job.
        waiting: the places of those that Spark has no slot for.
    """

    def __init__(
        self,
        board: TaskBoard,
        budget: CrashBudget,
        explain: Callable[[int], str],
        cancel: Callable[[], None],
    ) -> None:
        self._board = board
        self._explain = explain
        self._cancel = cancel
        self._crashes = [CrashHistory(budget) for _ in board.specs]
        self._held: set[int] = set()
        self._regroups = False
        self.order: Sequence[int] = range(len(board.specs))
        self.waiting: set[int] = set()

    def missing(self) -> Sequence[int]:
        """The places of live tasks without a process that has called."""
        with self._board.changed:
            statuses = self._board.statuses
            return [n for n in self._board.live() if not statuses[n].pid and n not in self._held]

    def wait_for_slots(self, places: Collection[int], reason: str) -> None:
        """Spark has no slot for these tasks, for this reason, and has begun with all others."""
        board = self._board
        with board.changed:
            waiting = set(places).intersection(self.missing())  # one may just have called
            self.waiting = waiting | (self.waiting & board.dismissed)
            fresh = [n for n in sorted(waiting) if board.statuses[n].trace != reason]
            for place in fresh:
                board.change(place, state="UNASSIGNED", trace=reason)
        if fresh:
            names = ", ".join(f"{board.specs[n].connector}-{board.specs[n].task}" for n in fresh)
            log.warning("%s: %s", names, reason)
        board.tell(fresh)

    def let_go(self, places: Sequence[int]) -> None:
        """End those of these tasks that wait for a slot."""
        with self._board.changed:
            idle = [place for place in places if place in self.waiting]
            self._board.dismissed.update(idle)
        self._board.drop(idle)

    def admits(self, place: int, attempt: int, hello: Hello) -> bool:
        """Whether a process that calls may begin; after a crash it waits for its time."""
        board, history = self._board, self._crashes[place]
        with board.changed:
            history.died(attempt)
        if not history.is_explained:
            end = history.end_of_process(hello.daemon, hello.exits)
            if end.status is None or end.is_native:
                end = replace(end, words=self._explain(self.order.index(place)))
            self._crashed(place, end)
        with board.changed:
            self._held.add(place)
            while not board.is_unwanted(place) and (left := history.wait_s):
                board.changed.wait(left)
            self._held.discard(place)
            self.waiting.discard(place)
            if board.statuses[place].state == "UNASSIGNED":
                board.change(place, trace="")
        return not board.drop([place])

    def began(self, place: int, hello: Hello) -> None:
        """The process of a task has been given its work."""
        self._crashes[place].began(hello.daemon, str(hello.pid))

    def died(self, place: int, attempt: int) -> None:
        """The process of a task has gone without a word."""
        with self._board.changed:
            self._crashes[place].died(attempt + 1)

    def failed(self, index: int, attempts: int, words: str) -> None:
        """Spark has seen so many attempts of a task fail, the last one in these words.

        This is how the driver hears of processes that end before they can call. Spark would try
        for ever: if the budget is spent, the others of the job go on in another one.

        Args:
            index: of the task in the Spark job.
            attempts: how many there were.
            words: what Spark says.
        """
        place = self.order[index]
        with self._board.changed:
            if place not in self.missing() or not self._crashes[place].died(attempts):
                return
        self._crashed(place, Exit(words=words))
        if self._board.statuses[place].state in ENDED:
            self._regroups = True
            self._cancel()

    def again(self, error: Exception) -> Sequence[int]:
        """The places of the tasks that go on in another Spark job, now that theirs has broken.

        Waits until the first of them may start; the others will wait in their processes.
        """
        with self._board.changed:
            regroups, self._regroups = self._regroups, False
            live = self._board.live()
            for place in live:
                history = self._crashes[place]
                (history.begin_anew if regroups else history.broke)()
        for place in () if regroups else live:
            self._crashed(place, Exit(words=str(error) or type(error).__name__))
        self.order = self._due(live)
        return self.order

    def _crashed(self, place: int, end: Exit) -> None:
        """Say what has become of a task whose process has ended."""
        board, history = self._board, self._crashes[place]
        with board.changed:
            history.is_explained = True
            if place not in board.live():
                return
            trace = render(crash_error(board.specs[place], history, end))
            if history.is_spent:
                board.dismissed.add(place)
                board.change(place, state="FAILED", pid=0, trace=trace, last_exit=end)
            else:
                board.change(place, state="RESTARTING", pid=0, trace=trace, last_exit=end)
        log.warning("%s", trace)
        board.tell([place])

    def _due(self, places: Sequence[int]) -> Sequence[int]:
        """Wait until one of these tasks may start; those that are wanted by then."""
        board = self._board
        with board.changed:
            while wanted := [place for place in places if not board.is_unwanted(place)]:
                left = min(self._crashes[place].wait_s for place in wanted)
                if not left:
                    break
                board.changed.wait(left)
        board.drop(places)
        return wanted
