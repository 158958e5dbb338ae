"""Checks of the whole life cycle of a task, once and repeatedly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import (
    PATIENCE_S,
    config_with_work,
    put_all,
    running_source,
)
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level
from plugwright_conformance.simulator import SteppedSink, SteppedSource
from plugwright_conformance.subject.contexts import (
    RecordingConnectorContext,
    SourceContext,
    sink_records,
)
from plugwright_conformance.subject.names import HOME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.record import SourceRecord
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.subject.endpoint import OpenEndpoint

_CYCLES = 20
_PER_CYCLE = 10


def _called(who: object, name: str, calls: list[str], *arguments: Any, said: str = "") -> Any:
    """Call a method and note it; a failure reports how far the order got.

    Args:
        who: has the method.
        name: of the method.
        calls: the calls so far.
        arguments: of the method.
        said: what calls of the task it makes, if it is none itself.
    """
    calls.append(said or f"{type(who).__name__}.{name}()")
    try:
        return getattr(who, name)(*arguments)
    except Exception as error:
        failed = getattr(who, "failed_in", "")
        raise CheckFailedError(
            expected=f"{f'{failed}()' if failed else calls[-1]} to return",
            observed=f"{type(error).__name__}: {error}",
            scenario=" → ".join(calls[-4:]),
            likely="the method depends on a later call",
        ) from error


@registered
class DocumentedOrderWorks(Check):
    """The plugin works with the documented order of calls."""

    id = "CON-LIF-01"
    level = Level.C2
    title = "The documented call order works end to end"
    why = "Workers call tasks in this order and no other."
    mend = "Do not depend on values that only a later call provides."
    origin = "K-jdoc"

    def run(self, bench: Bench) -> Evidence:
        """Drive the whole sequence once, and examine the result."""
        calls: list[str] = []
        count = 25
        with bench.endpoint() as endpoint:
            config, ledger = bench.config(endpoint), bench.ledger()
            values = ledger.enter(count)
            connector = bench.connector()
            if bench.subject.kind == "source":
                endpoint.driver.seed(values)
            for name in ("version", "config"):
                _called(connector, name, calls)
            _called(connector, "validate", calls, config)
            _called(connector, "initialize", calls, RecordingConnectorContext())
            _called(connector, "start", calls, config)
            task = _called(connector, "task_class", calls)()
            props = _called(connector, "task_configs", calls, 1)[0]
            if bench.subject.kind == "source":
                records = self._source(task, props, calls, count)
                seen = [endpoint.driver.seeded(record.value) for record in records]
            else:
                form = bench.subject.declaration.record_form
                self._sink(SteppedSink(task, props, [HOME], form=form), calls, values)
                seen = list(endpoint.driver.read_back())
            _called(connector, "stop", calls)
        found = ledger.reconcile(seen)
        if not found.exact:
            raise CheckFailedError(f"all {count} values once", str(found), "the documented order")
        return Evidence(len(calls) + count)

    @staticmethod
    def _source(
        task: Any, props: Mapping[str, str], calls: list[str], count: int
    ) -> Sequence[SourceRecord]:
        source = SteppedSource(task, props, SourceContext(), settled=True)
        _called(source, "step", calls, said="initialize(), start()")
        records: Sequence[SourceRecord] = _called(
            source, "take", calls, count, PATIENCE_S, said="poll()"
        )
        _called(source, "end", calls, said="commit_record(), commit(), stop()")
        return records

    @staticmethod
    def _sink(sink: SteppedSink, calls: list[str], values: list[str]) -> None:
        _called(sink, "step", calls, said="initialize(), start()")
        _called(sink, "step", calls, said="open()")
        _called(sink, "put", calls, sink_records(values, HOME))
        _called(sink, "commit", calls, said="pre_commit()")
        _called(sink, "end", calls, said="close(), stop()")


@registered
class RestartInOneProcessIsClean(Check):
    """The twentieth start of a task behaves like the first; a connector starts after a stop."""

    id = "CON-LIF-07"
    revision = 3
    level = Level.C2
    title = "A restart in the same process is clean"
    why = "Workers restart tasks in the same process; leftovers change the new task."
    mend = "Keep state in the instance, never in the module or the class; renew it in start()."
    origin = "DUCK; apache/kafka#5746"
    budget_s = 120.0

    def run(self, bench: Bench) -> Evidence:
        """Twenty lives over endpoints that are alike; each delivers the same.

        Then a connector is given its configuration again, for which it stops and starts.
        """
        values = bench.ledger().enter(_PER_CYCLE)
        for number in range(1, _CYCLES + 1):
            with bench.endpoint() as endpoint:
                seen = self._life(bench, endpoint, values)
            if sorted(seen, key=repr) != sorted(values, key=repr):
                raise CheckFailedError(
                    expected=f"{len(values)} values, as in the first life",
                    observed=f"{len(seen)} values",
                    scenario=f"start, run, stop: life {number} in one process",
                    likely="state is kept outside the instance",
                )
        self._reconfigure(bench)
        return Evidence(_CYCLES * _PER_CYCLE + 1)

    @staticmethod
    def _reconfigure(bench: Bench) -> None:
        with bench.endpoint() as endpoint:
            config = config_with_work(bench, endpoint)
            with bench.started_connector(config) as connector:
                try:
                    connector.reconfigure(config)
                    connector.task_configs(1)
                except Exception as error:
                    raise CheckFailedError(
                        expected="a connector that goes on",
                        observed=f"{type(error).__name__}: {error}",
                        scenario="reconfigure(), which stops and starts it, then task_configs()",
                        likely="start() expects an instance that was never started",
                    ) from error

    @staticmethod
    def _life(bench: Bench, endpoint: OpenEndpoint, values: list[str]) -> list[str]:
        config = bench.config(endpoint)
        if bench.subject.kind == "source":
            endpoint.driver.seed(values)
            with running_source(bench, config, SourceContext(), settled=True) as source:
                records = source.take(len(values), PATIENCE_S)
            return [endpoint.driver.seeded(record.value) for record in records]
        put_all(bench, config, HOME, sink_records(values, HOME))
        return list(endpoint.driver.read_back())
