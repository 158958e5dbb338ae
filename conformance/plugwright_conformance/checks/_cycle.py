"""Checks of the whole way of a task, once and again and again (catalogue 3.5.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.record import TopicPartition
from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._hand_driven import poll_values, running_sink, running_source
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level
from plugwright_conformance.subject.contexts import (
    RecordingConnectorContext,
    SinkContext,
    SourceContext,
    sink_records,
)
from plugwright_conformance.subject.names import TOPIC

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.subject.endpoint import OpenEndpoint

__all__ = ["DocumentedOrderWorks", "RestartInOneProcessIsClean"]

_HOME = TopicPartition(TOPIC, 0)
_CYCLES = 20
_PER_CYCLE = 10


def _called(who: object, name: str, calls: list[str], *arguments: Any) -> Any:
    """Call a method and note it; a failure tells how far the order got."""
    calls.append(f"{type(who).__name__}.{name}()")
    try:
        return getattr(who, name)(*arguments)
    except Exception as error:
        raise CheckFailedError(
            expected=f"{calls[-1]} to return",
            observed=f"{type(error).__name__}: {error}",
            scenario=" → ".join(calls[-4:]),
            likely="the method needs a call that comes later",
        ) from error


@registered
class DocumentedOrderWorks(Check):
    """The calls come in one order, and that order works."""

    id = "CON-LIF-01"
    level = Level.C2
    title = "The documented call order works end to end"
    why = "The worker calls in this order and no other."
    mend = "Rely on nothing that a later call brings."
    origin = "K-jdoc"

    def run(self, bench: Bench) -> Evidence:
        """Drive the whole sequence once, and look at what came through."""
        calls: list[str] = []
        count = 25
        with bench.endpoint() as endpoint:
            config = bench.config(endpoint)
            ledger = bench.ledger()
            values = ledger.enter(count)
            connector = bench.connector()
            for name in ("version", "config"):
                _called(connector, name, calls)
            _called(connector, "validate", calls, config)
            _called(connector, "initialize", calls, RecordingConnectorContext())
            _called(connector, "start", calls, config)
            task_class = _called(connector, "task_class", calls)
            props = _called(connector, "task_configs", calls, 1)[0]
            if bench.subject.kind == "source":
                endpoint.driver.seed(values)
                seen = self._source(task_class(), props, calls, count)
            else:
                self._sink(task_class(), props, calls, values)
                seen = list(endpoint.driver.read_back())
            _called(connector, "stop", calls)
        found = ledger.reconcile(seen)
        if found.lost or found.foreign or found.duplicated:
            raise CheckFailedError(f"all {count} values once", str(found), "the documented order")
        return Evidence(len(calls) + count)

    @staticmethod
    def _source(task: Any, props: Mapping[str, str], calls: list[str], count: int) -> list[str]:
        context = SourceContext()
        context.configs = props
        _called(task, "initialize", calls, context)
        _called(task, "start", calls, props)
        records = poll_values(task, count)
        for record in records:
            task.commit_record(record, None)
        _called(task, "commit", calls)
        _called(task, "stop", calls)
        return [record.value for record in records]

    @staticmethod
    def _sink(task: Any, props: Mapping[str, str], calls: list[str], values: list[str]) -> None:
        _called(task, "initialize", calls, SinkContext(props, {_HOME}))
        _called(task, "start", calls, props)
        _called(task, "open", calls, [_HOME])
        _called(task, "put", calls, sink_records(values, _HOME))
        _called(task, "pre_commit", calls, {_HOME: len(values)})
        _called(task, "close", calls, [_HOME])
        _called(task, "stop", calls)


@registered
class RestartInOneProcessIsClean(Check):
    """The twentieth life of a task is like its first."""

    id = "CON-LIF-07"
    revision = 2
    level = Level.C2
    title = "Restart in one process is clean"
    why = "A worker restarts tasks without restarting itself; what stays behind changes them."
    mend = "Keep state on the instance, never on the module or the class."
    origin = "DUCK"
    budget_s = 120.0

    def run(self, bench: Bench) -> Evidence:
        """Twenty lives over endpoints that are alike; each delivers the same."""
        values = bench.ledger().enter(_PER_CYCLE)
        for number in range(1, _CYCLES + 1):
            with bench.endpoint() as endpoint:
                seen = self._life(bench, endpoint, values)
            if sorted(seen) != sorted(values):
                raise CheckFailedError(
                    expected=f"{len(values)} values, as in the first life",
                    observed=f"{len(seen)} values",
                    scenario=f"start, run, stop: life {number} in one process",
                    likely="something is remembered outside the instance",
                )
        return Evidence(_CYCLES * _PER_CYCLE)

    @staticmethod
    def _life(bench: Bench, endpoint: OpenEndpoint, values: list[str]) -> list[str]:
        config = bench.config(endpoint)
        if bench.subject.kind == "source":
            endpoint.driver.seed(values)
            with running_source(bench, config, SourceContext()) as task:
                found: list[str] = []
                for _ in range(len(values) + 3):
                    found += [record.value for record in task.poll() or ()]
                    if len(found) >= len(values):
                        break
                return found
        with running_sink(bench, config, [_HOME]) as sink:
            sink.put(sink_records(values, _HOME))
            sink.pre_commit({_HOME: len(values)})
        return list(endpoint.driver.read_back())
