"""Maps the records of one schema to columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugwright import DataError, SchemaType, Struct
from plugwright_sql.field_sources import Coordinate, StructField, Whole
from plugwright_sql.kinds import Kind, kind_of_schema, scale_of_schema
from plugwright_sql.sink_settings import KeyMode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import Schema, SinkRecord
    from plugwright_sql.field_sources import FieldSource
    from plugwright_sql.names import TableName
    from plugwright_sql.sink_settings import SinkChoices

__all__ = ["PlannedColumn", "RowPlan", "plan_of", "where"]

_PRECISION = "connect.decimal.precision"


@dataclass(frozen=True, slots=True)
class PlannedColumn:
    """One column, and what fills it.

    Attributes:
        source: of its values.
        key: whether it is part of the primary key.
        default: what a new column holds for rows that have no value, or ``None``.
    """

    name: str
    kind: Kind
    optional: bool
    key: bool
    source: FieldSource
    scale: int = 0
    precision: int | None = None
    default: Any = None


@dataclass(frozen=True, slots=True)
class RowPlan:
    """The columns of a row, in order.

    Attributes:
        deletes: whether the row is to be deleted; there are key columns only then.
    """

    table: TableName
    columns: Sequence[PlannedColumn]
    deletes: bool = False

    @property
    def keys(self) -> Sequence[PlannedColumn]:
        """The columns of the primary key."""
        return [column for column in self.columns if column.key]

    @property
    def others(self) -> Sequence[PlannedColumn]:
        """The columns beside the primary key."""
        return [column for column in self.columns if not column.key]


def where(record: SinkRecord) -> str:
    """The place of a record, for errors."""
    return (
        f"{record.original_topic}-{record.original_kafka_partition}@{record.original_kafka_offset}"
    )


def plan_of(record: SinkRecord, table: TableName, choices: SinkChoices) -> RowPlan:
    """The plan for records of the same schemas.

    Raises:
        DataError: if such records have no place in the table.
    """
    maker = _Maker(record, table, choices)
    if record.value is None:
        return RowPlan(table, maker.deleted_key(), deletes=True)
    keys = maker.key_columns()
    taken = {column.name for column in keys}
    others = [column for column in maker.value_columns() if column.name not in taken]
    if not keys and not others:
        raise maker.failure("has no field that is written")
    return RowPlan(table, [*keys, *others])


class _Maker:
    """Makes the columns of one plan."""

    def __init__(self, record: SinkRecord, table: TableName, choices: SinkChoices) -> None:
        self._record = record
        self._table = table
        self._choices = choices

    def deleted_key(self) -> Sequence[PlannedColumn]:
        if not self._choices.deletes:
            raise self.failure("has no value", "set delete.enabled=true to have its row deleted")
        return self.key_columns()

    def key_columns(self) -> Sequence[PlannedColumn]:
        match self._choices.key_mode:
            case KeyMode.NONE:
                return []
            case KeyMode.KAFKA:
                return self._coordinates()
            case KeyMode.RECORD_KEY:
                return self._of_record_key()
            case KeyMode.RECORD_VALUE:
                return self._of_record_value()

    def value_columns(self) -> Sequence[PlannedColumn]:
        schema, value = self._record.value_schema, self._record.value
        if isinstance(value, Struct):
            wanted = self._choices.fields
            names = [field.name for field in value.schema.fields]
            chosen = [name for name in names if not wanted or name in wanted]
            return [self._field(value.schema, name, StructField(name)) for name in chosen]
        column = self._choices.value_column
        if not column or isinstance(value, dict | list):
            found = type(value).__name__
            raise self.failure(
                f"has a value without named fields: expected a struct with its schema, found "
                f"{found}",
                "use a converter that keeps schemas, or set value.column.name",
            )
        return [self._bare(column, schema, value, Whole(key=False), key=False)]

    def _coordinates(self) -> Sequence[PlannedColumn]:
        topic, partition, offset = self._choices.key_fields
        return [
            PlannedColumn(topic, Kind.STRING, False, True, Coordinate("topic")),
            PlannedColumn(partition, Kind.INT32, False, True, Coordinate("partition")),
            PlannedColumn(offset, Kind.INT64, False, True, Coordinate("offset")),
        ]

    def _of_record_key(self) -> Sequence[PlannedColumn]:
        key, schema, fields = self._record.key, self._record.key_schema, self._choices.key_fields
        if key is None:
            raise self.failure("has no key, which pk.mode=record_key needs")
        if not isinstance(key, Struct):
            if len(fields) != 1:
                raise self.failure(
                    "has a key that is not a struct",
                    "name one column for it in pk.fields",
                )
            return [self._bare(fields[0], schema, key, Whole(key=True), key=True)]
        names = fields or [field.name for field in key.schema.fields]
        return [
            self._field(key.schema, name, StructField(name, in_key=True), key=True)
            for name in names
        ]

    def _of_record_value(self) -> Sequence[PlannedColumn]:
        value = self._record.value
        if not isinstance(value, Struct):
            raise self.failure("has a value that is not a struct, which pk.mode=record_value needs")
        names = self._choices.key_fields or [field.name for field in value.schema.fields]
        return [self._field(value.schema, name, StructField(name), key=True) for name in names]

    def _field(
        self,
        struct: Schema,
        name: str,
        source: FieldSource,
        *,
        key: bool = False,
    ) -> PlannedColumn:
        field = struct.field(name)
        if field is None:
            raise self.failure(f"has no field {name}, which pk.fields names")
        return self._column(name, field.schema, source, key=key)

    def _bare(
        self,
        name: str,
        schema: Schema | None,
        value: Any,
        source: FieldSource,
        *,
        key: bool,
    ) -> PlannedColumn:
        if schema is not None:
            column = self._column(name, schema, source, key=key)
            return PlannedColumn(
                name, column.kind, not key, key, source, column.scale, column.precision
            )
        if not isinstance(value, str):
            raise self.failure(
                f"is of type {type(value).__name__} and has no schema",
                "use a converter that keeps schemas",
            )
        return PlannedColumn(name, Kind.STRING, not key, key, source)

    def _column(
        self, name: str, schema: Schema, source: FieldSource, *, key: bool
    ) -> PlannedColumn:
        kind = kind_of_schema(schema)
        if kind is None or schema.type in {SchemaType.STRUCT, SchemaType.ARRAY, SchemaType.MAP}:
            raise self.failure(
                f"has {schema.type.name} for column {name} of table {self._table}, which no column "
                "takes",
                "flatten the record by a transformation, or leave the field out",
            )
        precision = schema.parameters.get(_PRECISION)
        return PlannedColumn(
            name,
            kind,
            schema.optional and not key,
            key,
            source,
            scale_of_schema(schema) if kind is Kind.DECIMAL else 0,
            int(precision) if precision else None,
            schema.default,
        )

    def failure(self, problem: str, hint: str = "") -> DataError:
        return DataError(
            f"record {where(self._record)} for table {self._table} {problem}",
            code="sql.no-row",
            hint=hint,
            facts={"table": str(self._table), "topic": self._record.original_topic},
        )
