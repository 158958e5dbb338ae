"""Reports states, totals and recent rates from a task host to its driver."""

from __future__ import annotations

import threading
import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING

from plugwright.origin import status_text
from plugwright.spark.channel import Channel, ChannelClosedError
from plugwright.spark.messages import Busy, HostReport

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plugwright.worker import TaskControl, TaskCounters

_REPORT_S = 0.25
_CALM_S = 1.0  # while nothing changes; a hundred idle tasks share a machine
_FIRST_S = 1.0
_FIGURES_S = 5.0
_RATES_S = 60.0
_RATED = ("records", "polled", "commits", "commit_skips")


class TaskReport:
    """Reports the task to the driver: state changes at once, totals at intervals.

    Recent rates are computed only every few seconds, so that an idle task soon has
    nothing to report.

    Args:
        channel: the connection to the driver.
        clock: monotonic seconds.
    """

    def __init__(self, channel: Channel, clock: Callable[[], float] = time.monotonic) -> None:
        self._channel = channel
        self._clock = clock
        self._ended = threading.Event()
        self.counters: Callable[[], dict[str, int]] = dict
        self.figures: Callable[[], dict[str, float]] = dict
        self.plugins: Callable[[], dict[str, float]] = dict
        self.topics: Mapping[str, int] = {}
        self.state = "UNASSIGNED"
        self._trace = ""
        self._reported: HostReport | None = None
        self._rates = _Rates(clock)
        self._times = _Times(clock)
        self._recent: dict[str, float] = {}
        self._plugins: dict[str, float] = {}
        self._recent_until = clock() + _FIRST_S

    def follow(self, counters: TaskCounters) -> None:
        """Report these counters from now on."""
        self.counters = counters.snapshot
        self.figures = counters.figures
        self.topics = counters.topics

    def __enter__(self) -> None:
        self._thread = threading.Thread(target=self._beat, daemon=True)
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def running(self) -> None:
        """Report that the task is running."""
        self._change("RUNNING")

    def paused(self) -> None:
        """Report that it is paused."""
        self._change("PAUSED")

    def holds_still(self, control: TaskControl) -> bool:
        """Report that the task starts paused, if so, and wait; whether it should stop then."""
        if control.paused:
            self.paused()
        return not control.wait_until_resumed()

    def stopped(self) -> None:
        """Report that it has stopped as requested."""
        self._change("STOPPED")

    def failed(self, error: BaseException) -> None:
        """Report that it has failed."""
        self._trace = status_text(error)
        self._change("FAILED")

    def busy(self, where: str) -> None:
        """Report the activity that keeps it from stopping."""
        with suppress(ChannelClosedError):
            self._channel.send(Busy(where))

    def _change(self, state: str) -> None:
        self.state = state
        if state in {"STOPPED", "FAILED"}:
            self.plugins, self._plugins = dict, {}
        self._times.turn(state)
        self._send()

    def _beat(self) -> None:
        pause_s = _REPORT_S
        while not self._ended.wait(pause_s):
            if self._news() != self._reported:
                self._send()
                pause_s = _REPORT_S
            else:
                pause_s = min(2 * pause_s, _CALM_S)

    def _news(self) -> HostReport:
        counters = self.counters()
        figures = {**counters, **self._of_late(counters), **self._plugins}
        return HostReport(self.state, self._trace, figures, dict(self.topics))

    def _of_late(self, counters: dict[str, int]) -> dict[str, float]:
        """The recent rates, up to some seconds old."""
        now = self._clock()
        if now >= self._recent_until:
            self._recent_until = now + _FIGURES_S
            self._plugins = self.plugins()
            self._recent = {
                **self.figures(),
                **self._rates.take(counters),
                **self._times.ratios(),
            }
        return self._recent

    def _send(self) -> None:
        self._reported = news = self._news()
        try:
            self._channel.send(news)
        except ChannelClosedError:
            self._ended.set()


class _Rates:
    """The growth of totals per second, over the last minute."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._seen: deque[tuple[float, dict[str, int]]] = deque()

    def take(self, totals: dict[str, int]) -> dict[str, float]:
        """The rates by the totals' names, once a second has passed."""
        now, wanted = self._clock(), {n: totals[n] for n in _RATED if n in totals}
        seen = self._seen
        while len(seen) > 1 and seen[1][0] <= now - _RATES_S:
            seen.popleft()
        seen.append((now, wanted))
        began, first = seen[0]
        if now - began < 1.0:
            return {}
        return {
            f"{name}-rate": round((value - first.get(name, 0)) / (now - began), 3)
            for name, value in wanted.items()
        }


class _Times:
    """The fractions of its lifetime that the task has been running and paused."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._began = self._since = clock()
        self._state = ""
        self._spent = {"RUNNING": 0.0, "PAUSED": 0.0}

    def turn(self, state: str) -> None:
        """Record a change of state."""
        self._add_up()
        self._state = state

    def ratios(self) -> dict[str, float]:
        """Fractions with two digits, which are constant for a task that does not change state."""
        self._add_up()
        life = self._since - self._began
        if not life:
            return {}
        spent = self._spent
        return {
            "running-ratio": round(spent["RUNNING"] / life, 2),
            "pause-ratio": round(spent["PAUSED"] / life, 2),
        }

    def _add_up(self) -> None:
        now = self._clock()
        if self._state in self._spent:
            self._spent[self._state] += now - self._since
        self._since = now
