"""Outages made by the endpoint driver, for tasks whose calls cannot be intercepted.

A native client talks to its service past the interpreter, so that no call of it can be made to
fail. A driver that has ``refuse`` and ``recover`` takes the service away and brings it back.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from plugwright.errors import ConnectError
from plugwright_conformance.checks._stepped_tasks import PATIENCE_S, begun
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    NotApplicableError,
    NotRunError,
)
from plugwright_conformance.simulator import SteppedSink, SteppedSource
from plugwright_conformance.subject.contexts import SourceContext, sink_records
from plugwright_conformance.subject.names import HOME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugwright.record import SourceRecord
    from plugwright_conformance.simulator import Experiment, ExperimentFactory
    from plugwright_conformance.subject.endpoint import Endpoint

_SCENARIO = "the endpoint driver caused an outage and ended it"
_POLLS_IN_OUTAGE = 3
_UNSEEN = "the suite cannot intercept the task's calls to its endpoint, and the endpoint driver has"


def retried_after_outage(factory: ExperimentFactory) -> Evidence:
    """Put a batch during an outage, again as the worker would, and compare what arrived.

    Raises:
        CheckFailedError: if something is lost.
        NotRunError: if the driver cannot make an outage and end it.
        NotApplicableError: if the endpoint cannot refuse.
    """
    with factory.experiment() as experiment:
        driver, values = experiment.endpoint.driver, list(experiment.ledger.values)
        half = len(values) // 2
        with quietly_ended(sink_of(experiment)) as sink:
            sink.put(sink_records(values[:half], HOME))
            sink.commit()
            _refuse(driver)
            with suppress(Exception):  # what kind of error that is, another check asks
                sink.put(sink_records(values[half:], HOME, first_offset=half))
                sink.ask()
            _recover(driver)
            with suppress(Exception):
                sink.commit()
        put_rest(experiment, sink)
        found = factory.require_complete(
            experiment,
            [],
            _SCENARIO,
            likely="the failed write is missing when the batch is delivered again",
        )
    return Evidence(found.entered, found.digest, {**found.figures(), "outages_by_driver": 1})


def source_over_outage(factory: ExperimentFactory) -> Evidence:
    """Poll through an outage, and see that everything comes afterwards without a restart.

    Raises:
        CheckFailedError: if the source ends, or something is lost.
        NotRunError: if the driver cannot make an outage and end it.
        NotApplicableError: if the endpoint cannot refuse.
    """
    with factory.experiment() as experiment:
        driver, ledger = experiment.endpoint.driver, experiment.ledger
        half = len(ledger.values) // 2
        driver.seed(ledger.values[:half])
        task: Any
        task, props = factory.bench.task(experiment.config)
        with begun(SteppedSource(task, props, SourceContext())) as source:
            records = _polled(source, half)
            _refuse(driver)
            for _ in range(_POLLS_IN_OUTAGE):
                records += _polled(source, 0)
            _recover(driver)
            driver.seed(ledger.values[half:])
            records += _polled(source, len(ledger.values) - len(records))
        arrived = [driver.seeded(record.value) for record in records]
        found = ledger.reconcile(arrived)
    if found.lost or found.foreign:
        raise CheckFailedError(
            expected=f"all {found.entered} values, and no others",
            observed=str(found),
            scenario=f"{_SCENARIO}; the task was not restarted",
            likely="the connection is not reopened, or records already read are dropped",
        )
    return Evidence(found.entered, found.digest, {**found.figures(), "outages_by_driver": 1})


def _refuse(driver: Endpoint) -> None:
    words = driver.hook("refuse")
    if words is None:
        raise NotRunError(f"{_UNSEEN} no refuse()")
    if not words:
        raise NotApplicableError("the endpoint cannot refuse")


def _recover(driver: Endpoint) -> None:
    if driver.hook("recover") is None:
        raise NotRunError(f"{_UNSEEN} no recover()")


def sink_of(experiment: Experiment, first: int = 0) -> SteppedSink:
    """A sink task whose records have offsets from ``first`` on."""
    bench = experiment.factory.bench
    task: Any
    task, props = bench.task(experiment.config)
    form = bench.subject.declaration.record_form
    return SteppedSink(task, props, [HOME], form=form, first=first)


def put_rest(experiment: Experiment, former: SteppedSink) -> None:
    """Give another task, as the worker would, what a former one has not committed."""
    values, done = experiment.ledger.values, former.committed(HOME)
    if done < len(values):
        with begun(sink_of(experiment, done)) as sink:
            sink.put(sink_records(values[done:], HOME, first_offset=done))
            sink.commit()


@contextmanager
def quietly_ended(sink: SteppedSink) -> Iterator[SteppedSink]:
    """Stop a sink at the end and ignore its errors."""
    try:
        yield sink
    finally:
        with suppress(Exception):
            sink.end()


def _polled(source: SteppedSource, count: int) -> list[SourceRecord]:
    """So many more records, as far as they come; with one poll more."""
    try:
        return source.take(count, PATIENCE_S)
    except ConnectError as error:
        raise CheckFailedError(
            expected="empty polls, or RetriableError",
            observed=f"{type(error).__name__}: {error}",
            scenario=_SCENARIO,
            likely="a temporary error is treated as fatal",
        ) from error
