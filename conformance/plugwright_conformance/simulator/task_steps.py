"""Task operations that run in a separate process, under the worker's loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.record import SinkRecord, TopicPartition
from plugwright.task import SinkTask
from plugwright_conformance.processes.child import loaded, run_step
from plugwright_conformance.simulator._stepped_sink import SteppedSink
from plugwright_conformance.simulator._stepped_source import SteppedSource
from plugwright_conformance.subject.contexts import SourceContext, sink_records
from plugwright_conformance.subject.names import HOME
from plugwright_conformance.subject.same_values import finite, is_finite
from plugwright_conformance.subject.shape import RowShape, typed_values
from plugwright_conformance.subject.text_rows import RecordForm, TextRows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.record import SourceRecord
    from plugwright.task import SourceTask

__all__ = ["main"]

_PATIENCE_S = 2.0
_SHORT = 2000
_TEXT = 1000


def main() -> None:
    """Run the step that the command line names."""
    run_step(_STEPS, _LETHAL)


def start_and_stop(module: str, qualname: str, config: dict[str, str]) -> dict[str, Any]:
    """Bring the task to life from its configuration alone, as an executor would, and stop it."""
    task = loaded(module, qualname)()
    stepped: SteppedSink | SteppedSource
    if isinstance(task, SinkTask):
        stepped = SteppedSink(task, config, [HOME])
    else:
        stepped = SteppedSource(task, config, SourceContext())
    stepped.step()
    stepped.end()
    return {"version": task.version()}


def put_and_promise(
    module: str, qualname: str, config: dict[str, str], topic: str, work: dict[str, Any]
) -> dict[str, Any]:
    """Put records and ask for the offset that may be committed, until there is one."""
    home = TopicPartition(topic, 0)
    sink = _sink_with(loaded(module, qualname)(), config, home, work)
    return {"offset": sink.promised(home)}


def put_and_die(
    module: str, qualname: str, config: dict[str, str], topic: str, work: dict[str, Any]
) -> dict[str, Any]:
    """Put records and die before any offset is committed."""
    _sink_with(loaded(module, qualname)(), config, TopicPartition(topic, 0), work)
    return {"put": len(work["values"])}


def _sink_with(
    task: SinkTask, config: dict[str, str], home: TopicPartition, work: dict[str, Any]
) -> SteppedSink:
    """A sink that has been given values, in rows if its fields are there."""
    rows = TextRows.of(RowShape.parse(work["fields"])) if work["fields"] else None
    sink = SteppedSink(task, config, [home], form=RecordForm(work["keyed"], rows))
    sink.put(sink_records(work["values"], home, keyed=work["keyed"]))
    return sink


def read_through(module: str, qualname: str, config: dict[str, str], count: int) -> dict[str, Any]:
    """Poll until so many values are there, or none have come for a while; in no order."""
    records = _read(loaded(module, qualname)(), config, count, acknowledged=True)
    return {"values": sorted(repr(record.value) for record in records)}


def read_keys(module: str, qualname: str, config: dict[str, str], count: int) -> dict[str, Any]:
    """The value and the key of so many records, none of which is acknowledged."""
    records = _read(loaded(module, qualname)(), config, count, acknowledged=False)
    return {"keys": sorted((repr(record.value), repr(record.key)) for record in records)}


def _read(
    task: SourceTask, config: dict[str, str], count: int, *, acknowledged: bool
) -> Sequence[SourceRecord]:
    source = SteppedSource(task, config, SourceContext(), settled=acknowledged)
    source.step()
    records = source.take(count, _PATIENCE_S, surplus=False, answering=acknowledged)
    source.end()
    return records


def write_through(
    module: str, qualname: str, config: dict[str, str], work: dict[str, Any]
) -> dict[str, Any]:
    """Put the edges of the declared types, or of the declared fields, and commit them."""
    home = TopicPartition(work["topic"], 0)
    if work["fields"]:
        shape = RowShape.parse(work["fields"])
        schema = shape.schema()
        rows = [finite(row) for row in shape.boundary_rows(work["excluded"])]
        typed = [(schema, shape.struct(schema, row)) for row in rows if len(str(row)) < _SHORT]
    else:
        values = typed_values(work["types"], work["excluded"])
        typed = [each for each in values if len(str(each[1])) < _TEXT and is_finite(each[1])]
    records = [
        SinkRecord(home.topic, 0, None, None, schema, value, offset)
        for offset, (schema, value) in enumerate(typed)
    ]
    form = RecordForm(keyed=work["keyed"])
    for record in records:
        form.give(record, home, record.original_kafka_offset)
    sink = SteppedSink(loaded(module, qualname)(), config, [home])
    sink.put(records)
    sink.commit()
    sink.end()
    return {"put": len(records)}


_STEPS: Mapping[str, Callable[..., dict[str, Any]]] = {
    "start-and-stop": start_and_stop,
    "put-and-promise": put_and_promise,
    "put-and-die": put_and_die,
    "read-keys": read_keys,
    "read-through": read_through,
    "write-through": write_through,
}
_LETHAL = frozenset({"put-and-die", "put-and-promise"})

if __name__ == "__main__":
    main()
