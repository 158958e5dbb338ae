"""Restarts crashed tasks of a job within their crash budget, and explains waiting ones."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright.errors import render
from plugwright.spark._task_table import ENDED
from plugwright.spark.crashes import CrashHistory, Exit, crash_error

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from plugwright.spark._task_table import TaskTable
    from plugwright.spark.crashes import CrashBudget
    from plugwright.spark.messages import Hello

log = logging.getLogger(__name__)


class Recovery:
    """Handles tasks of one job that have no process.

    Args:
        table: the tasks.
        budget: the number of crashes that a task survives.
        explain: returns Spark's message about the end of the process before the one that connects.
        cancel: cancels the Spark job.

    Attributes:
        order: the positions of the tasks in the present Spark job.
        waiting: the positions of those that Spark has no slot for.
    """

    def __init__(
        self,
        table: TaskTable,
        budget: CrashBudget,
        explain: Callable[[Hello], str],
        cancel: Callable[[], None],
    ) -> None:
        self._table = table
        self._explain = explain
        self._cancel = cancel
        self._crashes = [CrashHistory(budget) for _ in table.specs]
        self._held: set[int] = set()
        self._regroups = False
        self.order: Sequence[int] = range(len(table.specs))
        self.waiting: set[int] = set()

    def missing(self) -> Sequence[int]:
        """The positions of live tasks whose process has not connected."""
        with self._table.changed:
            statuses = self._table.statuses
            return [n for n in self._table.live() if not statuses[n].pid and n not in self._held]

    def wait_for_slots(self, places: Collection[int], reason: str) -> None:
        """Record that Spark has no slot for these tasks, and why, and has started all others."""
        table = self._table
        with table.changed:
            waiting = set(places).intersection(self.missing())  # one may have connected just now
            self.waiting = waiting | (self.waiting & table.dismissed)
            fresh = [n for n in sorted(waiting) if table.statuses[n].trace != reason]
            for place in fresh:
                table.change(place, state="UNASSIGNED", trace=reason)
        if fresh:
            names = ", ".join(f"{table.specs[n].connector}-{table.specs[n].task}" for n in fresh)
            log.warning("%s: %s", names, reason)
        table.tell(fresh)

    def let_go(self, places: Sequence[int]) -> None:
        """End those of these tasks that wait for a slot."""
        with self._table.changed:
            idle = [place for place in places if place in self.waiting]
            self._table.dismiss(idle)
        self._table.drop(idle)

    def admits(self, place: int, attempt: int, hello: Hello) -> bool:
        """Whether a process that connects may start; waits for the delay after a crash."""
        table, history = self._table, self._crashes[place]
        with table.changed:
            history.died(attempt)
        if not history.is_explained:
            end = history.end_of_process(hello.daemon, hello.exits)
            if end.status is None or end.is_native:
                end = replace(end, words=self._explain(hello))
            self._crashed(place, end)
        with table.changed:
            self._held.add(place)
            while not table.is_unwanted(place) and (left := history.wait_s):
                table.withdrawn.wait(left)
            self._held.discard(place)
            self.waiting.discard(place)
            if table.statuses[place].state == "UNASSIGNED":
                table.change(place, trace="")
        return not table.drop([place])

    def began(self, place: int, hello: Hello) -> None:
        """Record that the process of a task has received its assignment."""
        self._crashes[place].began(hello.daemon, str(hello.pid))

    def died(self, place: int, attempt: int) -> None:
        """Handle a process that ended without a report."""
        with self._table.changed:
            self._crashes[place].died(attempt + 1)

    def left(self, place: int, attempts: int = 0) -> None:
        """Handle a process that a task has left, or that was ended for another task.

        Args:
            place: of the task.
            attempts: the number with which its next process connects.
        """
        with self._table.changed:
            self._crashes[place].begin_anew(attempts)

    def failed(self, index: int, attempts: int, words: str) -> None:
        """Handle failed attempts of a task that Spark reports, with its last message.

        This reports processes that end before they can connect. Spark would retry
        forever: if the budget is used up, the other tasks continue in another job.

        Args:
            index: of the task in the Spark job.
            attempts: the number of attempts.
            words: Spark's message.
        """
        place = self.order[index]
        with self._table.changed:
            if place not in self.missing() or not self._crashes[place].died(attempts):
                return
        self._crashed(place, Exit(words=words))
        if self._table.statuses[place].state in ENDED:
            self._regroups = True
            self._cancel()

    def again(self, error: Exception) -> Sequence[int]:
        """The positions of the tasks that continue in another Spark job after theirs failed.

        Waits until the first of them may start; the others wait in their processes.
        """
        with self._table.changed:
            regroups, self._regroups = self._regroups, False
            live = self._table.live()
            for place in live:
                history = self._crashes[place]
                (history.begin_anew if regroups else history.broke)()
        for place in () if regroups else live:
            self._crashed(place, Exit(words=str(error) or type(error).__name__))
        self.order = self._due(live)
        return self.order

    def _crashed(self, place: int, end: Exit) -> None:
        """Report the crash of a task."""
        table, history = self._table, self._crashes[place]
        with table.changed:
            history.is_explained = True
            if not table.is_live(place):
                return
            trace = render(crash_error(table.specs[place], history, end))
            if history.is_spent:
                table.dismiss([place])
                table.change(place, state="FAILED", pid=0, trace=trace, last_exit=end)
            else:
                table.change(place, state="RESTARTING", pid=0, trace=trace, last_exit=end)
        log.warning("%s", trace)
        table.tell([place])

    def _due(self, places: Sequence[int]) -> Sequence[int]:
        """Wait until one of these tasks may start; returns those still needed."""
        table = self._table
        with table.changed:
            while wanted := [place for place in places if not table.is_unwanted(place)]:
                left = min(self._crashes[place].wait_s for place in wanted)
                if not left:
                    break
                table.withdrawn.wait(left)
        table.drop(places)
        return wanted
