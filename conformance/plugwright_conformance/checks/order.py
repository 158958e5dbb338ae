"""Compares values with the declared order, or in any order without one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from plugwright_conformance.evidence.outcome import CheckFailedError
from plugwright_conformance.subject.contexts import partition_text
from plugwright_conformance.subject.same_values import same

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from plugwright.record import SourceRecord
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.subject.endpoint import Endpoint


class _Nothing:
    """Stands where a value is missing."""

    def __repr__(self) -> str:
        return "nothing"


NOTHING: Final = _Nothing()


def keeps_order(bench: Bench) -> bool:
    """Whether the plugin declares that the values of a partition stay in their order."""
    return promised_order(bench) == "partition"


def promised_order(bench: Bench) -> str:
    """What keeps its order: ``partition``, ``key``, or nothing."""
    return str(bench.subject.declaration.capabilities.get("order", "none"))


def arranged(bench: Bench, expected: Sequence[object], found: Sequence[object]) -> list[Any]:
    """Arrange the values found for comparison with the expected ones.

    Without a promise of order, every expected value stands at its own position, and unexpected
    values at the positions of missing ones. Where none is left, there is ``NOTHING``.
    The values of a source are from any of its partitions, between which there is no order.
    """
    ordered = bench.subject.kind == "sink" and keeps_order(bench)
    there = list(found) if ordered else _matched(expected, list(found))
    return there + [NOTHING] * (len(expected) - len(there))


def _matched(expected: Sequence[object], left: list[object]) -> list[object]:
    """The same values, as many as possible at the positions where they are expected."""
    positions: list[object] = []
    for value in expected:
        match = next((number for number, each in enumerate(left) if same(value, each)), None)
        positions.append(NOTHING if match is None else left.pop(match))
    filled = [left.pop(0) if each is NOTHING and left else each for each in positions]
    return filled + left


def position(record: SourceRecord) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The source partition of a record, and its offset there.

    Raises:
        CheckFailedError: if it has none.
    """
    if record.source_partition is None or not record.source_offset:
        raise CheckFailedError(
            expected="a source partition and a source offset with every record",
            observed=f"{record.source_partition!r}, {record.source_offset!r}",
        )
    return record.source_partition, record.source_offset


def positions_after(
    bench: Bench, records: Sequence[SourceRecord]
) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """The offsets that are stored once records were delivered: the last of each partition.

    Where the endpoint itself remembers what was read, records need none.
    """
    if bench.subject.declaration.keeps_own_offsets:
        records = [record for record in records if record.source_partition is not None]
    return [position(record) for record in last_of_each(records)]


def last_of_each(records: Sequence[SourceRecord]) -> list[SourceRecord]:
    """The last record of each source partition."""
    return list({partition_name(record): record for record in records}.values())


def reads_all(
    bench: Bench, driver: Endpoint, values: Sequence[str], records: Sequence[SourceRecord]
) -> bool:
    """Whether records bring every one of some different values, in the order that is promised."""
    if _bag(driver.seeded(record.value) for record in records) != _bag(values):
        return False
    flows = [[*map(driver.seeded, flow)] for flow in _flows(bench, records).values()]
    return all(flow == sorted(flow, key=values.index) for flow in flows)


def continues(bench: Bench, rest: Sequence[SourceRecord], records: Sequence[SourceRecord]) -> bool:
    """Whether records bring what a first reading brought, in the order that is promised."""
    same_flows = _flows(bench, rest) == _flows(bench, records)
    return same_flows and _bag(r.value for r in rest) == _bag(r.value for r in records)


def _bag(values: Iterable[object]) -> list[str]:
    return sorted(map(repr, values))


def _flows(bench: Bench, records: Sequence[SourceRecord]) -> dict[str, list[Any]]:
    """The values of everything that keeps its order: of each source partition, or of each key.

    Records without a key are not of one key: Kafka spreads them over its partitions.
    """
    order, flows = promised_order(bench), dict[str, list[Any]]()
    for record in records:
        if order == "partition":
            flows.setdefault(partition_name(record), []).append(record.value)
        elif order == "key" and record.key is not None:
            flows.setdefault(repr(record.key), []).append(record.value)
    return flows


def partition_name(record: SourceRecord) -> str:
    """The source partition of a record, as text; all records without one have the same."""
    return partition_text(record.source_partition or {})
