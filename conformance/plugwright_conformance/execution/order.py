"""Schedules checks in catalogue order, running others ahead of their turn."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Protocol, Self

from plugwright_conformance.evidence.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright_conformance.catalogue.check import Check
    from plugwright_conformance.evidence.outcome import CheckResult

__all__ = ["RunOrder"]


class CheckProcesses(Protocol):
    """Where checks run."""

    def load(self) -> None:
        """Import the plugin, before checks run beside one another."""

    def run(self, check: type[Check]) -> CheckResult:
        """Run a check; there is always a result. Several threads may call it."""


class RunOrder:
    """Runs every check once: in order, on request of another check, or ahead of its turn.

    The first checks run alone: they examine what an import of the plugin does, which may harm
    others. After them, checks without Spark and Kafka run ahead, in other threads. Live checks run
    one after the other in the caller's thread, after every check that may crash its process. Where
    others run detached checks, the caller's thread runs none, because only there would a check be
    interrupted.

    Args:
        chosen: the checks of the run, in the order of the catalogue.
        known: every check whose result may be requested, by its label.
        alone: how many of the chosen checks run alone.
        processes: where checks run.
        workers: how many checks run ahead at a time; zero for none.
    """

    def __init__(
        self,
        *,
        chosen: Sequence[type[Check]],
        known: Mapping[str, type[Check]],
        alone: int,
        processes: CheckProcesses,
        workers: int,
    ) -> None:
        self._chosen = chosen
        self._known = known
        self._processes = processes
        self._pool = ThreadPoolExecutor(workers) if workers else None
        self._workers = workers
        self._alone = {each.label() for each in chosen[:alone]}
        ahead = filter(_may_run_ahead, chosen[alone:] if workers else ())
        self._ahead = {each.label() for each in ahead}
        self._attached = [e for e in chosen if _may_run_ahead(e) and not e.detached]
        self._results: dict[str, Future[CheckResult]] = {label: Future() for label in known}
        self._unclaimed = set(known)
        self._claims = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        with self._claims:
            self._unclaimed.clear()
        if self._pool is not None:
            self._pool.shutdown(wait=error is None)

    def ask(self, name: str) -> CheckResult | None:
        """The result of a check by id, which runs now if necessary; ``None`` if unknown.

        For a check on several engines, this is the first result that is not PASS.
        """
        found = [self.result(each) for each in self._known.values() if each.id == name]
        worse = [each for each in found if len(found) > 1 and each.outcome is not Outcome.PASS]
        return next(iter((*worse, *found)), None)

    def result(self, check: type[Check]) -> CheckResult:
        """The result of a check, which runs now if necessary."""
        if check.label() not in self._alone:
            self._begin()
        if check.live:
            self._end_attached()
        elif check.label() in self._ahead:
            self._pass_the_time(check)
        if not (check.detached and check.label() in self._ahead):
            self._run_unless_claimed(check)
        return self._results[check.label()].result()

    def _run_unless_claimed(self, check: type[Check]) -> None:
        label = check.label()
        with self._claims:
            if label not in self._unclaimed:
                return
            self._unclaimed.remove(label)
        try:
            self._results[label].set_result(self._processes.run(check))
        except BaseException as error:
            self._results[label].set_exception(error)
            raise

    def _begin(self) -> None:
        """Let the workers begin, once."""
        begun, self._workers = self._workers, 0
        if self._pool is not None and begun:
            self._processes.load()
            for _ in range(begun):
                self._pool.submit(self._run_ahead)

    def _run_ahead(self) -> None:
        for check in self._chosen:
            if check.label() in self._ahead:
                self._run_unless_claimed(check)

    def _end_attached(self) -> None:
        """Run every check that may crash its process; live ones are not run after a crash."""
        for check in self._attached:
            self._run_unless_claimed(check)
        for check in self._attached:
            self._results[check.label()].result()

    def _pass_the_time(self, awaited: type[Check]) -> None:
        """Run other checks ahead of their turn until a worker has ended the awaited one."""
        ended = self._results[awaited.label()].done
        for check in self._attached:
            if ended():
                return
            self._run_unless_claimed(check)
        for check in (each for each in self._chosen if each.live and awaited.detached):
            if ended():
                return
            self.result(check)


def _may_run_ahead(check: type[Check]) -> bool:
    """Whether it needs neither Spark and Kafka nor the results of other checks."""
    return not (check.live or check.in_turn)
