"""What happens when a task in the simulation calls its endpoint."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, NamedTuple

from plugwright_conformance.simulator.calls import READING, EndpointCalls
from plugwright_conformance.simulator.watch import WatchedIdentity

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright.worker import TaskIdentity
    from plugwright_conformance.simulator._clock import VirtualClock
    from plugwright_conformance.simulator._faults import EndpointFault
    from plugwright_conformance.simulator._recorder import Recorder
    from plugwright_conformance.simulator._slow_answers import SlowAnswers


class Call(NamedTuple):
    """One call that a task made to its endpoint.

    Attributes:
        name: such as ``os.write``.
        phase: the method of the task that was running.
        at: virtual seconds.
        own_thread: whether a thread of the task's own made it.
    """

    name: str
    phase: str
    at: float
    own_thread: bool


class EndpointWatch:
    """Records a task's calls to its endpoint, delays their answers, and lets a fault happen.

    Args:
        identity: of the task.
        fault: the fault to inject into one of the calls, if any.
        recorder: records the calls of the main thread as events; those of other threads vary.
        clock: virtual seconds.
        skip: lets virtual seconds pass, on the clocks of the task, too.
        pace: delays the answers that other threads await.

    Attributes:
        identity: for the task's loop, which says there when the task has the floor.
        calls: the calls that a fault may affect, in order.
    """

    def __init__(  # noqa: PLR0913  # of whom, what may happen, who hears of it, and when
        self,
        identity: TaskIdentity,
        fault: EndpointFault | None,
        recorder: Recorder,
        *,
        clock: VirtualClock,
        skip: Callable[[float], None],
        pace: SlowAnswers,
    ) -> None:
        self.identity = WatchedIdentity(identity, EndpointCalls(self._before, self._after))
        self.calls: list[Call] = []
        self._fault = fault
        self._struck: float | None = None
        self._recorder = recorder
        self._clock, self._skip = clock, skip
        self._pace = pace

    def strike(self, fault: EndpointFault | None) -> None:
        """Let this happen from now on instead of what was planned, or nothing."""
        self._fault, self._struck = fault, None

    def _before(self, name: str, may_fail: bool) -> None:
        own_thread = threading.current_thread() is not threading.main_thread()
        if not own_thread:
            self._record(name, "before")
        elif may_fail:
            self._pace.wait()
        if not may_fail:
            return
        number = len(self.calls)
        self.calls.append(Call(name, self.identity.phase, self._clock(), own_thread))
        if (fault := self._fault) is not None:
            if number >= fault.call and self._struck is None:
                self._struck = self._clock()
            self._skip(fault.attempt_s(number, name))
            fault.before(number, name, self._clock, self._struck)

    def _after(self, name: str, may_fail: bool) -> None:
        if threading.current_thread() is threading.main_thread():
            self._record(name, "after")
        if may_fail and self._fault is not None:
            self._fault.after(len(self.calls) - 1, name)

    def _record(self, name: str, when: str) -> None:
        if name.rpartition(".")[2].startswith(READING):
            self._recorder.reading(name, when)
        else:
            self._recorder.event(f"{name} {when}")
