"""Follows the changes of collections of documents: first copies what is there, then streams.

A change has a token, made of the number of its transaction and its place in it. Copying takes the
documents that are not newer than the token with which it began; what was changed since then comes
from the stream. So each version of a document comes once.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from plugwright import (
    STRING_SCHEMA,
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    ExactlyOnceSupport,
    Importance,
    NonEmptyString,
    Range,
    RetriableError,
    SourceConnector,
    SourceRecord,
    SourceTask,
    ValidList,
    ValidString,
    group_partitions,
)

VERSION = "2.3.1"
TRANSIENT = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
}
NEWEST = "SELECT txn, idx FROM changes ORDER BY txn DESC, idx DESC LIMIT 1"
FORGOTTEN = "SELECT max(txn) FROM forgotten"
COPY = """
    SELECT txn, idx, id, body, at FROM documents
    WHERE collection = :collection AND id > :after AND (txn, idx) <= (:txn, :idx)
    ORDER BY id LIMIT :limit
"""
FOLLOW = """
    SELECT txn, idx, id, body, at FROM changes
    WHERE collection = :collection AND (txn, idx) > (:txn, :idx)
    ORDER BY txn, idx LIMIT :limit
"""

CONFIG = (
    ConfigDef()
    .define(
        "stream.database",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Path of the database.",
    )
    .define(
        "stream.collections",
        ConfigType.LIST,
        importance=Importance.HIGH,
        validator=ValidList.any_non_duplicate_values(empty_allowed=False, null_allowed=False),
        documentation="Collections to follow.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic of the records; their key is the id of the document.",
    )
    .define(
        "stream.startup",
        ConfigType.STRING,
        default="copy",
        importance=Importance.MEDIUM,
        validator=ValidString.in_("copy", "latest"),
        documentation="Whether documents that exist already are copied first.",
    )
    .define(
        "stream.batch.size",
        ConfigType.INT,
        default=200,
        importance=Importance.LOW,
        validator=Range.between(1, 5000),
        documentation="How many documents to read of a collection at once.",
    )
    .define(
        "stream.interval.ms",
        ConfigType.INT,
        default=100,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="How long to wait when there is nothing new, and after a failure.",
    )
)


@dataclass(frozen=True)
class Place:
    """The token of the last change, and while documents are copied, the id of the last one."""

    token: tuple[int, int]
    after: str | None = None

    @classmethod
    def of(cls, offset):
        token, after = offset.get("token"), offset.get("copied")
        parts = token.split(".") if isinstance(token, str) else []
        right = set(offset) == {"token", "copied"} and isinstance(after, str | None)
        if not right or len(parts) != 2 or not all(part.isdecimal() for part in parts):
            raise ConnectError(
                "an offset is {'token': 'transaction.index', 'copied': id or null}, found"
                f" {dict(offset)!r}",
                code="docstream.offset",
                hint="reset the offsets of the connector",
            )
        return cls((int(parts[0]), int(parts[1])), after)

    def offset(self):
        return {"token": _text(self.token), "copied": self.after}


def _text(token):
    return f"{token[0]}.{token[1]}"


class DocStreamSourceConnector(SourceConnector):
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
        return DocStreamSourceTask

    def task_configs(self, max_tasks):
        collections = CONFIG.parse(self._props)["stream.collections"]
        groups = group_partitions(collections, min(max_tasks, len(collections)))
        return [{**self._props, "stream.collections": ",".join(group)} for group in groups]

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if set(partition) != {"database", "collection"}:
                raise ConnectError(
                    "a partition is {'database': path, 'collection': name}, found"
                    f" {dict(partition)!r}",
                    code="docstream.partition",
                )
            if offset is not None:
                Place.of(offset)
        return True


class DocStreamSourceTask(SourceTask):
    def __init__(self):
        self._stopping = threading.Event()

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._stopping.clear()
        self._path = config["stream.database"]
        self._topic = config["topic"]
        self._copies = config["stream.startup"] == "copy"
        self._limit = config["stream.batch.size"]
        self._interval = config["stream.interval.ms"] / 1000
        self._partitions = {
            name: {"database": self._path, "collection": name}
            for name in config["stream.collections"]
        }
        reader = self.context.offset_storage_reader
        self._places = {}
        for name, partition in self._partitions.items():
            stored = reader.offset(partition)
            self._places[name] = None if stored is None else Place.of(stored)

    def poll(self):
        records = []
        try:
            with closing(self._connect()) as database:
                for collection in self._partitions:
                    records += self._read(database, collection)
        except sqlite3.Error as error:
            if not records:
                self._stopping.wait(self._interval)
                raise self._failure(error) from error
        except DataError:
            if not records:
                raise
        if not records:
            self._stopping.wait(self._interval)
        return records or None

    def stop(self):
        self._stopping.set()

    def _read(self, database, collection):
        """The next records of a collection; a bad document comes after those before it."""
        place = self._places[collection]
        if place is None:
            place = Place(self._newest(database), "" if self._copies else None)
        rows, places = [], []
        if place.after is not None:
            rows, places = self._copy(database, collection, place)
            place = places[-1] if places else Place(place.token)
        if place.after is None and not rows:
            rows, places = self._follow(database, collection, place)
        if not rows:
            self._places[collection] = place
        records = []
        for row, following in zip(rows, places, strict=True):
            try:
                records.append(self._record(collection, row, following))
            except DataError:
                if not records:
                    raise
                break
            self._places[collection] = following
        return records

    def _copy(self, database, collection, place):
        rows = self._rows(database, COPY, collection, place)
        places = [Place(place.token, document) for _, _, document, _, _ in rows]
        if rows and len(rows) < self._limit:  # these are the last ones
            places[-1] = Place(place.token)
        return rows, places

    def _follow(self, database, collection, place):
        (forgotten,) = database.execute(FORGOTTEN).fetchone()
        if place.token[0] < (forgotten or 0):
            raise ConnectError(
                f"{self._path} has forgotten the changes after {_text(place.token)}",
                code="docstream.history",
                hint="reset the offsets of the connector to copy all documents again",
            )
        rows = self._rows(database, FOLLOW, collection, place)
        return rows, [Place((txn, idx)) for txn, idx, _, _, _ in rows]

    def _rows(self, database, statement, collection, place):
        values = {
            "collection": collection,
            "after": place.after,
            "txn": place.token[0],
            "idx": place.token[1],
            "limit": self._limit,
        }
        return database.execute(statement, values).fetchall()

    def _newest(self, database):
        return database.execute(NEWEST).fetchone() or (0, 0)

    def _record(self, collection, row, following):
        txn, idx, document, body, at = row
        if body is not None:
            _check(body, f"document {document} of {collection} at {txn}.{idx}")
        return SourceRecord(
            self._partitions[collection],
            following.offset(),
            self._topic,
            body,
            STRING_SCHEMA if body is not None else None,
            key=document,
            key_schema=STRING_SCHEMA,
            timestamp=at,
        )

    def _connect(self):
        address = f"{Path(self._path).absolute().as_uri()}?mode=ro"
        return sqlite3.connect(address, uri=True, timeout=5)

    def _failure(self, error):
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        return (RetriableError if code in TRANSIENT else ConnectError)(
            f"cannot read {self._path}: {error}",
            code="docstream.database",
            facts={"file": self._path, "sqlite": code},
        )


def _check(body, where):
    """A document is a JSON object; it is passed on as it stands."""
    try:
        found = json.loads(body)
    except (ValueError, TypeError) as error:
        raise DataError(f"{where} is not JSON: {error}", code="docstream.document") from error
    if not isinstance(found, dict):
        raise DataError(
            f"{where} has to be an object, found {type(found).__name__}",
            code="docstream.document",
        )
