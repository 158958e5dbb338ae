"""Row sources that read nested values wrongly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.source import RowsSourceTask

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright import Struct

__all__ = ["EmptyListsAsNullTask", "FirstElementDecidesTask", "SkipsNullElementsTask"]


@mutant(
    "M336",
    "null elements of an array are left out",
    base="nested-source",
    killed_by="SRC-TYP-14",
    failure="tags",
)
class SkipsNullElementsTask(RowsSourceTask):
    """Takes the elements that there are."""

    def struct(self, row: Mapping[str, Any]) -> Struct:
        """The row without null elements."""
        tags = row.get("tags")
        found = tags and [each for each in tags if each is not None]
        return super().struct({**row, "tags": found} if tags else row)


@mutant(
    "M336a",
    "an empty array is read as null",
    base="nested-source",
    killed_by="SRC-TYP-14",
    failure="tags: []",
)
class EmptyListsAsNullTask(RowsSourceTask):
    """Tests an array for truth instead of presence."""

    def struct(self, row: Mapping[str, Any]) -> Struct:
        """The row with null for an empty array."""
        return super().struct({**row, "tags": row["tags"] or None} if "tags" in row else row)


@mutant(
    "M336b",
    "the type of a struct in an array is that of the first one, whose null becomes text",
    base="nested-source",
    killed_by="SRC-TYP-14",
    failure='class str for field: "day"',
)
class FirstElementDecidesTask(RowsSourceTask):
    """Infers the fields of all structs of an array from the first.

    Reported at https://github.com/neo4j-contrib/neo4j-streams/issues/639: if the first element has
    a null, the schema says text.
    """

    def struct(self, row: Mapping[str, Any]) -> Struct:
        """The row, with text for dates if the first one is null."""
        visits = row.get("visits")
        if visits and visits[0]["day"] is None:
            row = {**row, "visits": [{**visit, "day": str(visit["day"])} for visit in visits]}
        return super().struct(row)
