"""Structs by column: a sequence of values for each field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

from plugwright.schema._struct import Struct
from plugwright.schema._type import Type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugwright.schema._schema import Schema


class StructColumn(Sequence[Struct]):
    """Structs of one schema, of which each access builds a new one.

    For code that has checked the values. They must not change afterwards.

    Args:
        schema: of the structs.
        fields: the values of each field, in the order of the schema: as many as there are structs.
        size: the number of structs.
    """

    __slots__ = ("_size", "fields", "schema")

    def __init__(self, schema: Schema, fields: Sequence[Sequence[Any]], size: int) -> None:
        self.schema = schema
        self.fields = fields
        self._size = size

    @classmethod
    def of(cls, schema: Schema, values: Sequence[Any]) -> StructColumn | None:
        """Structs by column; fields that are not set have their default.

        Hot path: runs over all values of a batch, so it looks at them only in bulk.

        Returns:
            ``None`` if the schema is not that of structs, or a value is not a struct of it.
        """
        if schema.type is not Type.STRUCT or not {*map(type, values)} <= {Struct}:
            return None
        if [value.schema for value in values].count(schema) < len(values):
            return None
        rows = [value._values for value in values]  # noqa: SLF001  # the list of a Struct
        fields: list[Sequence[Any]] = list(zip(*rows, strict=True)) or [()] * len(schema.fields)
        for field in schema.fields:
            if field.schema.default is not None:
                fields[field.index] = _with_default(fields[field.index], field.schema.default)
        return cls(schema, fields, len(values))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Struct]:
        return (self[index] for index in range(self._size))

    def __contains__(self, value: object) -> bool:
        return value is not None and super().__contains__(value)

    @overload
    def __getitem__(self, index: int) -> Struct: ...
    @overload
    def __getitem__(self, index: slice) -> StructColumn: ...
    def __getitem__(self, index: int | slice) -> Struct | StructColumn:
        part = [column[index] for column in self.fields]
        if isinstance(index, slice):
            return StructColumn(self.schema, part, len(range(self._size)[index]))
        if not -self._size <= index < self._size:
            raise IndexError(index)
        return Struct.adopt(self.schema, part)


def _with_default(values: Sequence[Any], default: Any) -> Sequence[Any]:
    return [default if value is None else value for value in values]
