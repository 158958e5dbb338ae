"""Takes jobs from a work queue over TCP; a job is reserved, and deleted when Kafka has it."""

from __future__ import annotations

import contextlib
import socket
import threading

from plugwright import (
    STRING_SCHEMA,
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    Headers,
    Importance,
    NonEmptyString,
    Range,
    RetriableError,
    SourceConnector,
    SourceRecord,
    SourceTask,
)

VERSION = "1.0.0"
CONFIG = (
    ConfigDef()
    .define(
        "queue.host",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Host of the queue.",
    )
    .define(
        "queue.port",
        ConfigType.INT,
        importance=Importance.HIGH,
        validator=Range.between(1, 65535),
        documentation="Port of the queue.",
    )
    .define(
        "queue.password",
        ConfigType.PASSWORD,
        importance=Importance.HIGH,
        documentation="Password of the queue.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives a record for each job.",
    )
    .define(
        "batch.max.jobs",
        ConfigType.INT,
        default=15,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most jobs of one poll.",
    )
    .define(
        "reserved.max.jobs",
        ConfigType.INT,
        default=2000,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most jobs that may wait for Kafka; no more are reserved meanwhile.",
    )
)


class JobLineConnector(SourceConnector):
    """Any number of tasks take jobs from the queue."""

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
        return JobLineTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class JobLineTask(SourceTask):
    """The queue gives reserved jobs to others when the connection that reserved them ends."""

    def __init__(self):
        self._stopping = threading.Event()
        self._talking = threading.RLock()
        self._socket = self._stream = None
        self._reserved = set()
        self._jobs_left = []

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._address = (config["queue.host"], config["queue.port"])
        self._password = config["queue.password"]
        self._topic = config["topic"]
        self._limit = config["batch.max.jobs"]
        self._most = config["reserved.max.jobs"]
        self._stopping.clear()

    def poll(self):
        with self._talking:
            room = min(self._limit, self._most - len(self._reserved))
            if not self._jobs_left and room > 0 and not self._stopping.is_set():
                self._jobs_left = self._ask(f"RESERVE {room}", self._jobs)
                self._reserved.update(number for number, _, _ in self._jobs_left)
            records = self._records()
        if not records:
            self._stopping.wait(0.05)
            return None
        return records

    def commit_record(self, record, metadata):
        number = record.source_offset["job"]
        with self._talking:
            if number not in self._reserved:
                return  # its connection is gone, and the queue has given it to another one
            try:
                self._ask(f"DELETE {number}", lambda stream, line: line)
            except ConnectError:
                return  # the connection was left, so the job comes again
            self._reserved.discard(number)

    def stop(self):
        self._stopping.set()
        with self._talking:
            self._leave()

    def _records(self):
        """Records of the jobs; one that cannot be read fails when it is the first."""
        records = []
        while self._jobs_left:
            try:
                records.append(self._record(*self._jobs_left[0]))
            except DataError:
                if records:
                    break
                raise
            del self._jobs_left[0]
        return records

    def _record(self, number, at, body):
        try:
            text = body.decode()
        except UnicodeDecodeError as error:
            raise DataError(
                f"job {number} of the queue at {self._place()} is not UTF-8: {error}",
                code="jobline.body",
            ) from error
        return SourceRecord(
            source_partition={"queue": self._place()},
            source_offset={"job": number},
            topic=self._topic,
            value=text,
            value_schema=STRING_SCHEMA,
            timestamp=at,
            headers=Headers().add_long("job", number),
        )

    def _ask(self, request, read):
        """What the queue says to a request; the connection is made when it is needed."""
        try:
            if self._stream is None:
                self._enter()
            return self._exchange(request, read)
        except (OSError, ValueError) as error:
            self._leave()
            raise self._failure(RetriableError, error) from error

    def _exchange(self, request, read):
        self._stream.write(request.encode() + b"\n")
        self._stream.flush()
        line = self._line()
        if line.startswith("ERR "):
            self._leave()
            raise self._failure(ConnectError, line.removeprefix("ERR "))
        return read(self._stream, line)

    def _jobs(self, stream, line):
        """The jobs behind a line that says how many there are: a line for each, then its bytes."""
        jobs = []
        for _ in range(int(line.removeprefix("JOBS "))):
            number, at, length = map(int, self._line().split())
            body = stream.read(length)
            if len(body) < length:
                raise ConnectionError("the queue ended the connection within a job")
            jobs.append((number, at, body))
        return jobs

    def _line(self):
        line = self._stream.readline(1024)
        if not line.endswith(b"\n"):
            raise ConnectionError("the queue ended the connection")
        return line.decode().removesuffix("\n")

    def _enter(self):
        self._socket = socket.create_connection(self._address, timeout=5)
        self._stream = self._socket.makefile("rwb")
        self._exchange(f"AUTH {self._password.value}", lambda stream, line: line)

    def _leave(self):
        self._reserved.clear()
        self._jobs_left = []
        for each in (self._stream, self._socket):
            if each is not None:
                with contextlib.suppress(OSError):
                    each.close()
        self._socket = self._stream = None

    def _place(self):
        return f"{self._address[0]}:{self._address[1]}"

    def _failure(self, kind, reason):
        return kind(
            f"cannot take jobs from the queue at {self._place()}: {reason}",
            code="jobline.queue",
            facts={"queue": self._place()},
        )
