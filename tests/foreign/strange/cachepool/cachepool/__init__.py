"""Mirrors topics in a cache that speaks a protocol like that of memcached.

The key of a record is that of the cache. A tombstone deletes it. Changes are collected, the last
one of a key counts, and a pool of threads sends them when offsets are to be committed.
"""

# ruff: noqa: D102  # the methods are those of the contract

from __future__ import annotations

import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import quote
from zlib import crc32

from plugwright import (
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    Importance,
    NonEmptyString,
    Range,
    RetriableError,
    SinkConnector,
    SinkTask,
    TopicPartition,
)

VERSION = "1.3.0"
LONGEST_KEY = 250
CONFIG = (
    ConfigDef()
    .define(
        "cache.host",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Name of the server.",
    )
    .define(
        "cache.port",
        ConfigType.INT,
        importance=Importance.HIGH,
        validator=Range.between(1, 65535),
        documentation="Port of the server.",
    )
    .define(
        "cache.password",
        ConfigType.PASSWORD,
        importance=Importance.HIGH,
        documentation="Password of the server.",
    )
    .define(
        "cache.threads",
        ConfigType.INT,
        default=4,
        validator=Range.between(1, 32),
        documentation="How many threads send, each over a connection of its own.",
    )
    .define(
        "cache.pending",
        ConfigType.INT,
        default=2000,
        validator=Range.between(1, 20000),
        documentation="With how many changes they are sent before offsets are to be committed.",
    )
    .define(
        "cache.timeout.ms",
        ConfigType.INT,
        default=5000,
        importance=Importance.LOW,
        validator=Range.between(100, 60000),
        documentation="How long to wait for the server.",
    )
)


@dataclass(frozen=True)
class Change:
    """What is to be done to a key of the cache; without data it is deleted."""

    place: TopicPartition
    key: str
    data: bytes | None


class Lane:
    """Changes that one thread sends, in order, over one connection."""

    def __init__(self, config):
        self._config = config
        self._socket = None
        self._lines = None
        self.changes = {}

    def add(self, change):
        """Let a change wait; one of the same key that waits is out of date."""
        self.changes.pop(change.key, None)
        self.changes[change.key] = change

    def send(self):
        """Send what waits; what the server has not confirmed goes on waiting."""
        try:
            for key, change in list(self.changes.items()):
                self._apply(change)
                del self.changes[key]
        except BaseException:
            self.close()
            raise

    def close(self):
        """End the connection; the next change begins another one."""
        connection, lines = self._socket, self._lines
        self._socket = self._lines = None
        if connection is not None:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            with suppress(OSError):
                connection.close()
        if lines is not None:
            with suppress(OSError, ValueError):
                lines.close()

    def _apply(self, change):
        if self._lines is None:
            self._connect()
        if change.data is None:
            answer = self._ask(f"delete {change.key}\r\n".encode())
            good = answer in {"DELETED", "NOT_FOUND"}
        else:
            head = f"set {change.key} 0 0 {len(change.data)}\r\n".encode()
            answer = self._ask(head + change.data + b"\r\n")
            good = answer == "STORED"
        if not good:
            passing = answer.startswith("SERVER_ERROR")
            raise (RetriableError if passing else ConnectError)(
                f"the cache has not taken key {change.key}: {answer}",
                code="cachepool.answer",
                facts={"key": change.key},
            )

    def _ask(self, request):
        connection, lines = self._socket, self._lines
        if connection is None or lines is None:
            raise ConnectionAbortedError("the task was stopped")
        connection.sendall(request)
        line = lines.readline()
        if not line.endswith(b"\n"):
            raise ConnectionError("the server ended the connection")
        return line.decode().strip()

    def _connect(self):
        config = self._config
        address = config["cache.host"], config["cache.port"]
        connection = socket.create_connection(address, timeout=config["cache.timeout.ms"] / 1000)
        self._socket, self._lines = connection, connection.makefile("rb")
        answer = self._ask(f"auth {config['cache.password'].value}\r\n".encode())
        if answer != "OK":
            raise ConnectError(
                f"the cache at {address[0]}:{address[1]} does not let us in: {answer}",
                code="cachepool.denied",
                facts={"host": address[0], "port": address[1]},
            )


class CachePoolSinkConnector(SinkConnector):
    """Kafka divides the partitions among the tasks."""

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
        return CachePoolSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class CachePoolSinkTask(SinkTask):
    """A key always has the same lane, so its changes stay in order."""

    def __init__(self):
        self._lock = threading.Lock()
        self._lanes = []
        self._pool = None

    def version(self):
        return VERSION

    def start(self, props):
        self._config = CONFIG.parse(props)
        count = self._config["cache.threads"]
        self._lanes = [Lane(self._config) for _ in range(count)]
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="cachepool")

    def put(self, records):
        if not records:
            return
        reporter = self.context.errant_record_reporter()
        with self._lock:
            for record in records:
                try:
                    change = _change(record)
                except DataError as error:
                    if reporter is None:
                        raise
                    reporter.report(record, error)
                else:
                    self._lane(change.key).add(change)
            if sum(len(lane.changes) for lane in self._lanes) >= self._config["cache.pending"]:
                self._send_all()

    def flush(self, offsets):
        with self._lock:
            self._send_all()

    def close(self, partitions):
        gone = set(partitions)
        with self._lock:
            for lane in self._lanes:
                lane.changes = {k: c for k, c in lane.changes.items() if c.place not in gone}

    def stop(self):
        for lane in self._lanes:
            lane.close()  # ends what flush may be waiting for
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(cancel_futures=True)
        for lane in self._lanes:
            lane.close()

    def _lane(self, key):
        return self._lanes[crc32(key.encode()) % len(self._lanes)]

    def _send_all(self):
        """Send what waits, and fail if any lane has."""
        futures = [self._pool.submit(lane.send) for lane in self._lanes if lane.changes]
        errors = [error for error in [future.exception() for future in futures] if error]
        for error in errors:
            if not isinstance(error, OSError | ValueError | RetriableError):
                raise error
        if errors:
            host, port = self._config["cache.host"], self._config["cache.port"]
            raise RetriableError(
                f"the cache at {host}:{port} has not taken all changes: {errors[0]}",
                code="cachepool.send",
                facts={"host": host, "port": port},
            ) from errors[0]


def _change(record):
    where = (
        f"{record.original_topic}-{record.original_kafka_partition}@{record.original_kafka_offset}"
    )
    key, value = record.key, record.value
    if isinstance(key, bool) or not isinstance(key, str | int) or key == "":
        raise DataError(
            f"a key of the cache is text or a whole number, found {type(key).__name__} at {where}",
            code="cachepool.key",
        )
    if value is not None and not isinstance(value, str):
        raise DataError(
            f"the cache takes text, found {type(value).__name__} at {where}",
            code="cachepool.value",
            hint="set value.converter to StringConverter",
        )
    try:
        name = quote(f"{record.topic}/{key}", safe="/")
        data = None if value is None else value.encode()
    except UnicodeEncodeError as error:
        raise DataError(
            f"the text at {where} cannot be stored: {error.reason}", code="cachepool.value"
        ) from error
    if len(name) > LONGEST_KEY:
        raise DataError(
            f"the key at {where} has {len(name)} characters, {LONGEST_KEY} is the limit of a cache",
            code="cachepool.key",
        )
    place = TopicPartition(record.original_topic, record.original_kafka_partition)
    return Change(place, name, data)
