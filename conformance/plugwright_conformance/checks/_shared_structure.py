"""Check of sink tasks that change the structure of one target."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from plugwright.record import TopicPartition
from plugwright_conformance.catalogue.check import Check, Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._evolution import ADDED, must_read_back, versions_of
from plugwright_conformance.checks._stepped_tasks import opened
from plugwright_conformance.checks.value_types import short
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.simulator import SteppedSink
from plugwright_conformance.subject.names import TOPIC

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plugwright.record import SinkRecord
    from plugwright.task import Task
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.checks._evolution import Versions

_TASKS = 2
_FEW = 3


@registered
class TasksShareTheStructure(Check):
    """A task copes with a structure that another one has made or changed since it last looked."""

    id = "SNK-SCH-07"
    revision = 2
    severity = Severity.SHOULD
    level = Level.C4
    wave = 3
    title = "Two tasks make the same structure change"
    why = "Each task sees the new field at its own time; the second one fails on what is there."
    mend = "Read the structure again when a change of it fails, or make changes that may be there."
    gate = "EVOL"
    origin = "G-Migr; debezium#6577"

    def run(self, bench: Bench) -> Evidence:
        """Let both tasks put rows of the first version, then both rows of the second."""
        versions = versions_of(bench)
        with bench.endpoint() as endpoint:
            with bench.started_connector(bench.config(endpoint)) as connector:
                configs = connector.task_configs(_TASKS)[:_TASKS]
                if len(configs) < _TASKS:
                    raise NotApplicableError("the connector makes a single task")
                with self._tasks(bench, connector.task_class(), configs) as sinks:
                    for second in (False, True):
                        for number, sink in enumerate(sinks):
                            rows = _rows(bench, versions, number, second=second)
                            self._put(sink, rows, number, second=second)
            must_read_back(
                versions,
                endpoint.driver.read_rows(),
                f"{_TASKS} tasks by turns, {_FEW} rows each, then {_FEW} with the field {ADDED}",
                "a task writes with the columns that it saw when it began",
            )
        return Evidence(len(versions.written))

    @staticmethod
    @contextmanager
    def _tasks(
        bench: Bench, task_class: type[Task], configs: Sequence[Mapping[str, str]]
    ) -> Iterator[Sequence[SteppedSink]]:
        """A running task for each configuration, with a partition each."""
        form = bench.subject.declaration.record_form
        with ExitStack() as stack:
            sinks = []
            for number, props in enumerate(configs):
                task: Any = task_class()
                sink = SteppedSink(task, props, [TopicPartition(TOPIC, number)], form=form)
                sinks.append(stack.enter_context(opened(sink)))
            yield sinks

    @staticmethod
    def _put(
        sink: SteppedSink, records: Sequence[SinkRecord], number: int, *, second: bool
    ) -> None:
        try:
            sink.put(records)
            sink.commit()
        except Exception as error:
            deed = f"puts the first rows with {ADDED}" if second else "puts its first rows"
            raise CheckFailedError(
                expected="the rows of both tasks stored",
                observed=f"{type(error).__name__}: {short(str(error))}",
                scenario=f"task {number} {deed}"
                + (", as another task has just done" if number else ""),
                likely="a task changes the structure by what it saw when it began",
            ) from error


def _rows(bench: Bench, versions: Versions, number: int, *, second: bool) -> list[SinkRecord]:
    home, values = TopicPartition(TOPIC, number), {ADDED: "new"} if second else {}
    texts = bench.ledger().enter(_FEW)
    return [versions.record(text, values, second=second, home=home) for text in texts]
