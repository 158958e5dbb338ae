"""A source of typed rows: every table is read on from its stored line, tables are shared out."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright import (
    STRING_SCHEMA,
    ConfigType,
    ConnectError,
    Date,
    Decimal,
    ExactlyOnceSupport,
    Importance,
    NonEmptyString,
    RetriableError,
    SchemaBuilder,
    SchemaType,
    SourceConnector,
    SourceRecord,
    SourceTask,
    Struct,
    Time,
    Timestamp,
)
from plugwright_conformance.reference.rows.codec import (
    VERSION,
    decode,
    directory_of,
    settings,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import ConfigDef, Schema, Task

__all__ = ["RowsSourceConnector", "RowsSourceTask", "row_schema", "tables_of"]

_IDLE_S = 0.05
_RETRY_S = 0.5


def nested_schemas() -> Mapping[str, Schema]:
    """The schemas of the columns that are arrays and maps, by name; a table may lack them."""
    text, visit = SchemaBuilder.string().optional(), SchemaBuilder.struct()
    visit.field("place", SchemaBuilder.string()).field("day", Date.builder().optional())
    return {
        "tags": SchemaBuilder.array(text).optional().build(),
        "counts": SchemaBuilder.map(SchemaBuilder.string(), SchemaBuilder.int64()).build(),
        "visits": SchemaBuilder.array(visit).build(),
    }


def row_schema(added: Sequence[str] = ()) -> Schema:
    """The schema of a row, with more columns if there are any, of text unless they are nested."""
    builder = (
        SchemaBuilder.struct()
        .name("rows.Row")
        .field("id", SchemaBuilder.int64())
        .field("name", SchemaBuilder.string())
        .field("ratio", SchemaBuilder.float64())
        .field("data", SchemaBuilder.bytes())
        .field("amount", Decimal.builder(2))
        .field("born", Date.builder())
        .field("opens", Time.builder())
        .field("seen", Timestamp.builder())
        .field("note", SchemaBuilder.string().optional())
        .field("state", SchemaBuilder.string().optional().default("new"))
    )
    nested = nested_schemas() if added else {}
    for name in added:
        builder.field(name, nested.get(name) or SchemaBuilder.string().optional())
    return builder.build()


def nested_value(schema: Schema, value: Any) -> Any:
    """A value with the structs that its schema wants."""
    if isinstance(value, list) and schema.value_schema is not None:
        return [nested_value(schema.value_schema, each) for each in value]
    if isinstance(value, dict) and schema.type is SchemaType.STRUCT:
        struct = Struct(schema)
        for name, each in value.items():
            struct[name] = each
        return struct
    return value


def tables_of(url: str) -> list[str]:
    """The tables behind a URL, in order of their names.

    Raises:
        ConnectError: if there is no such directory.
    """
    try:
        return sorted(path.stem for path in Path(directory_of(url)).iterdir())
    except OSError as error:
        raise ConnectError(f"cannot list the tables: {error.strerror}", code="rows.gone") from error


class RowsSourceConnector(SourceConnector):
    """Shares the tables out among its tasks."""

    def __init__(self) -> None:
        self._props: Mapping[str, str] = {}

    def version(self) -> str:
        """The version of this distribution."""
        return VERSION

    def config(self) -> ConfigDef:
        """``rows.url``, ``rows.password`` and ``topic``."""
        return settings().define(
            "topic",
            ConfigType.STRING,
            importance=Importance.HIGH,
            validator=NonEmptyString(),
            documentation="Name of the topic that receives one record for each row.",
        )

    def start(self, props: Mapping[str, str]) -> None:
        """Check the settings and keep them."""
        self.config().parse(props)
        self._props = dict(props)

    def task_class(self) -> type[Task]:
        """The class that reads."""
        return RowsSourceTask

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """Every table for one task, none for two."""
        tables = tables_of(self._props["rows.url"])
        if self.config().parse(self._props)["rows.text"]:
            tables = tables[:1]
        count = max(1, min(max_tasks, len(tables)))
        return [
            {**self._props, "tables": ",".join(tables[number::count])} for number in range(count)
        ]

    def stop(self) -> None:
        """Nothing is held."""

    def exactly_once_support(self, props: Mapping[str, str]) -> ExactlyOnceSupport:  # noqa: ARG002
        """Supported: the offset of every row is exact."""
        return ExactlyOnceSupport.SUPPORTED


class RowsSourceTask(SourceTask):
    """Reads its tables in turn."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._schema = row_schema()

    def version(self) -> str:
        """The version of this distribution."""
        return VERSION

    def start(self, props: Mapping[str, str]) -> None:
        """Look up where each table stopped.

        Raises:
            ConnectError: if a stored offset is no line number, or there are no tables.
        """
        self._batch: int = RowsSourceConnector().config().parse(props)["rows.batch"]
        tables_of(props["rows.url"])
        self._topic = props["topic"]
        self._directory = Path(directory_of(props["rows.url"]))
        self._lines = {
            table: self._line(table) for table in props.get("tables", "").split(",") if table
        }
        self._stopping.clear()

    def _line(self, table: str) -> int:
        offset = self.context.offset_storage_reader.offset({"table": table})
        line = 0 if offset is None else offset.get("line")
        if type(line) is not int or line < 0 or (offset is not None and set(offset) != {"line"}):
            raise ConnectError(
                f"the offset of table {table} must be {{'line': n}}", code="rows.offset"
            )
        return line

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next rows, or nothing after a short wait.

        Raises:
            RetriableError: if a table cannot be read now.
            ConnectError: if it has fewer rows than were read.
        """
        for table, line in self._lines.items():
            there = self._read(table)
            if len(there) < line:
                raise ConnectError(f"{table} was replaced: row {line} is gone", code="rows.gone")
            rows = there[line : line + self._batch]
            if rows:
                records = [self.record(table, line + n, decode(r)) for n, r in enumerate(rows, 1)]
                self._lines[table] = line + len(rows)
                return records
        self._stopping.wait(_IDLE_S)
        return None

    def _read(self, table: str) -> Sequence[str]:
        try:
            text = (self._directory / f"{table}.jsonl").read_text(encoding="utf-8")
        except OSError as error:
            self._stopping.wait(_RETRY_S)
            raise RetriableError(f"cannot read: {error.strerror}", code="rows.read") from error
        return text[: text.rfind("\n") + 1].splitlines()

    def record(self, table: str, line: int, row: Any) -> SourceRecord:
        """The record of one row, or of a line of plain text."""
        partition, offset = {"table": table}, {"line": line}
        if isinstance(row, str):
            return SourceRecord(partition, offset, self._topic, row, STRING_SCHEMA)
        struct = self.struct(row)
        return SourceRecord(partition, offset, self._topic, struct, struct.schema)

    def struct(self, row: Mapping[str, Any]) -> Struct:
        """The row; what it lacks has its default."""
        struct = Struct(self.schema_of(row))
        for field in struct.schema.fields:
            value = row.get(field.name, field.schema.default)
            struct[field.name] = nested_value(field.schema, value)
        return struct

    def schema_of(self, row: Mapping[str, Any]) -> Schema:
        """The schema of a row; a column that was added later holds text or null."""
        added = [name for name in row if self._schema.field(name) is None]
        return row_schema(added) if added else self._schema

    def stop(self) -> None:
        """End a waiting poll."""
        self._stopping.set()
