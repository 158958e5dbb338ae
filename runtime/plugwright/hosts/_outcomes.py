"""Processes batches in this process or in a stage host, with an outcome per item.

An outcome is a result or `Failed`, so that a bad record does not affect the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from plugwright.errors import DataError
from plugwright.hosts.columns import columns_of, records_of, rows_of, with_changes
from plugwright.hosts.frames import UnreadableError
from plugwright.hosts.reports import ErrorReport, revive

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.hosts._chain_plan import Segment
    from plugwright.hosts._stage_host import StageHost
    from plugwright.hosts.columns import EncodedColumns, Rows
    from plugwright.plugins import ClassReference
    from plugwright.worker import ProcessingStage


class Failed(NamedTuple):
    """The failure of one item."""

    error: BaseException


class Misfit(NamedTuple):
    """An item that a converter could not convert.

    Attributes:
        stage: the converter.
        parts: the results of the converters before it.
    """

    stage: ProcessingStage
    parts: tuple[Any, ...]
    error: Exception


Convert = Callable[[str, Sequence[Sequence[Any]]], list[Any]]
"""A method of a converter by name, and a column for each of its arguments."""


def local_converter(converter: Any) -> Convert:
    """A converter in this process, called once per item."""

    def convert(method: str, columns: Sequence[Sequence[Any]]) -> list[Any]:
        call = getattr(converter, method)
        return [attempted(call, *arguments) for arguments in zip(*columns, strict=True)]

    return convert


def remote_converter(
    key: str, reference: ClassReference, hosts: Mapping[int, StageHost]
) -> Convert:
    """A converter in a stage host, called once per batch."""
    host = hosts[reference.process]

    def convert(method: str, columns: Sequence[Sequence[Any]]) -> list[Any]:
        def part(chosen: slice) -> list[Any]:
            arguments = [column[chosen] for column in columns]
            batch = columns_of(arguments, len(arguments[0]))
            answer = host.call("convert", key, method, batch, phase=method, about=reference)
            return _revived(answer)

        return _in_parts(part, 0, len(columns[0]) if columns else 0)

    return convert


def remote_transform(
    segment: Segment, host: StageHost, about: ClassReference
) -> Callable[[Sequence[Any]], list[Any]]:
    """Consecutive transformations in a stage host."""
    place, tested = (segment.first, segment.after), segment.tester is not None

    def transform(records: Sequence[Any]) -> list[Any]:
        def part(chosen: slice) -> list[Any]:
            rows = rows_of(records[chosen])
            batch = columns_of(zip(*rows, strict=True), len(rows))
            answer = host.call("transform", *place, batch, tested, phase="apply", about=about)
            return _outcomes(records[chosen], rows, *answer)

        return _in_parts(part, 0, len(records))

    return transform


def _outcomes(
    records: Sequence[Any],
    rows: Rows,
    dropped: Sequence[int],
    failed: Mapping[int, ErrorReport],
    changed: EncodedColumns,
) -> list[Any]:
    if not dropped and not failed:
        return _changed(records, rows, changed)
    outcomes: list[Any] = list(records)
    for position in dropped:
        outcomes[position] = None
    for position, report in failed.items():
        outcomes[position] = Failed(revive(report))
    gone = {*dropped, *failed}
    kept = [position for position in range(len(records)) if position not in gone]
    after = _changed([records[i] for i in kept], [rows[i] for i in kept], changed)
    for position, record in zip(kept, after, strict=True):
        outcomes[position] = record
    return outcomes


def _changed(records: Sequence[Any], rows: Rows, changed: EncodedColumns) -> list[Any]:
    if not changed:
        return list(records)
    return records_of(with_changes(rows, changed))


def remote_test(
    position: int, host: StageHost, about: ClassReference
) -> Callable[[Sequence[Any]], list[Any]]:
    """A predicate in a stage host."""

    def test(records: Sequence[Any]) -> list[Any]:
        def part(chosen: slice) -> list[Any]:
            rows = rows_of(records[chosen])
            batch = columns_of(zip(*rows, strict=True), len(rows))
            return _revived(host.call("test", position, batch, phase="test", about=about))

        return _in_parts(part, 0, len(records))

    return test


def _in_parts(work: Callable[[slice], list[Any]], start: int, stop: int) -> list[Any]:
    """Process a batch; halve it until an item that cannot be sent is isolated."""
    if start == stop:
        return []
    try:
        return work(slice(start, stop))
    except DataError as error:
        if error.code != UnreadableError.default_code:
            raise
        if stop - start == 1:
            return [Failed(error)]
    middle = (start + stop) // 2
    return [*_in_parts(work, start, middle), *_in_parts(work, middle, stop)]


def attempted(call: Callable[..., Any], *arguments: Any) -> Any:
    """The result of a call, or its exception."""
    try:
        return call(*arguments)
    except BaseException as error:  # noqa: BLE001  # raised again when this item's turn has come
        return Failed(error)


def _revived(answer: list[Any]) -> list[Any]:
    if ErrorReport in map(type, answer):
        return [Failed(revive(item)) if type(item) is ErrorReport else item for item in answer]
    return answer
