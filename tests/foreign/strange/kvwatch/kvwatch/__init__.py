"""Watches prefixes of a key-value store, from any revision on.

The store answers a question when something has changed, or after a second without any change. A
change of several keys at once has one revision. A key that is deleted becomes a tombstone.
"""

# ruff: noqa: D102  # the methods are those of the contract

from __future__ import annotations

import json
import socket
import threading
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal as Number

from plugwright import (
    BOOLEAN_SCHEMA,
    INT64_SCHEMA,
    OPTIONAL_STRING_SCHEMA,
    STRING_SCHEMA,
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    Decimal,
    Importance,
    NonEmptyString,
    Range,
    RetriableError,
    SchemaBuilder,
    SourceConnector,
    SourceRecord,
    SourceTask,
    Struct,
    Timestamp,
    group_partitions,
)

VERSION = "3.0.0"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SCALE = 2

KEY = (
    SchemaBuilder.struct()
    .name("kvwatch.Key")
    .field("prefix", STRING_SCHEMA)
    .field("name", STRING_SCHEMA)
    .build()
)
VALUE = (
    SchemaBuilder.struct()
    .name("kvwatch.Value")
    .field("number", INT64_SCHEMA)
    .field("label", STRING_SCHEMA)
    .field("amount", Decimal.schema(SCALE))
    .field("due", Timestamp.SCHEMA)
    .field("active", BOOLEAN_SCHEMA)
    .field("note", OPTIONAL_STRING_SCHEMA)
    .build()
)

SERVER = (
    ConfigDef()
    .define(
        "host",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Name of the store.",
    )
    .define(
        "port",
        ConfigType.INT,
        importance=Importance.HIGH,
        validator=Range.between(1, 65535),
        documentation="Port of the store.",
    )
    .define(
        "timeout.ms",
        ConfigType.INT,
        default=5000,
        importance=Importance.LOW,
        validator=Range.between(100, 60000),
        documentation="How long to wait for an answer, besides the wait for a change.",
    )
)
CONFIG = (
    ConfigDef()
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives the changes.",
    )
    .define(
        "kv.prefixes",
        ConfigType.LIST,
        importance=Importance.HIGH,
        documentation="Prefixes to watch, divided among the tasks.",
    )
    .define(
        "kv.batch",
        ConfigType.INT,
        default=100,
        validator=Range.between(1, 5000),
        documentation="The most changes that one poll returns.",
    )
    .define(
        "kv.wait.ms",
        ConfigType.INT,
        default=1000,
        validator=Range.between(1, 5000),
        documentation="How long the store waits for a change.",
    )
    .embed("kv.server.", "Server", 1, SERVER)
)


class KvWatchSourceConnector(SourceConnector):
    """Divides the prefixes among the tasks."""

    def __init__(self):
        self._props = {}

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def validate(self, props):
        """Also complain about prefixes of which one is part of another."""
        values = super().validate(props)
        for each in values:
            names = each.value
            if each.name == "kv.prefixes" and isinstance(names, list):
                if not names or not all(names):
                    each.error_messages.append("kv.prefixes must name prefixes.")
                elif _overlap(names):
                    each.error_messages.append("kv.prefixes must not be part of each other.")
        return values

    def start(self, props):
        CONFIG.parse(props)
        self._props = dict(props)

    def task_class(self):
        return KvWatchSourceTask

    def task_configs(self, max_tasks):
        names = CONFIG.parse(self._props)["kv.prefixes"]
        groups = group_partitions(names, min(max_tasks, len(names))) if names else []
        return [{**self._props, "kv.prefixes": ",".join(group)} for group in groups]

    def stop(self):
        pass

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if set(partition) != {"prefix"}:
                raise ConnectError(
                    f"a partition is {{'prefix': text}}, found {dict(partition)!r}",
                    code="kvwatch.partition",
                )
            if offset is not None:
                _place(offset)
        return False


class KvWatchSourceTask(SourceTask):
    """Asks for each prefix in turn; the store waits only if nothing was new in the last round."""

    def __init__(self):
        self._stopping = threading.Event()
        self._socket = None
        self._lines = None

    def version(self):
        return VERSION

    def start(self, props):
        self._config = CONFIG.parse(props)
        self._stopping.clear()
        self._places = {}
        self._idle = False
        for prefix in self._config["kv.prefixes"]:
            stored = self.context.offset_storage_reader.offset({"prefix": prefix})
            self._places[prefix] = _place(stored) if stored else (0, 0)

    def poll(self):
        try:
            return self._changes() or None
        except (OSError, ValueError) as error:
            self._disconnect()
            if self._stopping.is_set():
                return None
            self._stopping.wait(0.05)
            host, port = self._config["kv.server.host"], self._config["kv.server.port"]
            raise RetriableError(
                f"cannot watch the store at {host}:{port}: {error}",
                code="kvwatch.store",
                facts={"host": host, "port": port},
            ) from error

    def stop(self):
        self._stopping.set()
        self._disconnect()

    def _changes(self):
        records = []
        wait = self._config["kv.wait.ms"] // len(self._places) if self._idle else 0
        for prefix in self._places:
            room = self._config["kv.batch"] - len(records)
            if self._stopping.is_set() or not room:
                break
            try:
                events = self._ask(prefix, room, 0 if records else wait)
                found = [self._record(prefix, event) for event in events]
            except (OSError, ValueError, ConnectError):
                self._disconnect()
                if records:  # of other prefixes, whose places have moved on
                    break
                raise
            if found:
                self._places[prefix] = _place(found[-1].source_offset)
            records += found
        self._idle = not records
        return records

    def _ask(self, prefix, most, wait):
        """Changes behind the place of a prefix."""
        revision, index = self._places[prefix]
        question = {
            "op": "watch",
            "prefix": prefix,
            "after": [revision, index],
            "most": most,
            "wait_ms": wait,
        }
        connection, lines = self._connected()
        connection.sendall(json.dumps(question).encode() + b"\n")
        line = lines.readline()
        if not line.endswith(b"\n"):
            raise ConnectionError("the store ended the connection")
        answer = json.loads(line)
        if "error" in answer:
            raise ConnectError(
                f"the store does not let {prefix} be watched: {answer['error']}",
                code="kvwatch.refused",
                facts={"prefix": prefix},
            )
        return answer["events"]

    def _record(self, prefix, event):
        key = Struct(KEY)
        key["prefix"], key["name"] = prefix, event["key"].removeprefix(prefix)
        value = event["value"]
        return SourceRecord(
            {"prefix": prefix},
            {"revision": event["revision"], "index": event["index"]},
            self._config["topic"],
            None if value is None else _value(value, event),
            None if value is None else VALUE,
            key=key,
            key_schema=KEY,
            timestamp=event["at"],
        )

    def _connected(self):
        connection, lines = self._socket, self._lines
        if connection is None or lines is None:
            config = self._config
            seconds = (config["kv.server.timeout.ms"] + config["kv.wait.ms"]) / 1000
            address = config["kv.server.host"], config["kv.server.port"]
            connection = self._socket = socket.create_connection(address, timeout=seconds)
            lines = self._lines = connection.makefile("rb")
            if self._stopping.is_set():
                raise ConnectionAbortedError("the task was stopped")
        return connection, lines

    def _disconnect(self):
        connection, lines = self._socket, self._lines
        self._socket = self._lines = None
        if connection is not None:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()
        if lines is not None:
            with suppress(OSError, ValueError):
                lines.close()


def _value(fields, event):
    value = Struct(VALUE)
    try:
        value["number"] = fields["number"]
        value["label"] = fields["label"]
        value["amount"] = _amount(fields["amount"])
        value["due"] = EPOCH + timedelta(milliseconds=fields["due"])
        value["active"] = fields["active"]
        value["note"] = fields.get("note")
        value.validate()
    except (KeyError, TypeError, ValueError, OverflowError, DataError) as error:
        raise DataError(
            f"key {event['key']} has a value at revision {event['revision']} that is not of the"
            f" known form: {type(error).__name__}: {error}",
            code="kvwatch.value",
            facts={"key": event["key"], "revision": event["revision"]},
        ) from error
    return value


def _amount(digits):
    """A number of hundredths, big-endian in two's complement."""
    unscaled = int.from_bytes(bytes.fromhex(digits), "big", signed=True)
    sign, figures, _ = Number(unscaled).as_tuple()
    return Number((sign, figures, -SCALE))


def _overlap(names):
    pairs = ((one, other) for i, one in enumerate(names) for other in names[i + 1 :])
    return any(one.startswith(other) or other.startswith(one) for one, other in pairs)


def _place(offset):
    """Revision and index of an offset, which an operator may have changed."""
    numbers = offset.get("revision"), offset.get("index")
    if set(offset) != {"revision", "index"} or any(type(n) is not int or n < 0 for n in numbers):
        raise ConnectError(
            f"an offset has revision and index, numbers from 0 on, found {dict(offset)!r}",
            code="kvwatch.offset",
        )
    return numbers
