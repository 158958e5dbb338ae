"""Keeps the latest value of every key in a server that speaks RESP, the protocol of Redis.

A batch is one pipeline of SET and DEL. Writing a batch again changes nothing, so whatever goes
wrong on the way, the batch may come again.
"""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING

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
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from plugwright import SinkRecord

__all__ = ["KeyHarpSinkConnector", "KeyHarpSinkTask"]

SETTINGS = ConfigDef()
SETTINGS.define("harp.host", ConfigType.STRING, "127.0.0.1", Importance.HIGH,
                "Name or address of the server.", validator=NonEmptyString())  # fmt: skip
SETTINGS.define("harp.port", ConfigType.INT, 6379, Importance.HIGH, "Port of the server.",
                validator=Range.between(1, 65535))  # fmt: skip
SETTINGS.define("harp.user", ConfigType.STRING, "", Importance.MEDIUM,
                "User to log in as; empty for the default user.")  # fmt: skip
SETTINGS.define("harp.password", ConfigType.PASSWORD, None, Importance.HIGH,
                "Password to log in with; without one the task does not log in.")  # fmt: skip
SETTINGS.define("harp.database", ConfigType.INT, 0, Importance.LOW, "Number of the database.",
                validator=Range.between(0, 1023))  # fmt: skip
SETTINGS.define("harp.timeout.ms", ConfigType.INT, 10_000, Importance.LOW,
                "How long to wait for the server at most, for each step.",
                validator=Range.between(50, 300_000))  # fmt: skip
SETTINGS.define("pipeline.commands", ConfigType.INT, 256, Importance.LOW,
                "Commands to send before their answers are read.",
                validator=Range.between(1, 10_000))  # fmt: skip

# What a server answers when another attempt may help.
_PASSING = {
    "LOADING", "BUSY", "TRYAGAIN", "CLUSTERDOWN", "MASTERDOWN", "READONLY", "OOM", "MISCONF",
    "NOREPLICAS",
}  # fmt: skip


class KeyHarpSinkConnector(SinkConnector):
    """Tasks do not share anything, so there may be as many as there are partitions."""

    def version(self) -> str:
        return "1.7.0"

    def config(self) -> ConfigDef:
        return SETTINGS

    def start(self, props: Mapping[str, str]) -> None:
        SETTINGS.parse(props)
        self._props = dict(props)

    def task_class(self) -> type[SinkTask]:
        return KeyHarpSinkTask

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        return [self._props] * max_tasks

    def stop(self) -> None:
        """There is nothing to stop."""


class AnswerError(Exception):
    """An answer that begins with a minus sign."""

    @property
    def passing(self) -> bool:
        return str(self).split(" ", 1)[0] in _PASSING


class Connection:
    """A connection that is logged in."""

    def __init__(self, address: tuple[str, int], timeout_s: float) -> None:
        self._socket = socket.create_connection(address, timeout=timeout_s)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._answers = self._socket.makefile("rb")

    def log_in(self, user: str, password: str | None, database: int) -> None:
        if password is not None:
            self.send([("AUTH", user, password) if user else ("AUTH", password)])
        if database:
            self.send([("SELECT", str(database))])

    def send(self, commands: Sequence[tuple[str, ...]]) -> None:
        """Send commands in one go and read their answers.

        Raises:
            AnswerError: the first error among the answers, when all of them are read.
        """
        self._socket.sendall(b"".join(map(_written, commands)))
        first = None
        for _ in commands:
            line = self._answers.readline(65536)
            if not line.endswith(b"\r\n"):
                raise ConnectionError("the server has closed the connection")
            if line.startswith(b"-"):
                first = first or AnswerError(line[1:-2].decode("utf-8", "replace"))
            elif line[:1] not in {b"+", b":"}:
                raise ConnectionError(f"an answer that was not to be expected: {line[:60]!r}")
        if first is not None:
            raise first

    def abort(self) -> None:
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it was not connected any more

    def close(self) -> None:
        self._answers.close()
        self._socket.close()


def _written(words: Iterable[str]) -> bytes:
    parts = [word.encode("utf-8") for word in words]
    return b"".join(
        [b"*%d\r\n" % len(parts), *(b"$%d\r\n%b\r\n" % (len(part), part) for part in parts)]
    )


class KeyHarpSinkTask(SinkTask):
    """Writes in ``put``; there is nothing left for ``flush``."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._stopped = False

    def version(self) -> str:
        return "1.7.0"

    def start(self, props: Mapping[str, str]) -> None:
        settings = SETTINGS.parse(props)
        self._address = (settings["harp.host"], settings["harp.port"])
        self._user = settings["harp.user"]
        self._password = settings["harp.password"]
        self._database = settings["harp.database"]
        self._timeout_s = settings["harp.timeout.ms"] / 1000
        self._most = settings["pipeline.commands"]

    def put(self, records: Sequence[SinkRecord]) -> None:
        if not records:
            return
        reporter = self.context.errant_record_reporter()
        commands, refused = [], []
        for record in records:
            try:
                commands.append(_command(record))
            except DataError as error:
                if reporter is None:
                    raise
                refused.append((record, error))
        with self._lock:
            self._write(commands)
        for record, error in refused:  # not before: until here the batch may come again
            reporter.report(record, error)

    def stop(self) -> None:
        self._stopped = True
        connection = self._connection
        if connection is not None:
            connection.abort()
        if self._lock.acquire(timeout=1):  # otherwise ``put`` closes it
            try:
                self._leave()
            finally:
                self._lock.release()

    def _write(self, commands: Sequence[tuple[str, ...]]) -> None:
        try:
            for begin in range(0, len(commands), self._most):
                self._connected().send(commands[begin : begin + self._most])
        except AnswerError as error:
            self._leave()
            raise self._failure(RetriableError if error.passing else ConnectError, error) from error
        except OSError as error:
            self._leave()
            raise self._failure(RetriableError, error) from error
        except BaseException:
            self._leave()
            raise
        if self._stopped:
            self._leave()

    def _connected(self) -> Connection:
        if self._stopped:
            raise ConnectionAbortedError("the task has been stopped")
        if self._connection is None:
            self._connection = Connection(self._address, self._timeout_s)
            password = None if self._password is None else self._password.value
            self._connection.log_in(self._user, password, self._database)
        return self._connection

    def _leave(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _failure(self, kind: type[ConnectError], error: Exception) -> ConnectError:
        host, port = self._address
        return kind(
            f"keys cannot be written to {host}:{port}: {error}",
            code="keyharp.server",
            facts={"host": host, "port": port},
        )


def _command(record: SinkRecord) -> tuple[str, ...]:
    """What makes the server have the record as the latest of its key."""
    key, value = record.key, record.value
    if isinstance(key, int) and not isinstance(key, bool):
        key = str(key)
    if not isinstance(key, str):
        raise _refusal(record, "a key of text or a whole number", key)
    if value is not None and not isinstance(value, str):
        raise _refusal(record, "a value of text", value)
    name = f"{record.topic}/{key}"
    try:
        _written((name, value or ""))
    except UnicodeEncodeError as error:
        raise _refusal(record, "text that UTF-8 can write", value) from error
    return ("DEL", name) if value is None else ("SET", name, value)


def _refusal(record: SinkRecord, wanted: str, found: object) -> DataError:
    place = (
        f"{record.original_topic}-{record.original_kafka_partition}@{record.original_kafka_offset}"
    )
    return DataError(
        f"the record at {place} needs {wanted}, found {type(found).__name__}",
        code="keyharp.record",
        hint="set key.converter and value.converter to StringConverter",
        facts={
            "topic": record.original_topic,
            "partition": record.original_kafka_partition,
            "offset": record.original_kafka_offset,
            "class": type(found).__name__,
        },
    )
