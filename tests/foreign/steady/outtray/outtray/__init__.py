"""Reads the outbox of a service: a table of SQLite to which it adds an event in each transaction.

Ids grow, and SQLite has one writer at a time, so an event never appears before another one that was
seen already. The service may remove events once they are old.
"""

from __future__ import annotations

import base64
import binascii
import re
import sqlite3
import threading
from pathlib import Path
from urllib.parse import quote

from plugwright import (
    BOOLEAN_SCHEMA,
    BYTES_SCHEMA,
    FLOAT64_SCHEMA,
    INT64_SCHEMA,
    STRING_SCHEMA,
    ConfigDef,
    ConfigError,
    ConfigType,
    ConnectError,
    DataError,
    ExactlyOnceSupport,
    Headers,
    Importance,
    LambdaValidator,
    NonEmptyString,
    Range,
    RetriableError,
    SourceConnector,
    SourceRecord,
    SourceTask,
    ValidList,
    group_partitions,
)

VERSION = "2.0.1"
TABLE = re.compile(r"[A-Za-z_]\w*")
PASSING = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_SCHEMA,
}


def _check_table(name, value):
    if not TABLE.fullmatch(value or ""):
        raise ConfigError(
            f"{name} must be a name of letters, digits and underscores, found {value!r}",
            code="outtray.table",
        )


CONFIG = (
    ConfigDef()
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives the events.",
    )
    .define(
        "topic.per.aggregate",
        ConfigType.BOOLEAN,
        default=False,
        documentation="Whether each aggregate has a topic of its own, with its name at the end.",
    )
    .define(
        "outbox.database",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Path of the database, which is only read.",
    )
    .define(
        "outbox.table",
        ConfigType.STRING,
        default="outbox",
        validator=LambdaValidator.with_(_check_table, lambda: "name of a table"),
        documentation="Table of the events.",
    )
    .define(
        "outbox.aggregates",
        ConfigType.LIST,
        importance=Importance.HIGH,
        validator=ValidList.any_non_duplicate_values(empty_allowed=False, null_allowed=False),
        documentation="Aggregates whose events are read; tasks divide them.",
    )
    .define(
        "outbox.batch",
        ConfigType.INT,
        default=250,
        validator=Range.between(1, 10_000),
        documentation="The most events that one poll returns.",
    )
    .define(
        "outbox.interval.ms",
        ConfigType.INT,
        default=500,
        importance=Importance.LOW,
        validator=Range.between(1, 60_000),
        documentation="How long a task waits when there is no further event.",
    )
)


class OutTraySourceConnector(SourceConnector):
    """Each task reads the events of some aggregates."""

    def __init__(self):
        self._props = {}

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        CONFIG.parse(props)
        self._props = dict(props)

    def task_class(self):
        return OutTraySourceTask

    def task_configs(self, max_tasks):
        names = CONFIG.parse(self._props)["outbox.aggregates"]
        groups = group_partitions(names, min(max_tasks, len(names)))
        return [{**self._props, "outbox.aggregates": ",".join(group)} for group in groups]

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if set(partition) != {"aggregate"}:
                raise ConnectError(
                    f"a partition is {{'aggregate': name}}, found {dict(partition)!r}",
                    code="outtray.partition",
                )
            if offset is not None:
                _last_id(offset)
        return False


class OutTraySourceTask(SourceTask):
    """Asks for the events of one aggregate after the other, each behind its last id."""

    def __init__(self):
        self._stopping = threading.Event()
        self._busy = threading.Lock()
        self._database = None

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._topic = config["topic"]
        self._divides = config["topic.per.aggregate"]
        self._path = Path(config["outbox.database"])
        self._batch = config["outbox.batch"]
        self._pause = config["outbox.interval.ms"] / 1000
        self._query = (
            "SELECT id, event_key, event_type, payload_kind, payload, created_ms"
            f" FROM {config['outbox.table']} WHERE aggregate = ? AND id > ? ORDER BY id LIMIT ?"
        )
        names = config["outbox.aggregates"]
        stored = self.context.offset_storage_reader.offsets([{"aggregate": n} for n in names])
        self._last = {
            partition["aggregate"]: 0 if offset is None else _last_id(offset)
            for partition, offset in stored
        }
        self._stopping.clear()

    def poll(self):
        with self._busy:
            for name in list(self._last):
                if self._stopping.is_set():
                    return None
                rows = self._rows(name)
                self._last[name] = self._last.pop(name)  # the next poll begins with another one
                if rows:
                    return self._records(name, rows)
        self._stopping.wait(self._pause)
        return None

    def stop(self):
        self._stopping.set()
        with self._busy:
            self._leave()

    def _rows(self, name):
        try:
            if self._database is None:
                self._database = sqlite3.connect(
                    f"file:{quote(str(self._path))}?mode=ro",
                    uri=True,
                    timeout=5,
                    check_same_thread=False,
                )
            sought = name, self._last[name], self._batch
            return self._database.execute(self._query, sought).fetchall()
        except sqlite3.Error as error:
            self._leave()
            passing = getattr(error, "sqlite_errorcode", 0) & 0xFF in PASSING
            self._stopping.wait(self._pause if passing else 0)
            raise (RetriableError if passing else ConnectError)(
                f"the outbox in {self._path} cannot be read: {error}",
                code="outtray.read",
                facts={"database": str(self._path)},
            ) from error

    def _records(self, name, rows):
        """Events as records, up to one that is not good."""
        records = []
        for row in rows:
            try:
                records.append(self._record(name, *row))
            except ValueError as error:
                if records:
                    break
                raise DataError(
                    f"event {row[0]} of {name} in {self._path}: {error}",
                    code="outtray.event",
                    hint="correct the event, or move the offset of the aggregate behind it",
                    facts={"aggregate": name, "id": row[0]},
                ) from error
            self._last[name] = row[0]
        return records

    def _record(self, name, event_id, key, kind, payload_kind, payload, created):  # noqa: PLR0913, PLR0917  # the columns
        schema, value = (None, None) if payload is None else _value(payload_kind, payload)
        return SourceRecord(
            {"aggregate": name},
            {"id": event_id},
            f"{self._topic}.{name}" if self._divides else self._topic,
            value,
            schema,
            key=key,
            key_schema=None if key is None else STRING_SCHEMA,
            timestamp=created,
            headers=Headers().add_string("type", kind).add_long("event", event_id),
        )

    def _leave(self):
        if self._database is not None:
            self._database.close()
            self._database = None


def _value(kind, text):
    """A payload, which the service writes as text."""
    try:
        match kind:
            case "text":
                return STRING_SCHEMA, text
            case "long":
                value = int(text)
                if not -(2**63) <= value < 2**63:
                    raise ValueError(f"{text} has more than 64 bits")
                return INT64_SCHEMA, value
            case "double":
                return FLOAT64_SCHEMA, float(text)
            case "boolean" if text in {"true", "false"}:
                return BOOLEAN_SCHEMA, text == "true"
            case "bytes":
                return BYTES_SCHEMA, base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(f"payload {text[:60]!r} is not base64: {error}") from error
    raise ValueError(f"a payload of kind {kind!r} cannot be read: {text[:60]!r}")


def _last_id(offset):
    """The id in an offset, which an operator may have changed."""
    last = offset.get("id")
    if set(offset) != {"id"} or type(last) is not int or last < 0:
        raise ConnectError(
            f"an offset is {{'id': number}} from 0 on, found {dict(offset)!r}",
            code="outtray.offset",
        )
    return last
