"""Checks of sinks with records that they cannot write."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.record import SinkRecord
from plugwright.worker import ErrorSettings
from plugwright_conformance.catalogue.check import Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import running_sink
from plugwright_conformance.checks.undeclared_types import undeclared_value
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.simulator import DEAD_LETTERS, POISON, SimulatedCheck
from plugwright_conformance.subject.contexts import sink_records
from plugwright_conformance.subject.names import HOME, TOPIC

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.simulator import (
        Experiment,
        ExperimentFactory,
        LifeReport,
        SteppedSink,
    )

WITH_QUEUE = ErrorSettings(tolerate_all=True, dead_letter_topic=DEAD_LETTERS)
_GOOD = 3
BAD = (0, 7, 8, 20)
"""Where bad records are: first, two in a row, and one late."""
_PLACES = (0, 11, 12, 27)
"""First, two in a row in the middle, last: among 24 good records."""


@contextmanager
def poisoned(factory: ExperimentFactory, places: Sequence[int] = BAD) -> Iterator[Experiment]:
    """An experiment with bad records at some places."""
    with factory.experiment() as experiment:
        for place in places:
            experiment.poison(place)
        yield experiment


@registered
class PoisonGoesToTheQueue(SimulatedCheck):
    """Bad records go to the dead-letter queue, and only those."""

    id = "SNK-ERR-04"
    level = Level.C3
    title = "Poison records go to the DLQ once; all others are delivered"
    why = "Sending a whole batch to the queue because of one bad record loses the good ones."
    mend = "Report only the bad record with the errant record reporter, and write the others."

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Mix poison in, first, last and in a row; in must equal out plus dead letters."""
        declaration = factory.bench.subject.declaration
        plan = replace(factory.plan, errors=WITH_QUEUE, poison=undeclared_value(factory.bench))
        with poisoned(factory, _PLACES) as experiment:
            life = experiment.live(plan)
            dead = experiment.dead_letters()
            if not declaration.dead_letters:
                self._probe(life, len(dead))
            found = factory.require_complete(
                experiment,
                [life],
                f"{len(_PLACES)} poison records among {len(experiment.ledger.values)}, "
                "errors.tolerance=all",
                likely="the whole batch is reported or dropped",
            )
            wanted = Counter(p for p in experiment.payloads if p.startswith(POISON))
        if Counter(dead) != wanted:
            raise CheckFailedError(
                expected=f"each of {len(_PLACES)} poison records once in the dead-letter queue",
                observed=f"{len(dead)} records there, {len(set(dead))} different maps",
                scenario="errors.tolerance=all with a dead-letter queue",
            )
        return Evidence(
            found.entered + len(dead), found.digest, {**found.figures(), "dead_lettered": len(dead)}
        )

    @staticmethod
    def _probe(life: LifeReport, dead: int) -> None:
        """Without the capability, poison is refused loudly, and nothing is reported."""
        if life.ending == "failed" and not life.foreign and not dead:
            raise NotApplicableError("dlq is not declared, and a bad record fails the task loudly")
        if dead:
            raise CheckFailedError(
                expected="dlq = true in conformance.toml, because the sink reports records",
                observed=f"{dead} records in the dead-letter queue",
                scenario="the capability is not declared",
            )


@registered
class PoisonStopsTheTask(SimulatedCheck):
    """Without error tolerance, the task fails at the first bad record."""

    id = "SNK-ERR-05"
    level = Level.C3
    title = "With errors.tolerance=none a bad record stops the task and nothing beyond is committed"
    why = "Skipping a bad record silently loses data without the operator's consent."
    mend = "Raise DataError for a record that cannot be written, and write none after it."
    _PLACE = 9

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Put one poison record in the middle; the task must fail in front of it."""
        poison = undeclared_value(factory.bench)
        scenario = f"a {type(poison.value).__name__} at {TOPIC}-1@4, errors.tolerance=none"
        with poisoned(factory, [self._PLACE]) as experiment:
            life = experiment.live(replace(factory.plan, poison=poison))
            partition, offset = self._PLACE % 2, self._PLACE // 2
            committed = experiment.committed(partition)
            missing = experiment.not_durable()
            written = len(experiment.observed()) > len(experiment.ledger.values)
        if life.ending != "failed" and written:
            raise NotApplicableError("the sink stores values of a type that it does not declare")
        if life.ending != "failed" or committed > offset:
            raise CheckFailedError(
                expected=f"a task that FAILED, and commit <= {offset} for ({TOPIC}, {partition})",
                observed=f"a task that {life.ending}, commit {committed}{life.last_words}",
                scenario=scenario,
                likely="the error of one record is caught and dropped",
            )
        if missing:
            raise CheckFailedError(
                expected="every record below the committed offsets at the endpoint",
                observed=f"{len(missing)} of them missing, first {missing[0]}",
                scenario=scenario,
            )
        return Evidence(1 + committed, figures={"committed": committed, "poison_at": offset})


@registered
class ReporterMayBeMissing(Check):
    """The task works without an errant record reporter."""

    id = "SNK-ERR-06"
    revision = 3
    level = Level.C3
    title = "Works when the runtime offers no error reporter"
    why = "Without errors.* settings the reporter is None; the first bad record causes a TypeError."
    mend = "Call errant_record_reporter(), and raise DataError if it returns None."

    def run(self, bench: Bench) -> Evidence:
        """Put good and bad records, without a reporter."""
        poison = undeclared_value(bench)
        bad = SinkRecord(TOPIC, 0, None, None, poison.schema, poison.value, _GOOD)
        with bench.endpoint() as endpoint:
            values = bench.ledger().enter(_GOOD)
            with running_sink(bench, bench.config(endpoint), [HOME]) as sink:
                sink.put(sink_records(values, HOME))
                self._put(sink, bad)
        return Evidence(2)

    @staticmethod
    def _put(sink: SteppedSink, bad: SinkRecord) -> None:
        try:
            sink.put([bad])
        except ConnectError:
            return
        except Exception as error:
            raise CheckFailedError(
                expected="DataError or another ConnectError",
                observed=f"{type(error).__name__}: {error}",
                scenario="a record of an undeclared type, and no errant record reporter",
                likely="the reporter is used without checking for None",
            ) from error
