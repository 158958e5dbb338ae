"""The check that sink tasks leave alone what other tasks have not committed yet."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from plugwright.record import TopicPartition
from plugwright_conformance.catalogue.check import SINK_ONLY, Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import begun
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    NotApplicableError,
)
from plugwright_conformance.simulator import SteppedSink
from plugwright_conformance.subject.contexts import sink_records
from plugwright_conformance.subject.names import TOPIC

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.evidence.ledger import Reconciliation
    from plugwright_conformance.subject.endpoint import OpenEndpoint

_EACH = 5


@registered
class TasksLeaveEachOtherAlone(Check):
    """A task that starts, commits or stops does nothing to another one's records."""

    id = "CON-PAR-09"
    kinds = SINK_ONLY
    level = Level.C3
    wave = 2
    title = "A task that starts, commits or stops leaves alone what other tasks have not committed"
    why = "Tasks restart one by one; what they stage in one place is emptied under the others."
    mend = "Give the stage, the buffer file and the lock of each task a name of its own."
    origin = "estuary#4627"

    def run(self, bench: Bench) -> Evidence:
        """Put to one task; start another, put, commit and stop it; then commit the first one."""
        found = self._moved(bench)
        if not found.exact:
            raise CheckFailedError(
                expected=f"all {found.entered} values, each once",
                observed=str(found),
                scenario=f"a task had taken {_EACH} records when another started, put and stopped",
                likely="tasks share a stage or a temporary file, and empty it",
            )
        return Evidence(found.entered, found.digest, found.figures())

    def _moved(self, bench: Bench) -> Reconciliation:
        ledger = bench.ledger()
        with bench.endpoint() as endpoint, ExitStack() as stack:
            first, second = self._tasks(bench, endpoint)
            keyed = bench.subject.declaration.claims("upsert")
            early = stack.enter_context(begun(first))
            early.step()
            early.put(sink_records(ledger.enter(_EACH), _home(0), keyed=keyed))
            with begun(second) as late:
                late.step()
                late.put(sink_records(ledger.enter(_EACH), _home(1), keyed=keyed))
                late.commit()
            more = sink_records(ledger.enter(_EACH), _home(0), first_offset=_EACH, keyed=keyed)
            early.put(more)
            early.commit()
            stack.close()
            return ledger.reconcile(endpoint.driver.read_back())

    @staticmethod
    def _tasks(bench: Bench, endpoint: OpenEndpoint) -> tuple[SteppedSink, SteppedSink]:
        """Two tasks with a partition each, not started.

        Raises:
            NotApplicableError: if the connector has one task only.
        """
        form = bench.subject.declaration.record_form
        with bench.started_connector(bench.config(endpoint)) as connector:
            configs: Sequence[Mapping[str, str]] = connector.task_configs(2)
            kind: Any = connector.task_class()
        if len(configs) < 2:  # noqa: PLR2004  # one for each task
            raise NotApplicableError("the connector has one task")
        tasks = [
            SteppedSink(kind(), props, [_home(number)], form=form)
            for number, props in enumerate(configs)
        ]
        return tasks[0], tasks[1]


def _home(number: int) -> TopicPartition:
    return TopicPartition(TOPIC, number)
