"""Check that a sink with ``put_batch`` does the same with records and with columns."""

from __future__ import annotations

from collections import Counter
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from plugwright.errors import ConnectError
from plugwright.record import TopicPartition
from plugwright_conformance.catalogue.check import SINK_ONLY, Check, Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._poison import WITH_QUEUE
from plugwright_conformance.checks._stepped_tasks import running_sink
from plugwright_conformance.checks.undeclared_types import undeclared_value
from plugwright_conformance.checks.value_types import short
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence
from plugwright_conformance.subject.contexts import sink_records
from plugwright_conformance.subject.names import TOPIC

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plugwright.record import SinkRecord
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.subject.endpoint import OpenEndpoint

_ODD, _EQUAL = 3, 6


class _Kind(NamedTuple):
    """A batch to put both ways.

    Attributes:
        name: for the report.
        partitions: how many it has records of.
        each: how many of each.
        keyed: whether the records have keys.
        change: what is different about some of them.
    """

    name: str
    partitions: int = 2
    each: int = 6
    keyed: bool = False
    change: Callable[[Bench, Sequence[SinkRecord]], None] = lambda *_: None


def _repeat_values(_: Bench, records: Sequence[SinkRecord]) -> None:
    for record in records[1:_EQUAL]:
        record.value = records[0].value


def _add_headers(_: Bench, records: Sequence[SinkRecord]) -> None:
    for number, record in enumerate(records):
        record.headers.add_string("number", str(number))


def _empty_one(_: Bench, records: Sequence[SinkRecord]) -> None:
    records[_ODD].value = records[_ODD].value_schema = None


def _spoil_one(bench: Bench, records: Sequence[SinkRecord]) -> None:
    records[_ODD].value_schema, records[_ODD].value = undeclared_value(bench)


_KINDS = (
    _Kind("of two partitions"),
    _Kind("of twelve partitions", partitions=12),
    _Kind("with many records of each partition", each=24),
    _Kind("with equal values", change=_repeat_values),
    _Kind("with keys", keyed=True),
    _Kind("with headers", change=_add_headers),
    _Kind("with a tombstone", change=_empty_one),
    _Kind("with an unknown type", change=_spoil_one),
    _Kind("of twelve partitions, with an unknown type", partitions=12, change=_spoil_one),
    _Kind("with many records of each partition, and an unknown type", each=24, change=_spoil_one),
)
_OF_VALUES = ("read_timestamps", "read_headers")
"""What a driver reads of each value."""

_Result = tuple[str, Counter[str]]
"""The error, or nothing, and what the endpoint shows."""


@registered
class ColumnsAreWrittenLikeRecords(Check):
    """``put_batch`` and ``put`` are two ways to the same result."""

    id = "SNK-TYP-23"
    revision = 2
    severity = Severity.SHOULD
    kinds = SINK_ONLY
    level = Level.C2
    wave = 3
    title = "put and put_batch write the same"
    why = "A worker calls put_batch, and put for the rest: one of them alone is what was tested."
    mend = "Have both share the code that writes, and take all parts of a batch into account."
    origin = "NEW"

    def run(self, bench: Bench) -> Evidence:
        """Write batches of several kinds both ways, to new endpoints; compare all that is there."""
        observed = 0
        for kind in _KINDS:
            records = _records(bench, kind)
            columns, single = (_written(bench, records, by_column=each) for each in (True, False))
            _require_same(kind.name, single, columns)
            observed += len(records)
        return Evidence(observed)


def _records(bench: Bench, kind: _Kind) -> list[SinkRecord]:
    keyed = kind.keyed or bench.subject.declaration.needs_keys
    records = [
        record
        for number in range(kind.partitions)
        for record in sink_records(
            bench.ledger().enter(kind.each), TopicPartition(TOPIC, number), keyed=keyed
        )
    ]
    kind.change(bench, records)
    return records


def _written(bench: Bench, records: Sequence[SinkRecord], *, by_column: bool) -> _Result:
    """What comes of records that are put as one batch."""
    homes = sorted({_home(record) for record in records})
    copies = [record.new_record() for record in records]
    errors = WITH_QUEUE if bench.subject.declaration.dead_letters else None
    with bench.endpoint() as endpoint:
        error = ""
        try:
            with running_sink(
                bench,
                bench.config(endpoint),
                homes,
                batch=len(records),
                by_column=by_column,
                errors=errors,
            ) as sink:
                sink.put(copies)
                sink.commit()
        except ConnectError as refusal:
            error = type(refusal).__name__
        return error, _content(endpoint)


def _home(record: SinkRecord) -> TopicPartition:
    return TopicPartition(record.topic, record.kafka_partition)


def _content(endpoint: OpenEndpoint) -> Counter[str]:
    """Each value, with whatever else the driver reads of it."""
    driver = endpoint.driver
    columns = [driver.read_rows(), *(driver.hook(name) or () for name in _OF_VALUES)]
    offsets: Sequence[Any] = driver.hook("read_offsets") or ()
    return Counter(map(repr, [*zip_longest(*columns), *offsets]))


def _require_same(kind: str, single: _Result, columns: _Result) -> None:
    if single == columns:
        return
    missing, extra = single[1] - columns[1], columns[1] - single[1]
    raise CheckFailedError(
        expected=f"what put does: {single[0] or 'no error'}, {single[1].total()} values",
        observed=f"{columns[0] or 'no error'}, {columns[1].total()} values, of which "
        f"{extra.total()} differ and {missing.total()} are missing"
        + "".join(f"; first {short(each)}" for each in [*missing, *extra][:1]),
        scenario=f"a batch {kind}, put by put_batch",
        likely="put_batch passes over a part, a column or an error that put takes into account",
    )
