"""Follows streams of a server that speaks the Redis protocol, with XREAD."""

from __future__ import annotations

import contextlib
import re
import socket
import threading

from plugwright import (
    STRING_SCHEMA,
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    ExactlyOnceSupport,
    Headers,
    Importance,
    NonEmptyString,
    Range,
    RetriableError,
    SourceConnector,
    SourceRecord,
    SourceTask,
    group_partitions,
)

VERSION = "1.0.2"
ID = re.compile(r"\d+-\d+")
PASSING = {"LOADING", "BUSY", "TRYAGAIN", "MASTERDOWN", "CLUSTERDOWN", "READONLY", "UNBLOCKED"}
CONFIG = (
    ConfigDef()
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives the entries.",
    )
    .define(
        "stream.host",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Host of the server.",
    )
    .define(
        "stream.port",
        ConfigType.INT,
        default=6379,
        importance=Importance.HIGH,
        validator=Range.between(1, 65535),
        documentation="Port of the server.",
    )
    .define(
        "stream.password",
        ConfigType.PASSWORD,
        default=None,
        documentation="Password of the server, if it wants one.",
    )
    .define(
        "stream.names",
        ConfigType.LIST,
        importance=Importance.HIGH,
        documentation="Names of the streams to follow; tasks divide them.",
    )
    .define(
        "stream.field",
        ConfigType.STRING,
        default="value",
        validator=NonEmptyString(),
        documentation="Field of an entry that becomes the value.",
    )
    .define(
        "stream.key.field",
        ConfigType.STRING,
        default="key",
        validator=NonEmptyString(),
        documentation="Field that becomes the key; entries may be without. Others become headers.",
    )
    .define(
        "stream.batch",
        ConfigType.INT,
        default=200,
        validator=Range.between(1, 10_000),
        documentation="The most entries that one poll returns.",
    )
    .define(
        "stream.wait.ms",
        ConfigType.INT,
        default=500,
        importance=Importance.LOW,
        validator=Range.between(1, 60_000),
        documentation="How long the server waits for further entries.",
    )
)


class XStreamSourceConnector(SourceConnector):
    """Each task follows some of the streams."""

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
        return XStreamSourceTask

    def task_configs(self, max_tasks):
        names = CONFIG.parse(self._props)["stream.names"]
        groups = group_partitions(names, min(max_tasks, len(names))) if names else []
        return [{**self._props, "stream.names": ",".join(group)} for group in groups]

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if set(partition) != {"stream"}:
                raise ConnectError(
                    f"a partition is {{'stream': name}}, found {dict(partition)!r}",
                    code="xstream.partition",
                )
            if offset is not None:
                _entry_id(offset)
        return False


class XStreamSourceTask(SourceTask):
    """Asks for the entries behind the last one of each stream."""

    def __init__(self):
        self._stopping = threading.Event()
        self._busy = threading.Lock()
        self._link = None

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._topic = config["topic"]
        self._server = config["stream.host"], config["stream.port"]
        self._password = config["stream.password"]
        self._field = config["stream.field"]
        self._key_field = config["stream.key.field"]
        self._batch = config["stream.batch"]
        self._wait = config["stream.wait.ms"]
        names = config["stream.names"]
        stored = self.context.offset_storage_reader.offsets([{"stream": name} for name in names])
        self._last = {
            partition["stream"]: "0-0" if offset is None else _entry_id(offset)
            for partition, offset in stored
        }
        self._stopping.clear()

    def poll(self):
        with self._busy:
            if self._stopping.is_set():
                return None
            records = []
            for name, entries in self._read():
                stream = name.decode()
                try:
                    records += self._records(stream, entries[: self._batch - len(records)])
                except DataError:
                    if not records:
                        raise
                    break
                self._last[stream] = self._last.pop(stream)  # the others come first next time
            return records or None

    def stop(self):
        self._stopping.set()
        link = self._link
        if link is not None:
            link.interrupt()
        with self._busy:
            self._leave()

    def _read(self):
        """Streams that have further entries, each with its entries."""
        each = max(1, self._batch // len(self._last))
        command = ["XREAD", "COUNT", each, "BLOCK", self._wait, "STREAMS"]
        try:
            if self._link is None:
                self._link = _Link(self._server, 10 + self._wait / 1000)
                if self._password is not None:
                    self._link.ask("AUTH", self._password.value)
            return self._link.ask(*command, *self._last, *self._last.values()) or []
        except _RefusedError as error:
            self._leave()
            passing = str(error).partition(" ")[0] in PASSING
            raise self._failure(RetriableError if passing else ConnectError, error) from error
        except (OSError, ValueError) as error:
            self._leave()
            if self._stopping.is_set():
                return []
            self._stopping.wait(0.05)
            raise self._failure(RetriableError, error) from error

    def _records(self, stream, entries):
        """Entries as records, up to one that is not good."""
        records = []
        for entry_id, flat in entries:
            try:
                record = self._record(stream, entry_id.decode(), flat or [])
            except ValueError as error:
                if records:
                    break
                raise DataError(
                    f"entry {entry_id.decode()} of stream {stream}: {error}",
                    code="xstream.entry",
                    facts={"stream": stream, "id": entry_id.decode()},
                ) from error
            records.append(record)
            self._last[stream] = record.source_offset["id"]
        return records

    def _record(self, stream, entry_id, flat):
        fields = [(flat[at].decode(), flat[at + 1]) for at in range(0, len(flat), 2)]
        found = dict(fields)
        if self._field not in found:
            raise ValueError(f"it has no field {self._field!r}, only {', '.join(found)}")
        key = found.get(self._key_field)
        headers = Headers()
        for name, data in fields:
            if name not in {self._field, self._key_field}:
                headers.add_string(name, data.decode())
        return SourceRecord(
            {"stream": stream},
            {"id": entry_id},
            self._topic,
            found[self._field].decode(),
            STRING_SCHEMA,
            key=None if key is None else key.decode(),
            key_schema=None if key is None else STRING_SCHEMA,
            timestamp=int(entry_id.partition("-")[0]),
            headers=headers,
        )

    def _failure(self, kind, error):
        host, port = self._server
        return kind(
            f"streams of {host}:{port} cannot be read: {error}",
            code="xstream.read",
            facts={"host": host, "port": port},
        )

    def _leave(self):
        if self._link is not None:
            self._link.close()
            self._link = None


class _RefusedError(Exception):
    """The server answered with an error."""


class _Link:
    """A connection: sends commands, reads replies."""

    def __init__(self, server, timeout):
        self._socket = socket.create_connection(server, timeout=timeout)
        self._replies = self._socket.makefile("rb")

    def ask(self, *words):
        parts = [b"*%d\r\n" % len(words)]
        for word in words:
            data = str(word).encode()
            parts += [b"$%d\r\n" % len(data), data, b"\r\n"]
        self._socket.sendall(b"".join(parts))
        return self._reply()

    def interrupt(self):
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self):
        self._replies.close()
        self._socket.close()

    def _reply(self):
        line = self._exactly_line()
        kind, rest = line[:1], line[1:]
        match kind:
            case b"+":
                return rest
            case b"-":
                raise _RefusedError(rest.decode("utf-8", "replace"))
            case b":":
                return int(rest)
            case b"$":
                return None if rest == b"-1" else self._bulk(int(rest))
            case b"*":
                return None if rest == b"-1" else [self._reply() for _ in range(int(rest))]
        raise ValueError(f"the server does not speak the protocol: {line[:40]!r}")

    def _exactly_line(self):
        line = self._replies.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("the server has closed the connection")
        return line[:-2]

    def _bulk(self, size):
        data = self._replies.read(size + 2)
        if len(data) < size + 2:
            raise ConnectionError("the server has closed the connection")
        return data[:size]


def _entry_id(offset):
    """The id in an offset, which an operator may have changed."""
    found = offset.get("id")
    if set(offset) != {"id"} or not isinstance(found, str) or not ID.fullmatch(found):
        raise ConnectError(
            f"an offset is {{'id': milliseconds-number}}, found {dict(offset)!r}",
            code="xstream.offset",
        )
    return found
