"""Keeps the latest value of each key in a server that speaks the text protocol of memcached.

Writing a value again changes nothing, so a batch whose fate is unknown is simply written again.
What has been stored of a batch is remembered until all of it is, so that each repetition gets
further.
"""

from __future__ import annotations

import socket
import threading
from urllib.parse import quote_from_bytes

from plugwright import (
    ConfigDef,
    ConfigError,
    ConfigType,
    ConnectError,
    DataError,
    Importance,
    LambdaValidator,
    NonEmptyString,
    Range,
    RetriableError,
    SinkConnector,
    SinkTask,
    TopicPartition,
)

VERSION = "1.0.0"
LONGEST_KEY = 250
LONGEST_LINE = 4096
TEXT, BYTES, NUMBER = 0, 1, 2


def _check_prefix(name, value):
    if not isinstance(value, str) or len(value) > 50 or not all("!" <= c <= "~" for c in value):
        raise ConfigError(
            f"{name} must be at most 50 visible ASCII characters, without spaces",
            code="memslot.prefix",
        )


CONFIG = (
    ConfigDef()
    .define(
        "cache.host",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Name or address of the server.",
    )
    .define(
        "cache.port",
        ConfigType.INT,
        default=11211,
        importance=Importance.HIGH,
        validator=Range.between(1, 65535),
        documentation="Port of the server.",
    )
    .define(
        "key.prefix",
        ConfigType.STRING,
        default="",
        importance=Importance.MEDIUM,
        validator=LambdaValidator.with_(_check_prefix, lambda: "visible ASCII characters"),
        documentation="Begin of all keys.",
    )
    .define(
        "pipeline.size",
        ConfigType.INT,
        default=100,
        importance=Importance.LOW,
        validator=Range.between(1, 1000),
        documentation="How many commands to send before their answers are read.",
    )
    .define(
        "timeout.ms",
        ConfigType.INT,
        default=10_000,
        importance=Importance.LOW,
        validator=Range.between(1, 120_000),
        documentation="How long to wait for the server.",
    )
)


class MemSlotSinkConnector(SinkConnector):
    """Any number of tasks write, each on a connection of its own."""

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
        return MemSlotSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class MemSlotSinkTask(SinkTask):
    """What was put is stored when put returns, so there is nothing to flush."""

    def __init__(self):
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._link = None
        self._input = None
        self._stored = {}

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._address = config["cache.host"], config["cache.port"]
        self._prefix = config["key.prefix"]
        self._width = config["pipeline.size"]
        self._timeout_s = config["timeout.ms"] / 1000

    def open(self, partitions):
        self._stored.clear()

    def close(self, partitions):
        self._stored.clear()

    def put(self, records):
        waiting = [
            record
            for record in records
            if record.original_kafka_offset >= self._stored.get(_partition(record), 0)
        ]
        while waiting:
            count, busy = self._store(waiting[: self._width])
            for record in waiting[:count]:
                self._stored[_partition(record)] = record.original_kafka_offset + 1
            del waiting[:count]
            if busy and not count:
                raise RetriableError(
                    f"the server at {_shown(self._address)} is busy: {busy}", code="memslot.busy"
                )
        self._stored.clear()

    def stop(self):
        self._stopping.set()
        self._leave()

    def _store(self, records):
        """Write some records; how many of the first ones are done, and why not the next."""
        commands = []
        for record in records:
            try:
                commands.append(self._command(record))
            except DataError as error:
                self._report(record, error)
                commands.append(None)
        answers = self._exchange([each for each in commands if each is not None])
        for at, (record, command) in enumerate(zip(records, commands, strict=True)):
            answer = None if command is None else answers.pop(0)
            if answer in {None, "STORED", "DELETED", "NOT_FOUND"}:
                continue
            if answer.startswith("SERVER_ERROR") and "too large" not in answer:
                return at, answer  # those behind it come again, too, which keeps their order
            self._report(
                record,
                DataError(
                    f"the server does not take the record at {_where(record)}: {answer}",
                    code="memslot.refused",
                    facts={"answer": answer},
                ),
            )
        return len(records), ""

    def _report(self, record, error):
        reporter = self.context.errant_record_reporter()
        if reporter is None:
            raise error
        reporter.report(record, error)

    def _command(self, record):
        key = _key(self._prefix, record)
        if record.value is None:
            return b"delete " + key + b"\r\n"
        flags, data = _data(record)
        return b"set %b %d 0 %d\r\n%b\r\n" % (key, flags, len(data), data)

    def _exchange(self, commands):
        """Send commands and read the answer to each."""
        if not commands:
            return []
        try:
            self._connect()
            self._link.sendall(b"".join(commands))
            return [self._line() for _ in commands]
        except (OSError, ValueError, AttributeError) as error:  # also if stop has closed it
            self._leave()
            raise RetriableError(
                f"the server at {_shown(self._address)} cannot be reached: {error!r}",
                code="memslot.connection",
                facts={"host": self._address[0], "port": self._address[1]},
            ) from error
        except ConnectError:
            self._leave()
            raise

    def _connect(self):
        if self._link is not None:
            return
        link = socket.create_connection(self._address, timeout=self._timeout_s)
        with self._lock:
            self._link, self._input = link, link.makefile("rb")
        if self._stopping.is_set():
            raise ConnectionError("the task is being stopped")

    def _line(self):
        line = self._input.readline(LONGEST_LINE)
        if not line.endswith(b"\r\n"):
            raise ConnectionError("the server hung up")
        answer = line[:-2].decode("utf-8", "replace")
        if answer == "ERROR" or answer.startswith("CLIENT_ERROR denied"):
            raise ConnectError(
                f"the server at {_shown(self._address)} refuses commands: {answer}",
                code="memslot.denied",
                facts={"host": self._address[0], "port": self._address[1]},
            )
        return answer

    def _leave(self):
        with self._lock:
            link, self._link = self._link, None
            file, self._input = self._input, None
        if link is not None:
            try:
                link.shutdown(socket.SHUT_RDWR)  # which wakes a thread that waits for an answer
            except OSError:
                pass
            file.close()
            link.close()


def _partition(record):
    return TopicPartition(record.original_topic, record.original_kafka_partition)


def _where(record):
    return (
        f"{record.original_topic}-{record.original_kafka_partition}@{record.original_kafka_offset}"
    )


def _key(prefix, record):
    """The key as the server takes it: with the topic, the type, and no character of its own."""
    match record.key:
        case str():
            kind, data = "s", _utf8(record, record.key, "key")
        case bytes():
            kind, data = "b", record.key
        case int() if not isinstance(record.key, bool):
            kind, data = "i", b"%d" % record.key
        case _:
            raise DataError(
                f"a key must be text, bytes or a whole number, found"
                f" {type(record.key).__name__} at {_where(record)}",
                code="memslot.key",
            )
    key = f"{prefix}{record.topic}:{kind}:{quote_from_bytes(data, safe='')}".encode("ascii")
    if len(key) > LONGEST_KEY:
        raise DataError(
            f"a key can have {LONGEST_KEY} bytes, found {len(key)} at {_where(record)}",
            code="memslot.long-key",
        )
    return key


def _data(record):
    """The flags and the bytes of a value."""
    match record.value:
        case str():
            return TEXT, _utf8(record, record.value, "value")
        case bytes():
            return BYTES, record.value
        case int() if not isinstance(record.value, bool):
            return NUMBER, b"%d" % record.value
    raise DataError(
        f"a value must be text, bytes or a whole number, found"
        f" {type(record.value).__name__} at {_where(record)}",
        code="memslot.value",
    )


def _utf8(record, text, what):
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:  # half of a surrogate pair
        raise DataError(
            f"the {what} at {_where(record)} is not text: {error}", code="memslot.text"
        ) from error


def _shown(address):
    return f"{address[0]}:{address[1]}"
