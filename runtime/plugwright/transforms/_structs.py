"""Functions that read and create structs by field position, for the plans of transformations.

Hot path. A value was checked when it was put into its struct, so it is not checked again when it
moves to another one; only required fields without a value are.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

from plugwright.errors import DataError
from plugwright.schema import Schema, Struct, StructColumn, validate_value
from plugwright.transforms._requirements import refused, require_struct
from plugwright.transforms._sides import FieldPlan, NotByColumnError, SchemaPlan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plugwright.source_columns import SourceColumns

    ColumnsChange = Callable[[Sequence[Sequence[Any]], SourceColumns], Sequence[Sequence[Any]]]


def struct_reader(
    schema: Schema, purpose: str, *, defaults: bool
) -> Callable[[Any], Sequence[Any]]:
    """A function that gives the values of a struct of that schema, in the order of its fields.

    What it returns belongs to the struct: copy it, do not change it.

    Args:
        schema: the schema of the record's data.
        purpose: the purpose of the values, as in Kafka's messages.
        defaults: whether the default of a field replaces an absent value
            (``replace.null.with.default``, KIP-1040).

    Raises:
        DataError: from the function, if the value is not a struct, or one of another schema.
    """
    fill = default_filler(schema, defaults=defaults)

    def read(value: Any) -> Sequence[Any]:
        if value.__class__ is not Struct:
            require_struct(value, purpose)
        if value.schema is not schema and not _fits(schema, value):
            raise refused("Struct schemas do not match.")
        values: list[Any] = value._values  # noqa: SLF001  # there is no public way to read all
        return values

    return read if fill is None else lambda value: fill(read(value))


def default_filler(
    schema: Schema, *, defaults: bool
) -> Callable[[Sequence[Any]], Sequence[Any]] | None:
    """A function that replaces absent values with defaults; ``None`` if there are no defaults.

    Args:
        schema: the schema of the struct that the values are of.
        defaults: whether the default of a field replaces an absent value
            (``replace.null.with.default``, KIP-1040).
    """
    absent = [
        (field.index, field.schema.default)
        for field in schema.fields
        if defaults and field.schema.default is not None
    ]

    def fill(values: Sequence[Any]) -> Sequence[Any]:
        if None not in values:
            return values
        values = list(values)
        for index, default in absent:
            if values[index] is None:
                values[index] = default
        return values

    return fill if absent else None


def _fits(schema: Schema, value: Struct) -> bool:
    # A default is made before the schema that carries it.
    return value.schema == schema or value is schema.default


def picker(positions: Sequence[int]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """A function that picks the values at these positions, in this order."""
    if len(positions) > 1:
        return itemgetter(*positions)
    return lambda values: [values[position] for position in positions]


def struct_maker(schema: Schema) -> Callable[[Sequence[Any]], Struct]:
    """A function that creates a struct from values known to fit, one per field.

    Raises:
        DataError: from the function, naming the first required field without a value.
    """
    complete = completeness(schema)
    return lambda values: Struct.from_trusted(schema, complete(values))


def completeness(
    schema: Schema, unchecked: Sequence[int] = ()
) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """A function that returns the values of a struct, if every required field has one.

    Args:
        schema: the schema of the structs.
        unchecked: positions of required fields that may be empty.

    Raises:
        DataError: from the function, naming the first required field without a value.
    """
    required = [
        field
        for field in schema.fields
        if not field.schema.optional and field.index not in unchecked
    ]

    def complete(values: Sequence[Any]) -> Sequence[Any]:
        if None in values:
            for field in required:
                if values[field.index] is None:
                    checked_field(field.schema, None, field.name)
        return values

    return complete


def struct_plan(  # noqa: PLR0913  # the last one is optional
    schema: Schema,
    updated: Schema,
    purpose: str,
    change: Callable[[Sequence[Any], Any], Sequence[Any]],
    *,
    defaults: bool,
    change_columns: ColumnsChange | None = None,
) -> SchemaPlan:
    """The plan of a transformation from structs to structs, by their field values.

    Args:
        schema: the schema of the input.
        updated: the schema of the result.
        purpose: the purpose of the values, as in Kafka's messages.
        change: returns the resulting values, from those of the input and the record.
        defaults: whether the default of a field replaces an absent value.
        change_columns: does the same with a sequence of values for each field, without looking for
            required fields that are empty.
    """
    read = struct_reader(schema, purpose, defaults=False)
    fill = default_filler(schema, defaults=defaults)

    def filled(values: Sequence[Any], record: Any) -> Sequence[Any]:
        return change(values if fill is None else fill(values), record)

    step = change if fill is None else filled

    def convert(value: Any, record: Any) -> Struct:
        return Struct.from_trusted(updated, step(read(value), record))

    column = None
    if change_columns is not None:
        column = _column_plan(schema, updated, read, change_columns, filled=fill is not None)
    return SchemaPlan(updated, convert, FieldPlan(read, step), column)


def _column_plan(
    schema: Schema,
    updated: Schema,
    read: Callable[[Any], Sequence[Any]],
    change: ColumnsChange,
    *,
    filled: bool,
) -> Callable[[Sequence[Any], SourceColumns], Sequence[Any]]:
    def convert(structs: Sequence[Any], columns: SourceColumns) -> StructColumn:
        if isinstance(structs, StructColumn) and structs.schema is schema:
            fields = structs.fields
        else:
            fields = [*zip(*map(read, structs), strict=True)]
        # Absent values are looked at one by one: they may have a default, or be required.
        if filled and any(None in column for column in fields):
            raise NotByColumnError
        changed = change(fields, columns)
        for field, column in zip(updated.fields, changed, strict=True):
            if not field.schema.optional and None in column:
                raise NotByColumnError
        return StructColumn(updated, changed, len(structs))

    return convert


def checked_field(schema: Schema, value: Any, name: str) -> Any:
    """The value, if it and its contents fit the schema of a field.

    Raises:
        DataError: if it does not, with the name of the field in its facts.
    """
    try:
        validate_value(schema, value, f'field: "{name}"')
    except DataError as error:
        facts = {**error.facts, "field": name}
        raise DataError(str(error), code=error.code, hint=error.hint, facts=facts) from error
    return value
