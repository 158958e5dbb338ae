"""Chooses the process of each check: this one, or one that the plugin may crash."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Self

from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.evidence.outcome import CheckEnd, Evidence, Level, Outcome
from plugwright_conformance.execution.check_process import CheckProcess, CheckProcessLostError
from plugwright_conformance.execution.facts import UnloadableError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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
    connection to Spark, and only until a check has crashed its process. All others run in separate
    processes.

    Args:
        known: the checks whose results may be requested, by id.
        run: runs a check in the current process, with a time limit in seconds.
        blank: returns an ERROR result of a check, without a message.
        facts: the facts shared by the checks of the run.
        prepare: called first in the process of each isolated check.

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
        prepare: Callable[[], None] | None = None,
    ) -> None:
        self._known: Mapping[str, type[Check]] = {**known, _Loading.id: _Loading}
        self._run, self._blank, self._facts = run, blank, facts
        self._prepare = prepare
        self.answer: Ask = _nothing
        self._process = self._new_process()
        self._lost = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.close()

    def run(self, check: type[Check]) -> CheckResult:
        """Run a check; there is always a result."""
        unloadable = self._facts.unloadable
        if check.live or check.detached:
            if unloadable:
                return self._went_wrong(check, str(unloadable), unloadable.ending)
            if check.live and self._lost:
                return self._went_wrong(check, self._lost, CheckEnd.ENDED)
            return self._run(check, self.answer, check.budget_s)
        return self._isolated(check, _UNLOADABLE_S if unloadable else check.budget_s)

    def _new_process(self) -> CheckProcess:
        return CheckProcess(self._run_there, self._ask, self._prepare)

    def _ask(self, name: str) -> CheckResult | None:
        return self.answer(name)

    def _run_there(self, name: str, ask: Ask) -> CheckResult:
        check = self._known[name]
        limit = _UNLOADABLE_S if self._facts.unloadable else check.budget_s
        return self._run(check, ask, limit)

    def _isolated(self, check: type[Check], patience_s: float) -> CheckResult:
        begun = time.monotonic()
        try:
            result = self._process.result(check, patience_s)
        except CheckProcessLostError as loss:
            seconds = time.monotonic() - begun
            wrong = self._went_wrong(check, str(loss), loss.ending)
            result = replace(wrong, duration_s=round(seconds, 3))
            self._lost = self._lost or f"not run with Spark, because of {check.id}: {loss}"
            self._try_to_load()
        else:
            if result.duration_s > _SLOW_S and result.outcome is not Outcome.PASS:
                self._try_to_load()
        return result

    def _try_to_load(self) -> None:
        """Test, after a failure, whether the import causes it, so that no check waits for it."""
        if self._facts.loading_was_tried:
            return
        self._facts.loading_was_tried = True
        found: UnloadableError | None = None
        with self._new_process().entered() as process:
            try:
                result = process.result(_Loading, _Loading.budget_s)
            except CheckProcessLostError as loss:
                found = UnloadableError(f"the plugin cannot be imported: {loss}", loss.ending)
            else:
                if result.outcome is not Outcome.PASS and result.duration_s >= _SLOW_S:
                    words = f"the plugin's import does not end within {_SLOW_S:g} s"
                    found = UnloadableError(words, CheckEnd.HUNG)
        self._facts.unloadable = found
        if found:
            self._process.close()  # it is still unknown there

    def _went_wrong(self, check: type[Check], reason: str, ending: CheckEnd) -> CheckResult:
        return replace(self._blank(check), message=reason, ending=ending)


def _nothing(_: str) -> None:
    """There are no other results."""
