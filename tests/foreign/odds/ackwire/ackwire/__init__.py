"""Streams lines to a TCP server, which acknowledges them one by one, in an order of its own."""

from __future__ import annotations

import contextlib
import json
import socket
import threading

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

VERSION = "1.0.0"
CONFIG = (
    ConfigDef()
    .define(
        "wire.host",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Host of the server.",
    )
    .define(
        "wire.port",
        ConfigType.INT,
        importance=Importance.HIGH,
        validator=Range.between(1, 65535),
        documentation="Port of the server.",
    )
    .define(
        "wire.secret",
        ConfigType.PASSWORD,
        importance=Importance.HIGH,
        documentation="The secret that opens a connection.",
    )
    .define(
        "window.records",
        ConfigType.INT,
        default=200,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most records that wait for the server.",
    )
    .define(
        "ack.timeout.ms",
        ConfigType.INT,
        default=3000,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="How long put and commits wait for the server.",
    )
)


class AckWireSinkConnector(SinkConnector):
    """Each task has a connection of its own."""

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
        return AckWireSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class AckWireSinkTask(SinkTask):
    """A thread listens for acknowledgements; a commit goes up to the first one that is missing."""

    def __init__(self):
        self._changed = threading.Condition()
        self._writing = threading.Lock()  # both threads send lines
        self._stopped = False
        self._socket = self._listener = None
        self._waiting = {}
        self._next = {}

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._address = (config["wire.host"], config["wire.port"])
        self._secret = config["wire.secret"]
        self._window = config["window.records"]
        self._timeout = config["ack.timeout.ms"] / 1000
        self._stopped, self._number = False, 0
        self._waiting, self._next = {}, {}  # lines without an answer, by number; offsets to come
        self._broken = self._refused = None

    def put(self, records):
        self._mend()
        for record in records:
            place = TopicPartition(record.original_topic, record.original_kafka_partition)
            offset = record.original_kafka_offset
            if offset < self._next.get(place, offset):
                continue  # taken before put failed
            try:
                message = self._message(record)
            except DataError as error:
                reporter = self.context.errant_record_reporter()
                if reporter is None:
                    raise
                reporter.report(record, error)
            else:
                self._send(place, offset, message)
            self._next[place] = offset + 1

    def pre_commit(self, offsets):
        self._mend()
        self._until(lambda: not self._waiting)
        with self._changed:
            self._check()
            first = {}
            for place, offset, _ in self._waiting.values():
                first[place] = min(offset, first.get(place, offset))
        return {place: first.get(place, offset) for place, offset in offsets.items()}

    def close(self, partitions):
        gone = set(partitions)
        with self._changed:
            kept = {n: each for n, each in self._waiting.items() if each[0] not in gone}
            self._waiting = kept
            self._next = {place: n for place, n in self._next.items() if place not in gone}

    def stop(self):
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        self._leave()

    def _message(self, record):
        if not isinstance(record.value, str):
            raise DataError(
                f"the wire takes text, found {type(record.value).__name__} at "
                f"{record.original_topic}-{record.original_kafka_partition}"
                f"@{record.original_kafka_offset}",
                code="ackwire.value",
            )
        return {"topic": record.topic, "text": record.value, "at": record.timestamp}

    def _send(self, place, offset, message):
        if not self._until(lambda: len(self._waiting) < self._window):
            reason = f"{len(self._waiting)} records were not acknowledged in {self._timeout} s"
            self._leave()
            raise self._failure(RetriableError, reason)
        with self._changed:
            self._check()
            if self._broken is not None or self._stopped:
                reason = self._broken or "the task was stopped"
                raise self._failure(RetriableError, reason)
            self._number += 1
            number = self._number
            line = json.dumps({"number": number, **message}).encode() + b"\n"
            self._waiting[number] = (place, offset, line)
        self._write(line)

    def _until(self, fulfilled):
        """Wait for the server; whether it is as wanted then, or the connection is broken."""
        with self._changed:
            return self._changed.wait_for(
                lambda: fulfilled() or self._broken or self._refused or self._stopped,
                self._timeout,
            )

    def _mend(self):
        """Make the connection if there is none, and send again what was not acknowledged."""
        with self._changed:
            self._check()
            if self._socket is not None and self._broken is None:
                return
            lines = [line for _, _, line in self._waiting.values()]
        self._leave()
        with self._changed:
            self._broken = None
        try:
            self._socket = socket.create_connection(self._address, timeout=10)
            hello = json.dumps({"secret": self._secret.value}).encode() + b"\n"
            self._socket.sendall(hello + b"".join(lines))
        except OSError as error:
            self._leave()
            raise self._failure(RetriableError, error) from error
        self._socket.settimeout(None)
        self._listener = threading.Thread(target=self._listen, args=(self._socket,), daemon=True)
        self._listener.start()

    def _write(self, line):
        try:
            with self._writing:
                self._socket.sendall(line)
        except OSError as error:
            with self._changed:
                self._broken = error  # the line waits, and is sent again

    def _listen(self, connection):
        reason = "the server ended the connection"
        try:
            with connection.makefile("rb") as answers:
                for answer in answers:
                    if not self._answered(connection, answer.decode().strip()):
                        return
        except (OSError, ValueError) as error:
            reason = error
        with self._changed:
            if self._socket is connection:
                self._broken = self._broken or reason
            self._changed.notify_all()

    def _answered(self, connection, answer):
        """Take an answer: '+ number' has it, '~ number' wants it again, '! reason' refuses all."""
        word, _, rest = answer.partition(" ")
        with self._changed:
            if word == "!":
                self._refused = rest
                self._changed.notify_all()
                return False
            if word == "+":
                self._waiting.pop(int(rest), None)
                self._changed.notify_all()
                return True
            line = self._waiting.get(int(rest), (None, None, b""))[2]
        with self._writing:
            connection.sendall(line)
        return True

    def _check(self):
        if self._refused is not None:
            raise self._failure(ConnectError, self._refused)

    def _leave(self):
        connection, self._socket = self._socket, None
        if connection is not None:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()
        listener, self._listener = self._listener, None
        if listener is not None:
            listener.join(timeout=5)

    def _failure(self, kind, reason):
        host, port = self._address
        return kind(
            f"cannot write to the server at {host}:{port}: {reason}",
            code="ackwire.write",
            facts={"host": host, "port": port},
        )
