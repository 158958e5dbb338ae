"""Writes points of time series as lines over TCP, and waits until each batch is acknowledged.

A point has the topic as measurement, tags, fields, and a time in nanoseconds. Kafka's times are in
milliseconds; the offset fills the rest, so that points of the same millisecond remain apart and a
batch that comes again replaces what it wrote before. Without a time it is that of the arrival.
"""

from __future__ import annotations

import logging
import math
import socket
import time

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
    Struct,
)

VERSION = "1.4.3"
LOG = logging.getLogger(__name__)
PLAIN = str.maketrans({"\\": "\\\\", ",": "\\,", " ": "\\ ", "=": "\\=", "\n": "\\n"})
QUOTED = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})

CONFIG = (
    ConfigDef()
    .define(
        "point.host",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Host of the database.",
    )
    .define(
        "point.port",
        ConfigType.INT,
        importance=Importance.HIGH,
        validator=Range.between(1, 65535),
        documentation="Port of the database.",
    )
    .define(
        "point.token",
        ConfigType.PASSWORD,
        importance=Importance.HIGH,
        documentation="Token with which a connection begins.",
    )
    .define(
        "point.tags",
        ConfigType.LIST,
        default="",
        importance=Importance.MEDIUM,
        documentation="Fields of the value that are tags; they have to be text.",
    )
    .define(
        "point.batch.size",
        ConfigType.INT,
        default=200,
        importance=Importance.MEDIUM,
        validator=Range.between(1, 5000),
        documentation="How many points to send at once.",
    )
    .define(
        "point.connection.batches",
        ConfigType.INT,
        default=1000,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="After how many batches to connect anew, so that load is spread.",
    )
    .define(
        "point.timeout.ms",
        ConfigType.INT,
        default=5000,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="How long to wait for the database.",
    )
)


class Wire:
    """A connection that is made when it is needed, and anew after a failure."""

    def __init__(self, config):
        self._address = (config["point.host"], config["point.port"])
        self._token = config["point.token"]
        self._most = config["point.connection.batches"]
        self._timeout = config["point.timeout.ms"] / 1000
        self._socket = None
        self._batches = 0

    def send(self, lines):
        """Send a batch, and return the answer to it."""
        payload = "".join(line + "\n" for line in lines) + "\n"
        try:
            if self._batches >= self._most:
                self.close()
            if self._socket is None:
                self._connect()
            self._socket.sendall(payload.encode())
            self._batches += 1
            return self._answer()
        except OSError as error:
            self.close()
            raise RetriableError(
                f"cannot write to {self._where()}: {error}", code="pointline.unreachable"
            ) from error

    def close(self):
        if self._socket is not None:
            self._socket.close()
        self._socket = None
        self._batches = 0

    def _connect(self):
        self._socket = socket.create_connection(self._address, timeout=self._timeout)
        self._socket.sendall(f"auth {self._token.value}\n".encode())

    def _answer(self):
        answer = b""
        while not answer.endswith(b"\n"):
            more = self._socket.recv(4096)
            if not more:
                raise ConnectionError("the connection was closed")
            answer += more
        word, _, rest = answer.decode().rstrip("\n").partition(" ")
        if word == "busy":
            raise RetriableError(f"{self._where()} is busy", code="pointline.busy")
        if word not in {"ok", "bad"}:
            raise ConnectError(
                f"{self._where()} answered {word} {rest}",
                code="pointline.refused",
                hint="check point.token",
            )
        return word, rest

    def _where(self):
        return f"{self._address[0]}:{self._address[1]}"


class PointLineSinkConnector(SinkConnector):
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
        return PointLineSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class PointLineSinkTask(SinkTask):
    """What was put is acknowledged when put returns, so there is nothing to flush."""

    def __init__(self):
        self._wire = None

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._tags = set(config["point.tags"])
        self._size = config["point.batch.size"]
        self._wire = Wire(config)

    def put(self, records):
        if not records:
            return
        reporter = self.context.errant_record_reporter()
        bad = []
        points = []
        for record in records:
            try:
                points.append((record, _line(record, self._tags)))
            except DataError as error:
                if reporter is None:
                    raise
                bad.append((record, error))
        for begin in range(0, len(points), self._size):
            bad += self._write(points[begin : begin + self._size])
        if bad and reporter is None:
            raise bad[0][1]
        for record, error in bad:
            reporter.report(record, error)

    def stop(self):
        if self._wire is not None:
            self._wire.close()

    def _write(self, points):
        """Write points; those that the database does not take are returned with the reason.

        It takes all points of a batch or none, and names the first bad one.
        """
        bad = []
        while points:
            word, rest = self._wire.send([line for _, line in points])
            if word == "ok":
                break
            number, _, reason = rest.partition(" ")
            record, _ = points[int(number)]
            LOG.info("%s is not taken: %s", _where(record), reason)
            error = DataError(f"{_where(record)} is not taken: {reason}", code="pointline.point")
            bad.append((record, error))
            points = [each for each in points if each[0] is not record]
        return bad


def _where(record):
    return (
        f"{record.original_topic}-{record.original_kafka_partition}@{record.original_kafka_offset}"
    )


def _line(record, tags):
    """A point: measurement,tags fields time."""
    if not isinstance(record.value, Struct):
        raise DataError(
            f"a point is made of a struct, found {type(record.value).__name__} at {_where(record)}",
            code="pointline.value",
        )
    record.value.validate()
    head = [_plain(record.topic), f"kafka_partition={record.original_kafka_partition}"]
    fields = []
    for name in record.value:
        value = record.value[name]
        if name in tags:
            if value is not None and not isinstance(value, str):
                raise DataError(
                    f"tag {name} of {_where(record)} has to be text, found {type(value).__name__}",
                    code="pointline.tag",
                )
            if value:  # a tag cannot be empty
                head.append(f"{_plain(name)}={_plain(value)}")
        elif value is not None:
            fields.append(f"{_plain(name)}={_field(value, name, record)}")
    if not fields:
        raise DataError(f"{_where(record)} has no field with a value", code="pointline.empty")
    return f"{','.join(head)} {','.join(fields)} {_time(record)}"


def _plain(text):
    return text.translate(PLAIN)


def _field(value, name, record):
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return f"{value}i"
        case float() if math.isfinite(value):
            return repr(value)
        case str():
            return f'"{value.translate(QUOTED)}"'
    raise DataError(
        f"field {name} of {_where(record)} cannot be stored: {type(value).__name__}",
        code="pointline.field",
    )


def _time(record):
    """Nanoseconds since 1970, which differ for each offset."""
    milliseconds = record.timestamp
    if milliseconds is None:
        milliseconds = time.time_ns() // 1_000_000
    return milliseconds * 1_000_000 + record.original_kafka_offset % 1_000_000
