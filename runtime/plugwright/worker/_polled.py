"""Validates the return value of ``poll``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.record import SourceRecord
from plugwright.source_columns import SourceColumns
from plugwright.worker._unbuilt_records import UnbuiltRecords

if TYPE_CHECKING:
    from collections.abc import Sequence


def checked_records(records: Iterable[SourceRecord] | None) -> Sequence[SourceRecord] | None:
    """Check the return value of ``poll`` and return it as a sequence of records.

    Raises:
        ConnectError: if it is not a collection of records.
    """
    if records is None:
        return None
    if isinstance(records, SourceColumns) and records.built is None:
        return UnbuiltRecords(records, range(len(records)))
    if isinstance(records, Mapping | str | bytes) or not isinstance(records, Iterable):
        raise _no_records(f"poll returned a {type(records).__name__} instead of a list")
    found = records if isinstance(records, list) else list(records)
    for kind in set(map(type, found)):
        if not issubclass(kind, SourceRecord):
            raise _no_records(f"poll returned a {kind.__name__} where a SourceRecord was expected")
    return found


def _no_records(message: str) -> ConnectError:
    return ConnectError(
        message,
        code="plugin.not-records",
        hint="return a list of SourceRecord from poll, or None if there are no records",
    )
