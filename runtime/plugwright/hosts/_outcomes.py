"""Work on a batch in this process or in a stage host, with an outcome for each item.

An outcome is a result, or `Failed`: one bad record spoils none of its neighbours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from plugwright.hosts._reports import ErrorReport, revive
from plugwright.hosts._rows import record_of, row_of
from plugwright.hosts._stage import make_converter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plugwright.hosts._chain_plan import Segment
    from plugwright.hosts._stage_host import StageHost
    from plugwright.plugins import ClassReference

__all__ = [
    "Failed",
    "attempted",
    "local_converter",
    "remote_converter",
    "remote_test",
    "remote_transform",
]


class Failed(NamedTuple):
    """What went wrong with one item."""

    error: Exception


def local_converter(key: str, reference: ClassReference) -> Callable[..., list[Any]]:
    """A converter of this process, called for each item of a batch."""
    converter = make_converter(key, reference)

    def convert(method: str, calls: Sequence[tuple[Any, ...]]) -> list[Any]:
        call = getattr(converter, method)
        return [attempted(call, *arguments) for arguments in calls]

    return convert


def remote_converter(
    key: str, reference: ClassReference, host: StageHost
) -> Callable[..., list[Any]]:
    """A converter of a stage host, given each batch at once."""

    def convert(method: str, calls: Sequence[tuple[Any, ...]]) -> list[Any]:
        if not calls:
            return []
        answer = host.call("convert", key, method, calls, phase=method, about=reference)
        return [_revived(item) for item in answer]

    return convert


def remote_transform(
    segment: Segment, host: StageHost, about: ClassReference
) -> Callable[[Sequence[Any]], list[Any]]:
    """Consecutive transformations of a stage host."""
    place, tested = (segment.first, segment.after), segment.tester is not None

    def transform(records: Sequence[Any]) -> list[Any]:
        rows = [row_of(record) for record in records]
        answer = host.call("transform", *place, rows, tested, phase="apply", about=about)
        return [_record(item) for item in answer]

    return transform


def remote_test(
    position: int, host: StageHost, about: ClassReference
) -> Callable[[Sequence[Any]], list[Any]]:
    """A predicate of a stage host."""

    def test(records: Sequence[Any]) -> list[Any]:
        rows = [row_of(record) for record in records]
        answer = host.call("test", position, rows, phase="test", about=about)
        return [_revived(item) for item in answer]

    return test


def attempted(call: Callable[..., Any], *arguments: Any) -> Any:
    """The result of a call, or what it raised."""
    try:
        return call(*arguments)
    except Exception as error:  # noqa: BLE001  # raised again when this item's turn has come
        return Failed(error)


def _revived(item: Any) -> Any:
    return Failed(revive(item)) if isinstance(item, ErrorReport) else item


def _record(item: Any) -> Any:
    if type(item) is tuple:
        return record_of(item)
    return _revived(item)
