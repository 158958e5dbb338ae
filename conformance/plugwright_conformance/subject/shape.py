"""Rows with typed fields: their declaration, their schema, and rows that are hard to store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugwright_conformance.subject.field_shape import (
    FieldShape,
    plain_row,
    rows_of,
    struct_builder,
    struct_from,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import schema as connect

__all__ = ["RowShape", "typed_values"]


def typed_values(
    kinds: Sequence[str], excluded: Sequence[str] = ()
) -> list[tuple[connect.Schema, Any]]:
    """The edges of several types in their order, each with the optional schema of its own type.

    Raises:
        KeyError: if the suite has no such type.
    """
    fields = [FieldShape("value", kind, optional=True) for kind in kinds]
    return [
        (field.schema(), value)
        for field in fields
        for value in field.edges(excluded)
        if value is not None
    ]


@dataclass(frozen=True, slots=True)
class RowShape:
    """The fields of a row, in order."""

    fields: Sequence[FieldShape]

    @classmethod
    def parse(cls, fields: Mapping[str, str]) -> RowShape:
        """The ``fields`` of a declaration.

        Raises:
            ValueError: naming the first field that is written wrongly.
        """
        return cls(tuple(FieldShape.parse(name, text) for name, text in fields.items()))

    @property
    def text_field(self) -> str | None:
        """The name of the first string field; ``None`` if there is none."""
        return next((field.name for field in self.fields if field.type == "string"), None)

    def schema(self) -> connect.Schema:
        """The struct schema of a row."""
        return struct_builder(self.fields).name("com.example.Row").build()

    def boundary_rows(self, excluded: Sequence[str] = ()) -> list[dict[str, Any]]:
        """Rows that together hold every edge of every field."""
        return rows_of({field.name: field.edges(excluded) for field in self.fields})

    def struct(self, schema: connect.Schema, row: Mapping[str, Any]) -> connect.Struct:
        """The row as a Connect struct; fields that it lacks stay unset."""
        return struct_from(self.fields, schema, row)

    def row(self, value: connect.Struct) -> dict[str, Any]:
        """A Connect struct as a row, its fields as they were put."""
        return plain_row(self.fields, value)

    def carrying(self, text: str) -> dict[str, Any]:
        """A row whose first string field holds the text.

        Raises:
            ValueError: if no field is a string.
        """
        name = self.text_field
        if name is None:
            raise ValueError("a row needs a field of type string to carry the ledger's ids")
        return {f.name: f.edges()[0] for f in self.fields} | {name: text}
