"""Check of bulk writes of which the endpoint takes only a part."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self
from unittest.mock import patch

from plugwright_conformance.catalogue.check import SINK_ONLY
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._outages import put_rest, quietly_ended, sink_of
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    Level,
    NotApplicableError,
)
from plugwright_conformance.simulator import SimulatedCheck, database_is_locked
from plugwright_conformance.subject.contexts import sink_records
from plugwright_conformance.subject.names import HOME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from plugwright_conformance.evidence.ledger import Reconciliation
    from plugwright_conformance.simulator import Experiment, ExperimentFactory

_HOOK = "reject_some"
_BATCHES = 3
_MOST_CALLS = 8
_SCENARIO = "the endpoint took some items of a request only, and rejected the others as busy"
_WRITES = ("insert", "replace", "update", "merge", "with")
_LIKELY = "the answers of single items, or the rows before the failed one, are not looked at"


@registered
class PartialWritesLoseNothing(SimulatedCheck):
    """Items that a bulk write did not take are written later, or reported."""

    id = "SNK-ERR-08"
    revision = 2
    kinds = SINK_ONLY
    level = Level.C3
    wave = 2
    title = "Partial failure of a bulk write loses nothing"
    why = "Busy services take some items of a request; the answer is a success for all of them."
    mend = "Look at the answer for each item; send the others again, or raise RetriableError."
    origin = "risingwave#17865; cloudant-kafka-connector#89; NEW"
    budget_s = 120.0

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Have the endpoint take only some items of one bulk write; compare what arrives.

        Bulk writes are calls of ``executemany()`` of an embedded database, and what the endpoint
        driver rejects on request.
        """
        found: list[Reconciliation] = []
        if self._driver_rejects(factory):
            found.append(self._moved_by(factory))
        calls = self._bulk_calls(factory)
        found += [self._moved_through(factory, number) for number in range(calls)]
        if not found:
            raise NotApplicableError(
                f"the task calls no executemany(), and the endpoint driver has no {_HOOK}()"
            )
        figures = {**found[-1].figures(), "partial_writes": len(found)}
        return Evidence(sum(each.entered for each in found), found[-1].digest, figures)

    @staticmethod
    def _driver_rejects(factory: ExperimentFactory) -> bool:
        with factory.bench.endpoint() as endpoint:
            return endpoint.driver.hook(_HOOK) is not None

    @staticmethod
    def _moved_by(factory: ExperimentFactory) -> Reconciliation:
        """Move records to an endpoint whose driver makes it reject some of a request."""
        with factory.experiment() as experiment:
            experiment.endpoint.driver.hook(_HOOK)
            error = _move(experiment)
            found = factory.require_complete(experiment, [], _SCENARIO, likely=_LIKELY)
        if error is not None:
            raise CheckFailedError(
                expected="the rejected items sent again, by the task or after a RetriableError",
                observed=f"{type(error).__name__}: {error}",
                scenario=_SCENARIO,
                likely="the rejection of a busy service is taken for one of the item",
            )
        return found

    @staticmethod
    def _bulk_calls(factory: ExperimentFactory) -> int:
        """How many bulk writes of an undisturbed life to fail, from the first on."""
        with factory.experiment() as experiment:
            with _cut_short(None) as made:
                _move(experiment)
            factory.require_complete(experiment, [], "no fault")
        return min(len(made), _MOST_CALLS)

    @staticmethod
    def _moved_through(factory: ExperimentFactory, number: int) -> Reconciliation:
        """Move records while one bulk write fails in the middle."""
        with factory.experiment() as experiment:
            with _cut_short(number) as made:
                _move(experiment)
            rows = made[number] if number < len(made) else 0
            return factory.require_complete(
                experiment,
                [],
                f"executemany() number {number} failed after {rows // 2} of {rows} rows",
                likely=_LIKELY,
            )


def _move(experiment: Experiment) -> Exception | None:
    """Put all records, and give another task what a failed one has not committed.

    Returns:
        What the task failed with, if it did.
    """
    failure, values = None, experiment.ledger.values
    with quietly_ended(sink_of(experiment)) as sink:
        try:
            for part in _parts(values):
                first = part.start
                sink.put(sink_records(values[first : part.stop], HOME, first_offset=first))
            sink.commit()
        except Exception as error:  # noqa: BLE001  # whether it may fail, the caller knows
            failure = error
    put_rest(experiment, sink)
    return failure


def _parts(values: Sequence[str]) -> Iterator[range]:
    """The batches in which values are put."""
    size = -(-len(values) // _BATCHES)
    for first in range(0, len(values), size):
        yield range(first, min(first + size, len(values)))


@contextmanager
def _cut_short(number: int | None) -> Iterator[list[int]]:
    """Fail one bulk write of an embedded database in the middle.

    Args:
        number: of the write, from 0; none for no failure.

    Yields:
        How many rows each bulk write was given.
    """
    made: list[int] = []

    class _Cursor(sqlite3.Cursor):
        def executemany(self, sql: str, rows: Iterable[Any], /) -> Self:
            given = list(rows)
            if len(given) > 1 and sql.lstrip().lower().startswith(_WRITES):
                made.append(len(given))
                if len(made) - 1 == number:
                    super().executemany(sql, given[: len(given) // 2])
                    super().execute("SELECT NULL WHERE FALSE")  # else its statement keeps the lock
                    raise database_is_locked()
            return super().executemany(sql, given)

    class _Connection(sqlite3.Connection):
        def cursor(self, factory: Any = _Cursor, /) -> Any:
            return super().cursor(factory)

        def executemany(self, sql: str, rows: Iterable[Any], /) -> sqlite3.Cursor:
            return self.cursor().executemany(sql, rows)  # type: ignore[no-any-return]

    really: Callable[..., sqlite3.Connection] = sqlite3.connect

    def connect(*arguments: Any, **named: Any) -> sqlite3.Connection:
        return really(*arguments, **{"factory": _Connection, **named})

    with patch.object(sqlite3, "connect", connect):
        yield made
