"""Row sinks that store nested values wrongly."""

from __future__ import annotations

from typing import Any

from plugwright import DataError, Struct
from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.sink import RowsSinkTask

__all__ = ["SharesNestedRowTask", "SortsListsTask", "TakesNoNullElementTask"]


@mutant(
    "M337",
    "the structs of an array share one row, so that all are the last one",
    base="nested-sink",
    killed_by="SNK-TYP-24",
    failure="visits",
)
class SharesNestedRowTask(RowsSinkTask):
    """Uses one dictionary for all structs of an array."""

    def plain(self, value: Any) -> Any:
        """The value, with the last struct of an array in the place of the others."""
        if isinstance(value, list) and value and isinstance(value[0], Struct):
            return [super().plain(value[-1])] * len(value)
        return super().plain(value)


@mutant(
    "M337a",
    "the elements of an array are stored once each, in the order of the alphabet",
    base="nested-sink",
    killed_by="SNK-TYP-24",
    failure="tags",
)
class SortsListsTask(RowsSinkTask):
    """Treats an array as a set."""

    def plain(self, value: Any) -> Any:
        """The value; an array of texts is sorted."""
        if isinstance(value, list) and value and isinstance(value[-1], str | None):
            return sorted({each for each in value if each is not None})
        return super().plain(value)


@mutant(
    "M337b",
    "an array with a null element fails the task",
    base="nested-sink",
    killed_by="SNK-TYP-24",
    failure="null element",
)
class TakesNoNullElementTask(RowsSinkTask):
    """Rejects null elements, although the schema allows them.

    Reported at https://github.com/confluentinc/kafka-connect-storage-cloud/issues/339: a writer
    for arrays in an old form has no place for null.
    """

    def plain(self, value: Any) -> Any:
        """The value, unless it is an array with a null element."""
        if isinstance(value, list) and None in value:
            raise DataError("an array contains a null element", code="rows.null-element")
        return super().plain(value)
