"""Chooses the process of each check: this one, or one that the plugin may crash."""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Self

from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.evidence.outcome import CheckEnd, Evidence, Level, Outcome
from plugwright_conformance.execution.check_process import CheckProcess, CheckProcessLostError
from plugwright_conformance.execution.facts import UnloadableError
from plugwright_conformance.processes.virtual_time import VirtualTime

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.evidence.outcome import CheckResult
    from plugwright_conformance.execution.facts import KnownFacts

    Ask = Callable[[str], CheckResult | None]

__all__ = ["CheckDispatcher"]

_SLOW_S = 10.0
_UNLOADABLE_S = 2.0


class _Loading(Check):
    """An internal check that tests whether the plugin can be loaded at all."""

    id = "loading"
    level = Level.C1
    group = title = why = mend = "loading"
    budget_s: ClassVar[float] = _SLOW_S

    def run(self, bench: Bench) -> Evidence:
        """Load it."""
        bench.plugin_class()
        return Evidence(1)


class CheckDispatcher:
    """Runs checks in processes that may crash without ending the run.

    Detached checks have their own processes. Live ones run in this process, which has the
    connection to Spark, and only until a check has crashed its process. All others run in child
    processes, several at a time where several threads call; a process is used again after a check.

    Args:
        known: the checks whose results may be requested, by id, in the order of the catalogue.
        run: runs a check in the current process, with a time limit in seconds.
        blank: returns an ERROR result of a check, without a message.
        facts: the facts shared by the checks of the run.
        skips_waits: whether a check runs in virtual time.

    Attributes:
        answer: returns the result of another check; must be set before the first check runs.
    """

    def __init__(
        self,
        *,
        known: Mapping[str, type[Check]],
        run: Callable[[type[Check], Ask, float], CheckResult],
        blank: Callable[[type[Check]], CheckResult],
        facts: KnownFacts,
        skips_waits: Callable[[type[Check]], bool],
    ) -> None:
        self._known: Mapping[str, type[Check]] = {**known, _Loading.id: _Loading}
        self._run, self._blank, self._facts = run, blank, facts
        self._skips_waits = skips_waits
        self.answer: Ask = _nothing
        self._idle: dict[bool, deque[CheckProcess]] = {False: deque(), True: deque()}
        self._busy: set[CheckProcess] = set()
        self._losses: dict[str, str] = {}
        self._loading = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._facts.loading_was_tried = True  # a check that is killed is no reason to try it
        for process in tuple(self._busy):
            process.kill()
        self._close_idle()

    def start(self, checks: Iterable[type[Check]], most: int) -> None:
        """Fork child processes before threads begin, whose locks they would inherit.

        Args:
            checks: those that will run in them.
            most: how many will run at a time.
        """
        for virtual, number in Counter(map(self._skips_waits, checks)).items():
            for _ in range(min(number, most)):
                process = self._new_process(virtual=virtual)
                process.start()
                self._idle[virtual].append(process)

    def load(self) -> None:
        """Import the plugin in a child process, so that it is known whether that does harm."""
        with self._free_process(_Loading) as process:
            self._try_to_load(process)

    def run(self, check: type[Check]) -> CheckResult:
        """Run a check; there is always a result."""
        unloadable = self._facts.unloadable
        if check.live or check.detached:
            if unloadable:
                return self._went_wrong(check, str(unloadable), unloadable.ending)
            if check.live and self._losses:
                return self._went_wrong(check, self._first_loss(), CheckEnd.ENDED)
            return self._run(check, self.answer, check.budget_s)
        return self._isolated(check, _UNLOADABLE_S if unloadable else check.budget_s)

    def _new_process(self, *, virtual: bool) -> CheckProcess:
        prepare = VirtualTime().install if virtual else None
        return CheckProcess(self._run_there, self._ask, prepare)

    def _ask(self, name: str) -> CheckResult | None:
        return self.answer(name)

    def _run_there(self, name: str, ask: Ask) -> CheckResult:
        check = self._known[name]
        limit = _UNLOADABLE_S if self._facts.unloadable else check.budget_s
        return self._run(check, ask, limit)

    def _isolated(self, check: type[Check], patience_s: float) -> CheckResult:
        begun = time.monotonic()
        try:
            with self._free_process(check) as process:
                result = process.result(check, patience_s)
        except CheckProcessLostError as loss:
            seconds = time.monotonic() - begun
            wrong = self._went_wrong(check, str(loss), loss.ending)
            result = replace(wrong, duration_s=round(seconds, 3))
            self._losses[check.id] = str(loss)
            self._load_again()
        else:
            if result.duration_s > _SLOW_S and result.outcome is not Outcome.PASS:
                self._load_again()
        return result

    @contextmanager
    def _free_process(self, check: type[Check]) -> Iterator[CheckProcess]:
        """A child process for a check that runs no other meanwhile."""
        virtual = self._skips_waits(check)
        try:
            process = self._idle[virtual].pop()
        except IndexError:
            process = self._new_process(virtual=virtual)
        self._busy.add(process)
        try:
            yield process
        finally:
            self._busy.remove(process)
            self._idle[virtual].append(process)
            if self._facts.unloadable:
                self._close_idle()  # it is still unknown there

    def _close_idle(self) -> None:
        for process in (*self._idle[False], *self._idle[True]):
            process.close()

    def _first_loss(self) -> str:
        """Why nothing runs on Spark: the first loss in the order of the catalogue."""
        first = next(name for name in self._known if name in self._losses)
        return f"not run with Spark, because of {first}: {self._losses[first]}"

    def _load_again(self) -> None:
        """Test, after a failure, whether the import causes it, so that no check waits for it."""
        virtual = self._skips_waits(_Loading)
        with self._new_process(virtual=virtual).entered() as process:
            self._try_to_load(process)
            if self._facts.unloadable:
                self._close_idle()  # it is still unknown there

    def _try_to_load(self, process: CheckProcess) -> None:
        with self._loading:
            if not self._facts.loading_was_tried:
                self._facts.loading_was_tried = True
                self._facts.unloadable = _load(process)

    def _went_wrong(self, check: type[Check], reason: str, ending: CheckEnd) -> CheckResult:
        return replace(self._blank(check), message=reason, ending=ending)


def _load(process: CheckProcess) -> UnloadableError | None:
    """Why the plugin cannot be imported, if it cannot."""
    try:
        result = process.result(_Loading, _Loading.budget_s)
    except CheckProcessLostError as loss:
        return UnloadableError(f"the plugin cannot be imported: {loss}", loss.ending)
    if result.outcome is Outcome.PASS or result.duration_s < _SLOW_S:
        return None
    words = f"the plugin's import does not end within {_SLOW_S:g} s"
    return UnloadableError(words, CheckEnd.HUNG)


def _nothing(_: str) -> None:
    """There are no other results."""
