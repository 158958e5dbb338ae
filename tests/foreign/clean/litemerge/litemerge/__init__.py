"""Upsert sink for SQLite.

Every topic has a table of its name.  The primary key is the key of the record, a
tombstone removes the row.  When a record has fields that the table lacks, columns are added.
All records of one put() go into one transaction, so a batch is there completely or not at all.
"""
import json
import math
import sqlite3
from contextlib import closing
from datetime import date, datetime, time, timezone
from decimal import Decimal

import plugwright as pw

__version__ = "2.1.0"

KEY_COLUMN = "record_key"

# primary result codes of SQLite that go away by themselves
TRANSIENT = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
}

AFFINITY = {
    pw.SchemaType.INT8: "INTEGER",
    pw.SchemaType.INT16: "INTEGER",
    pw.SchemaType.INT32: "INTEGER",
    pw.SchemaType.INT64: "INTEGER",
    pw.SchemaType.BOOLEAN: "INTEGER",
    pw.SchemaType.FLOAT32: "REAL",
    pw.SchemaType.FLOAT64: "REAL",
    pw.SchemaType.STRING: "TEXT",
    pw.SchemaType.BYTES: "BLOB",
}

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def config_def():
    cd = pw.ConfigDef()
    cd.define(
        "sqlite.path",
        pw.ConfigType.STRING,
        importance=pw.Importance.HIGH,
        validator=pw.NonEmptyString(),
        documentation="Path of the database file. SQLite creates it if it is missing.",
    )
    cd.define(
        "sqlite.busy.timeout.ms",
        pw.ConfigType.INT,
        default=500,
        importance=pw.Importance.LOW,
        validator=pw.Range.between(0, 60000),
        documentation="How long to wait for a lock before the batch is tried again later.",
    )
    cd.define(
        "table.prefix",
        pw.ConfigType.STRING,
        default="",
        importance=pw.Importance.LOW,
        documentation="Text in front of the topic that makes the name of its table.",
    )
    return cd


class LiteMergeSinkConnector(pw.SinkConnector):
    _props = None

    def version(self):
        return __version__

    def config(self):
        return config_def()

    def start(self, props):
        config_def().parse(props)
        self._props = dict(props)

    def task_class(self):
        return LiteMergeSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props or {}) for _ in range(max_tasks)]

    def stop(self):
        self._props = None


class LiteMergeSinkTask(pw.SinkTask):
    path = None

    def version(self):
        return __version__

    def start(self, props):
        cfg = config_def().parse(props)
        self.path = cfg["sqlite.path"]
        self.busy_timeout = cfg["sqlite.busy.timeout.ms"] / 1000
        self.prefix = cfg["table.prefix"]

    def put(self, records):
        if not records:
            return
        ops, bad = [], []
        for r in records:
            try:
                ops.append(self._operation(r))
            except pw.DataError as e:
                bad.append((r, e))
        reporter = self.context.errant_record_reporter() if bad else None
        if bad and reporter is None:
            raise bad[0][1]
        if ops:
            self._write(ops)
        for r, e in bad:
            reporter.report(r, e)

    def flush(self, offsets):
        pass  # put() has committed already

    def stop(self):
        pass  # no connection outlives a put()

    def _operation(self, r):
        """(table, key, None) for a delete, (table, key, {column: (type, value)}) for an upsert"""
        where = f"{r.original_topic}-{r.original_kafka_partition}@{r.original_kafka_offset}"
        if r.key is None:
            raise pw.DataError(f"record {where} has no key", code="litemerge.no-key")
        table = self.prefix + r.topic
        key = key_of(r.key, where)
        if r.value is None:
            return table, key, None
        if not isinstance(r.value, pw.Struct) or r.value_schema is None:
            raise pw.DataError(
                f"record {where} must have a struct as its value, got {type(r.value).__name__}",
                code="litemerge.not-a-struct",
            )
        row, seen = {}, set()
        for field in r.value_schema.fields:
            if field.name.lower() in seen:  # SQLite does not tell A from a
                raise pw.DataError(f"record {where} has two fields for the column {field.name}")
            seen.add(field.name.lower())
            if field.name.lower() == KEY_COLUMN:
                raise pw.DataError(
                    f"record {where}: the field {field.name} is the name of the key column",
                    code="litemerge.reserved-field",
                )
            kind, value = column_value(field.schema, r.value.get(field.name), field.name, where)
            row[field.name] = kind, value
        return table, key, row

    def _write(self, ops):
        try:
            with closing(
                sqlite3.connect(self.path, timeout=self.busy_timeout, isolation_level=None)
            ) as db:
                db.execute("BEGIN IMMEDIATE")
                try:
                    columns = {}
                    for table, key, row in ops:
                        self._apply(db, columns, table, key, row)
                    db.execute("COMMIT")
                except BaseException:
                    if db.in_transaction:
                        db.execute("ROLLBACK")
                    raise
        except sqlite3.Error as e:
            code = getattr(e, "sqlite_errorcode", None)
            transient = code is not None and code & 0xFF in TRANSIENT
            cls = pw.RetriableError if transient else pw.ConnectError
            raise cls(
                f"cannot write to {self.path}: {e}",
                code="litemerge.database",
                facts={"path": self.path},
            ) from e
        except OSError as e:
            raise pw.RetriableError(f"cannot write to {self.path}: {e}") from e

    def _apply(self, db, columns, table, key, row):
        name = quote(table)
        if table not in columns:
            db.execute(f"CREATE TABLE IF NOT EXISTS {name} ({KEY_COLUMN} PRIMARY KEY NOT NULL)")
            columns[table] = {c[1].lower() for c in db.execute(f"PRAGMA table_info({name})")}
        if row is None:
            db.execute(f"DELETE FROM {name} WHERE {KEY_COLUMN} = ?", (key,))
            return
        for column, (kind, _) in row.items():
            if column.lower() not in columns[table]:
                db.execute(f"ALTER TABLE {name} ADD COLUMN {quote(column)} {kind}")
                columns[table].add(column.lower())
        names = [KEY_COLUMN, *map(quote, row)]
        marks = ", ".join("?" * len(names))
        updates = ", ".join(f"{c} = excluded.{c}" for c in names)
        db.execute(
            f"INSERT INTO {name} ({', '.join(names)}) VALUES ({marks}) "
            f"ON CONFLICT ({KEY_COLUMN}) DO UPDATE SET {updates}",
            [key, *(value for _, value in row.values())],
        )


def quote(identifier):
    return '"' + identifier.replace('"', '""') + '"'


def key_of(key, where):
    if isinstance(key, pw.Struct):
        key = {name: key.get(name) for name in key.keys()}
    if isinstance(key, (str, bytes)) or (isinstance(key, int) and not isinstance(key, bool)):
        if isinstance(key, int) and not -(2**63) <= key < 2**63:
            raise pw.DataError(f"record {where}: SQLite has no integer as large as the key")
        return checked_text(key, "key", where) if isinstance(key, str) else key
    try:
        return json.dumps(key, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as e:
        raise pw.DataError(f"record {where}: the key cannot be stored: {e}") from e


def checked_text(text, field, where):
    try:
        text.encode()
    except UnicodeEncodeError as e:
        raise pw.DataError(f"record {where}: {field} is not valid Unicode") from e
    return text


def column_value(schema, value, field, where):
    """Type of the column and what to bind. Logical types are recognised by their values' schema."""
    if schema.name == pw.Decimal.LOGICAL_NAME:
        return "TEXT", None if value is None else str(Decimal(value))
    if schema.name == pw.Timestamp.LOGICAL_NAME:
        ms = None if value is None else (value - EPOCH) // (EPOCH.resolution * 1000)
        return "INTEGER", ms
    if schema.name == pw.Date.LOGICAL_NAME or schema.name == pw.Time.LOGICAL_NAME:
        assert value is None or isinstance(value, (date, time))
        return "TEXT", None if value is None else value.isoformat()
    kind = AFFINITY.get(schema.type)
    if kind is None:
        raise pw.DataError(
            f"record {where}: no column can hold {field}, which is {schema.type.value}",
            code="litemerge.type",
        )
    if isinstance(value, float) and math.isnan(value):
        # SQLite would turn it into NULL
        raise pw.DataError(f"record {where}: {field} is NaN, which SQLite cannot store")
    if isinstance(value, bool):
        value = int(value)
    if isinstance(value, str):
        checked_text(value, field, where)
    return kind, value
