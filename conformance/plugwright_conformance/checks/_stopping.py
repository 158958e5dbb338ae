"""Checks that start() and stop() return, whatever the endpoint does."""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import (
    PATIENCE_S,
    config_with_work,
    fresh_task,
    put_all,
    running_source,
    seeds,
    under_loop,
)
from plugwright_conformance.checks.census import left_over
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level
from plugwright_conformance.processes.cpu_share import Patience
from plugwright_conformance.processes.open_resources import descriptors, threads
from plugwright_conformance.simulator import SteppedSink
from plugwright_conformance.subject.contexts import SourceContext, sink_records
from plugwright_conformance.subject.names import HOME

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plugwright.task import Task
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.simulator import SteppedSource
    from plugwright_conformance.subject.endpoint import OpenEndpoint

_LOOK_S = 0.05
_SETTLED_S = 0.2


class _Running(Protocol):
    """What may be waited for: a thread, or a call in one."""

    def is_alive(self) -> bool:
        """Whether it has not ended."""

    def join(self, timeout: float | None = None) -> None:
        """Wait for its end."""


class _FirstCall:
    """The first call of a task's method that moves records; the worker may repeat it.

    Args:
        worker: calls it.
        caller: the thread of the worker.
    """

    def __init__(self, worker: SteppedSource | SteppedSink, caller: threading.Thread) -> None:
        self._over, self._caller = threading.Event(), caller
        names = ("put", "put_batch") if isinstance(worker, SteppedSink) else ("poll",)
        for name in names:
            if (method := getattr(worker.task, name, None)) is not None:
                setattr(worker.task, name, self._watched(method))

    def is_alive(self) -> bool:
        """Whether it has not returned, and its thread goes on."""
        return self._caller.is_alive() and not self._over.is_set()

    def join(self, timeout: float | None = None) -> None:
        """Wait until it has returned."""
        self._over.wait(timeout)

    def _watched(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            try:
                return method(*given)
            finally:
                if any(given) or not given:  # a put without records moves none
                    self._over.set()

        return call


def _await_end(running: Sequence[_Running], seconds: float) -> None:
    """Wait for these to end, for so long; time in the queue for a core does not count."""
    patience = Patience(os.getpid(), seconds)
    while any(each.is_alive() for each in running) and patience.left_s() > 0:
        for each in running:
            each.join(_LOOK_S)


class FailedStart(NamedTuple):
    """The result of a failed start().

    Attributes:
        task: which the worker has stopped.
        errors: what its stop() has raised.
        threads: that ran before the start.
        descriptors: that were open then, among them those of a driver that refuses.
    """

    task: Task
    errors: Sequence[Exception]
    threads: Sequence[str]
    descriptors: Sequence[str]


def failed_start(bench: Bench, endpoint: OpenEndpoint) -> FailedStart:
    """Start a task with a missing setting, or while its endpoint is unavailable."""
    task, props = bench.task(config_with_work(bench, endpoint))
    refused = endpoint.driver.hook("refuse")
    required = [k.name for k in bench.connector().config().keys.values() if not k.has_default]
    broken = props if refused else {n: v for n, v in props.items() if n not in required}
    errors: list[Exception] = []
    before = threads(), descriptors()
    stop = task.stop

    def remembering() -> None:
        try:
            stop()
        except Exception as error:
            errors.append(error)
            raise

    task.stop = remembering  # type: ignore[method-assign]  # the loop reports the first error only
    worker = under_loop(bench, task, broken)
    with suppress(Exception):  # as it is meant to; if it does not, nothing has failed
        worker.step()
    if not worker.ended:
        with suppress(Exception):
            worker.end()
    return FailedStart(task, errors, *before)


@registered
class StopAfterFailedStart(Check):
    """A failed start is stopped cleanly."""

    id = "CON-LIF-03"
    revision = 2
    level = Level.C2
    title = "stop() after a failed start() releases everything and does not raise"
    why = "The worker stops failed tasks; a second error hides the first, and leaks add up."
    mend = "Let stop() release what exists, without assuming that anything does."
    origin = "K-jdoc; KAFKA-15090"
    budget_s = 20.0

    def run(self, bench: Bench) -> Evidence:
        """Make start() fail, stop, count threads and descriptors."""
        with bench.endpoint() as endpoint:
            failed = failed_start(bench, endpoint)
            if not failed.errors:
                with suppress(Exception):
                    failed.task.stop()  # once more, as a worker may that shuts down
            for error in failed.errors:
                raise CheckFailedError(
                    expected="stop() to return",
                    observed=f"{type(error).__name__}: {error}",
                    scenario="after a start() that failed",
                ) from error
            before = failed.threads, failed.descriptors
            del failed  # with the task
            left = [*left_over(before[0], threads), *left_over(before[1], descriptors)]
        if left:
            raise CheckFailedError("everything released", ", ".join(left), "a failed start()")
        return Evidence(3)


@registered
class StopReleasesBlockedCall(Check):
    """A waiting task can be stopped."""

    id = "CON-LIF-05"
    revision = 2
    level = Level.C2
    title = "stop() from another thread ends a blocked poll or put within bounded time"
    why = "A task that cannot be stopped blocks the worker's shutdown and every rebalance."
    mend = "Wait on an event that stop() sets, with a timeout."
    origin = "K-jdoc; apache/kafka#14101; jdbc#1360"
    budget_s = 60.0
    patience_s: ClassVar[float] = 5.0  # task.shutdown.graceful.timeout.ms of a worker

    def run(self, bench: Bench) -> Evidence:
        """Call without data in one thread, stop from another; both must return.

        So they must while the endpoint refuses, if the driver can make it.
        """
        with bench.endpoint() as endpoint:
            worker = fresh_task(bench, config_with_work(bench, endpoint))
            worker.step()
            caller = threading.Thread(target=self._blocking_call(worker), daemon=True)
            caller.start()
            time.sleep(_SETTLED_S)
            self._stop(worker, caller, "stop() from a second thread during a call")
        return Evidence(2 + self._stop_in_outage(bench))

    def _stop_in_outage(self, bench: Bench) -> int:
        """The number of calls that have returned."""
        with bench.endpoint() as endpoint:
            worker = fresh_task(bench, config_with_work(bench, endpoint))
            worker.step()
            if not endpoint.driver.hook("refuse"):
                return 0
            caller = threading.Thread(target=self._blocking_call(worker), daemon=True)
            call = _FirstCall(worker, caller)
            caller.start()
            try:
                time.sleep(_SETTLED_S)
                self._stop(worker, call, "stop() from a second thread, while the endpoint refuses")
            finally:
                endpoint.driver.hook("recover")
        return 2

    def _stop(self, worker: SteppedSource | SteppedSink, call: _Running, scenario: str) -> None:
        stopper = threading.Thread(target=worker.task.stop, daemon=True)
        stopper.start()
        _await_end([stopper, call], self.patience_s)
        running = {"poll() or put()": call, "stop()": stopper}
        if stuck := [name for name, each in running.items() if each.is_alive()]:
            raise CheckFailedError(
                expected=f"poll() or put(), and stop(), to return within {self.patience_s:g} s",
                observed=f"{stuck[0]} is still running",
                scenario=scenario,
                likely="the waiting call does not check the event that stop() sets",
            )

    @staticmethod
    def _blocking_call(worker: SteppedSource | SteppedSink) -> Callable[[], None]:
        def call() -> None:
            # What a stopped task does when it is called is another check's matter.
            with suppress(Exception):
                worker.step()
                if isinstance(worker, SteppedSink):
                    worker.put(sink_records(["1"], HOME))

        return call


@registered
class StopFromOwnThread(Check):
    """A task can be stopped by its own thread."""

    id = "CON-LIF-06"
    level = Level.C2
    title = "stop() from the task's own thread after poll also works"
    why = "Workers stop tasks this way; waiting for a lock held by the same thread is a deadlock."
    mend = "Do not let stop() wait for anything that the same thread would have to do."
    origin = "KAFKA-10792"
    budget_s = 20.0

    def run(self, bench: Bench) -> Evidence:
        """Start, work and stop in one thread."""
        with bench.endpoint() as endpoint:
            config = bench.config(endpoint)
            if bench.subject.kind == "sink":
                put_all(bench, config, HOME, sink_records(["1"], HOME))
                return Evidence(2)
            endpoint.driver.seed(seeds(bench, 3))
            with running_source(bench, config, SourceContext()) as task:
                task.take(1, PATIENCE_S)
        return Evidence(2)


@registered
class StartIsBounded(Check):
    """An unresponsive endpoint does not block the worker."""

    id = "CON-LIF-09"
    level = Level.C2
    title = "start() is bounded when the endpoint does not answer"
    why = "While a task hangs in start(), the worker cannot do anything else for it."
    mend = "Give every connection a timeout, and raise a Connect error when it expires."
    origin = "jdbc#1107; cosmosdb#545"
    budget_s = 45.0
    patience_s: ClassVar[float] = 30.0

    def run(self, bench: Bench) -> Evidence:
        """Take the endpoint away, start, and see it return or raise."""
        with bench.endpoint() as endpoint:
            worker = fresh_task(bench, config_with_work(bench, endpoint))
            endpoint.driver.stop()

            def start() -> None:
                # Returning and raising are both an end.
                with suppress(Exception):
                    worker.step()

            thread = threading.Thread(target=start, daemon=True)
            begun = time.monotonic()
            thread.start()
            _await_end([thread], self.patience_s)
            if thread.is_alive():
                raise CheckFailedError(
                    expected=f"start() to return or raise within {self.patience_s:g} s",
                    observed="it is still running",
                    scenario="the endpoint is gone",
                    likely="it waits for a connection without a timeout",
                )
            seconds = time.monotonic() - begun
            if not worker.ended:
                worker.end()
        return Evidence(1, figures={"seconds": round(seconds, 3)})
