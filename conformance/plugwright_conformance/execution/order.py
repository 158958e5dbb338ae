"""Schedules checks in catalogue order, running others while one waits."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Self

from plugwright_conformance.evidence.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from concurrent.futures import Future

    from plugwright_conformance.catalogue.check import Check
    from plugwright_conformance.evidence.outcome import CheckResult

__all__ = ["RunOrder"]


class RunOrder:
    """Runs every check once: in order, on request of another check, or ahead of its turn.

    Detached checks run ahead, while live checks wait for Spark and Kafka. They start with the first
    live check, because earlier checks count the threads and descriptors of this process; in a run
    without live checks they run last, concurrently.

    Args:
        chosen: the checks of the run, in the order of the catalogue.
        known: every check whose result may be requested, by its label.
        run: runs one check and always returns a result.
        workers: how many checks run ahead at a time; zero for none.
    """

    def __init__(
        self,
        *,
        chosen: Sequence[type[Check]],
        known: Mapping[str, type[Check]],
        run: Callable[[type[Check]], CheckResult],
        workers: int,
    ) -> None:
        self._chosen = chosen
        self._known = known
        self._run = run
        self._pool = ThreadPoolExecutor(workers) if workers else None
        self._ahead: dict[str, Future[CheckResult]] = {}
        self._ended: dict[str, CheckResult] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def ask(self, name: str) -> CheckResult | None:
        """The result of a check by id, which runs now if necessary; ``None`` if unknown.

        For a check on several engines, this is the first result that is not PASS.
        """
        found = [self._result(each) for each in self._known.values() if each.id == name]
        worse = [each for each in found if len(found) > 1 and each.outcome is not Outcome.PASS]
        return next(iter((*worse, *found)), None)

    def result(self, check: type[Check]) -> CheckResult:
        """The result of a check, which runs now if necessary."""
        if check.detached and not self._ahead and not any(each.live for each in self._chosen):
            self._end_attached()
            self._begin_detached()
        return self._result(check)

    def _result(self, check: type[Check]) -> CheckResult:
        if check.live and not self._ahead:
            self._begin_detached()
        if check.label() in self._ahead:
            self._pass_the_time(self._ahead[check.label()])
        if check.label() not in self._ended:
            ahead = self._ahead.get(check.label())
            self._ended[check.label()] = ahead.result() if ahead else self._run(check)
        return self._ended[check.label()]

    def _end_attached(self) -> None:
        if self._pool is not None:
            for check in self._chosen:
                if not check.detached:
                    self._result(check)

    def _begin_detached(self) -> None:
        if self._pool is not None:
            for check in self._chosen:
                if check.detached and check.label() not in self._ended:
                    self._ahead[check.label()] = self._pool.submit(self._run, check)

    def _pass_the_time(self, awaited: Future[CheckResult]) -> None:
        """Run live checks ahead of their turn until the awaited check has ended."""
        for check in self._chosen:
            if awaited.done():
                return
            if check.live:
                self._result(check)
