"""Writes the records of one put in one transaction, and moves the offsets with them."""

from __future__ import annotations

from concurrent.futures import TimeoutError as NotDoneError
from itertools import groupby
from typing import TYPE_CHECKING, Any

from plugwright import DataError, RetriableError, SinkColumns, TopicPartition
from plugwright_sql.copying import copied
from plugwright_sql.database import begin_exclusively
from plugwright_sql.failures import WRITE_ERRORS, is_about_a_value, translated
from plugwright_sql.layout import Layout
from plugwright_sql.names import TableName
from plugwright_sql.row_plan import plan_of, where
from plugwright_sql.row_run import RowRun, is_fresh
from plugwright_sql.row_writer import RowWriter, writer_for
from plugwright_sql.sink_settings import InsertMode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import Connection
    from sqlalchemy.exc import SQLAlchemyError

    from plugwright import ErrantRecordReporter, SinkRecord
    from plugwright_sql.database import Database
    from plugwright_sql.names import Identifiers
    from plugwright_sql.offsets_table import OffsetsTable
    from plugwright_sql.sink_settings import SinkChoices

__all__ = ["BatchWriter"]

_REPORT_S = 60.0


class BatchWriter:
    """Writes batches.

    Args:
        database: where the tables are.
        identifiers: write names.
        choices: how rows are written.
        offsets: moved with the rows; ``None`` if delivery is at-least-once.
    """

    def __init__(
        self,
        database: Database,
        identifiers: Identifiers,
        choices: SinkChoices,
        offsets: OffsetsTable | None,
    ) -> None:
        self._database = database
        self._identifiers = identifiers
        self._choices = choices
        self._offsets = offsets
        self._layout = Layout(database, identifiers, choices)
        self._writers: dict[Any, RowWriter] = {}

    def write(self, parts: Sequence[SinkColumns], reporter: ErrantRecordReporter | None) -> None:
        """Write the records, all or nothing; those that cannot be are reported, if anyone listens.

        Raises:
            DataError: if a record cannot be written and no reporter exists.
            RetriableError: if the database cannot be reached now.
            ConnectError: if it refuses the statement.
        """
        try:
            runs, errant = self._prepared(parts, reporter)
            ends = _ends(parts)
            with self._database.connection(_doing(runs)) as connection:
                begin_exclusively(connection)
                known = self._locked(connection, ends)
                fresh = [each for run in runs if (each := run.fresh(known)) is not None]
                errant += self._insert(connection, fresh, reporter)
                errant = [each for each in errant if is_fresh(each[0], known)]
                if self._offsets is not None:
                    self._offsets.move(connection, _later(ends, known))
                if reporter is not None:
                    _report(errant, reporter)
                connection.commit()
        except Exception:
            self._layout.forget()  # the tables may be others than they were
            self._writers.clear()
            raise

    def _prepared(
        self, parts: Sequence[SinkColumns], reporter: ErrantRecordReporter | None
    ) -> tuple[list[RowRun], list[tuple[SinkRecord, DataError]]]:
        """The rows, and the records that cannot be rows."""
        runs: list[RowRun] = []
        errant: list[tuple[SinkRecord, DataError]] = []
        for part in parts:
            run = self._run_of(part)
            if run is None:
                rows = self._rows_of(part, reporter, errant)
                runs += [_run([*found]) for _, found in groupby(rows, lambda row: id(row[0]))]
            else:
                runs.append(run)
        return runs, errant

    def _run_of(self, part: SinkColumns) -> RowRun | None:
        """The rows of a part, by column; ``None`` if each needs a writer of its own. Hot path."""
        keys, values = {*map(type, part.keys)}, {*map(type, part.values)}
        if len(keys) > 1 or len(values) > 1:
            return None
        known = self._writers.get(_kind(part, *values, *keys))
        try:
            writer = known or self._writer(part.records()[0])
            rows = writer.rows(part)
        except DataError:
            return None
        return None if rows is None else RowRun(writer, rows, part)

    def _rows_of(
        self,
        part: SinkColumns,
        reporter: ErrantRecordReporter | None,
        errant: list[tuple[SinkRecord, DataError]],
    ) -> Iterator[tuple[RowWriter, tuple[Any, ...], SinkRecord]]:
        """The row of each record; those that cannot be rows are added to the errant ones."""
        for record in part.records():
            try:
                writer = self._writer(record)
                yield writer, writer.row(record), record
            except DataError as error:
                if reporter is None:
                    raise
                errant.append((record, error))

    def _writer(self, record: SinkRecord) -> RowWriter:
        """The writer for records of these schemas. Hot path: runs for every record."""
        kind = _kind(record, type(record.value), type(record.key))
        found = self._writers.get(kind)
        if found is None:
            name = self._choices.table_format.replace("${topic}", record.topic)
            table = TableName(None, name) if name == record.topic else TableName.parse(name)
            plan = plan_of(record, table, self._choices)
            columns = self._layout.columns_for(plan)
            inserts = self._choices.insert_mode is InsertMode.INSERT and not plan.deletes
            copies = inserts and self._layout.knows_copy(table)
            found = writer_for(plan, columns, self._identifiers, self._choices, copies=copies)
            self._writers[kind] = found
        return found

    def _locked(
        self, connection: Connection, ends: Mapping[TopicPartition, int]
    ) -> Mapping[TopicPartition, int]:
        """The next offset of each partition, which no other task can move before the end."""
        if self._offsets is None:
            return {}
        return self._offsets.offsets(connection, ends, lock=True)

    def _insert(
        self,
        connection: Connection,
        runs: Sequence[RowRun],
        reporter: ErrantRecordReporter | None,
    ) -> list[tuple[SinkRecord, DataError]]:
        """Write rows, those of one statement at once; the ones that the database refuses."""
        errant: list[tuple[SinkRecord, DataError]] = []
        for _, adjacent in groupby(runs, lambda run: id(run.writer)):
            together = [*adjacent]
            writer, rows = together[0].writer, [row for run in together for row in run.rows]
            if writer.copy and len(rows) > 1 and copied(connection, writer.copy, rows):
                continue
            try:
                with connection.begin_nested():
                    writer.write(connection, rows, self._choices.batch_size)
            except WRITE_ERRORS as error:
                if not is_about_a_value(error):
                    raise
                for run in together:
                    errant += self._one_by_one(connection, run, reporter)
        return errant

    def _one_by_one(
        self, connection: Connection, run: RowRun, reporter: ErrantRecordReporter | None
    ) -> list[tuple[SinkRecord, DataError]]:
        """Write rows singly, to find out which the database refuses."""
        errant: list[tuple[SinkRecord, DataError]] = []
        for row, record in zip(run.rows, run.part.records(), strict=True):
            try:
                with connection.begin_nested():
                    run.writer.write(connection, [row], 1)
            except WRITE_ERRORS as error:
                if not is_about_a_value(error):
                    raise
                refused = _refused(error, run.writer, record, row)
                if reporter is None:
                    raise refused from None  # its own text has the statement, and the row
                errant.append((record, refused))
        return errant


def _kind(of: SinkRecord | SinkColumns, value: type, key: type) -> tuple[Any, ...]:
    """What one writer does for: records of these schemas with a value and a key of these types."""
    return of.topic, of.key_schema, of.value_schema, value, key


def _run(found: Sequence[tuple[RowWriter, tuple[Any, ...], SinkRecord]]) -> RowRun:
    (writer, _, _), records = found[0], [record for *_, record in found]
    return RowRun(writer, [row for _, row, _ in found], SinkColumns(records))


def _refused(
    error: SQLAlchemyError | UnicodeEncodeError,
    writer: RowWriter,
    record: SinkRecord,
    row: Sequence[Any],
) -> DataError:
    table = writer.plan.table
    diagnosis = getattr(getattr(error, "orig", None), "diag", None)  # of psycopg only
    column = diagnosis.column_name if diagnosis else None
    if column is None and (diagnosis or isinstance(error, UnicodeEncodeError)):
        column = _unfit_column(writer, row)
    place = f"record {where(record)} to table {table}" + (f", column {column}" if column else "")
    found = translated(error, f"write {place}", table=str(table), column=column)
    assert isinstance(found, DataError)  # noqa: S101  # it is about a value
    return found


def _unfit_column(writer: RowWriter, row: Sequence[Any]) -> str | None:
    """The column with a text that a driver refuses without naming the column."""
    found = zip(writer.order, row, strict=True)
    return next((column.name for column, each in found if _is_unfit(each)), None)


def _is_unfit(value: Any) -> bool:
    """Whether this is a text that PostgreSQL cannot store, or that has no UTF-8."""
    if not isinstance(value, str):
        return False
    try:
        return b"\0" in value.encode()
    except UnicodeEncodeError:
        return True


def _report(errant: Sequence[tuple[SinkRecord, DataError]], reporter: ErrantRecordReporter) -> None:
    """Report records, and wait until they are safe: their offsets are committed right after."""
    futures = [reporter.report(record, error) for record, error in errant]
    try:
        for future in futures:
            future.result(_REPORT_S)
    except NotDoneError as error:
        raise RetriableError(
            f"a record that was reported is not safe after {_REPORT_S:g} s",
            code="sql.report-pending",
            hint="check that the dead-letter queue can be written",
        ) from error


def _ends(parts: Sequence[SinkColumns]) -> dict[TopicPartition, int]:
    """The offset after the last record of each partition."""
    return {
        TopicPartition(part.original_topic, part.original_kafka_partition): (
            part.original_kafka_offsets[-1] + 1
        )
        for part in parts
    }


def _later(
    ends: Mapping[TopicPartition, int], known: Mapping[TopicPartition, int]
) -> dict[TopicPartition, int]:
    """The ends that are not behind what the database has."""
    return {home: end for home, end in ends.items() if end > known.get(home, -1)}


def _doing(runs: Sequence[RowRun]) -> str:
    tables = dict.fromkeys(str(run.writer.plan.table) for run in runs)
    return f"write to table {', '.join(tables)}" if tables else "move the offsets"
