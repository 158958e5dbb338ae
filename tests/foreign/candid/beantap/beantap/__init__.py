"""Takes jobs out of a tube of beanstalkd, a work queue.

A job is reserved when it is polled and deleted when Kafka has its record, so the queue itself
remembers what is left to do. beanstalkd gives reserved jobs back to the tube when a connection
ends or a job's time to run is over; what comes back that way while its record is still on the way
to Kafka is not sent a second time.
"""

from __future__ import annotations

import logging
import re
import socket
import threading

from plugwright import (
    STRING_SCHEMA,
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
    SourceConnector,
    SourceRecord,
    SourceTask,
    ValidString,
)

log = logging.getLogger(__name__)

VERSION = "2.3.1"
TUBE = re.compile(r"[A-Za-z0-9+/;.$_()][A-Za-z0-9+/;.$_()-]{0,199}")
PASSING = ("OUT_OF_MEMORY", "INTERNAL_ERROR", "DRAINING")


def _tube_name(name, value):
    if not isinstance(value, str) or not TUBE.fullmatch(value):
        raise ConfigError(f"{name}: {value!r} is not a name of a tube", code="beantap.tube")


CONFIG = (
    ConfigDef()
    .define(
        "beanstalk.host",
        ConfigType.STRING,
        default="127.0.0.1",
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Name or address of the server.",
    )
    .define(
        "beanstalk.port",
        ConfigType.INT,
        default=11300,
        importance=Importance.HIGH,
        validator=Range.between(1, 65535),
        documentation="Port of the server.",
    )
    .define(
        "beanstalk.tube",
        ConfigType.STRING,
        default="default",
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(_tube_name, lambda: "name of a tube"),
        documentation="The tube to take jobs from.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives the bodies of the jobs.",
    )
    .define(
        "unreadable.jobs",
        ConfigType.STRING,
        default="fail",
        importance=Importance.MEDIUM,
        validator=ValidString.in_("fail", "bury"),
        documentation="What to do with a job that is not UTF-8: fail the task, or bury the job.",
    )
    .define(
        "batch.jobs",
        ConfigType.INT,
        default=100,
        importance=Importance.LOW,
        validator=Range.between(1, 5000),
        documentation="How many jobs to reserve at most in one poll.",
    )
    .define(
        "idle.ms",
        ConfigType.INT,
        default=500,
        importance=Importance.LOW,
        validator=Range.between(1, 30_000),
        documentation="How long to wait when the tube is empty.",
    )
    .define(
        "answer.timeout.ms",
        ConfigType.INT,
        default=10_000,
        importance=Importance.LOW,
        validator=Range.between(100, 120_000),
        documentation="How long to wait for a connection or for an answer.",
    )
)


class BeanTapSourceConnector(SourceConnector):
    """Starts as many consumers as there may be tasks: the queue divides the jobs."""

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
        return BeanTapSourceTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        self._props = {}


class Refusal(Exception):
    """The server has answered, but not what was asked for."""


class Client:
    """One connection; not for more than one thread at a time, but `abort`."""

    def __init__(self, host, port, timeout_s):
        self._socket = socket.create_connection((host, port), timeout=timeout_s)
        self._lines = self._socket.makefile("rb")

    def watch(self, tube):
        self._expect(f"watch {tube}", "WATCHING")
        if tube != "default":
            self._expect("ignore default", "WATCHING")

    def reserve(self):
        """The id and the body of the next job, or nothing if none is ready."""
        word, *rest = self._ask("reserve-with-timeout 0")
        if word in {"TIMED_OUT", "DEADLINE_SOON"}:
            return None
        if word != "RESERVED" or len(rest) != 2:
            raise Refusal(" ".join([word, *rest]))
        number, size = map(int, rest)
        body = self._lines.read(size + 2)
        if len(body) != size + 2:
            raise ConnectionError("the connection ended within a job")
        return number, body[:-2]

    def delete(self, number):
        self._expect(f"delete {number}", "DELETED", "NOT_FOUND")

    def bury(self, number):
        self._expect(f"bury {number} 1024", "BURIED", "NOT_FOUND")

    def abort(self):
        """End what another thread is waiting for."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it had ended already

    def close(self):
        self._lines.close()
        self._socket.close()

    def _expect(self, command, *words):
        answer = self._ask(command)
        if answer[0] not in words:
            raise Refusal(" ".join(answer))

    def _ask(self, command):
        self._socket.sendall(f"{command}\r\n".encode("ascii"))
        line = self._lines.readline(300)
        if not line.endswith(b"\r\n"):
            raise ConnectionError("the server has closed the connection")
        return line.decode("ascii", "replace").split() or [""]


class BeanTapSourceTask(SourceTask):
    """Reserves jobs in ``poll`` and deletes them in ``commit_record``."""

    def __init__(self):
        self._stopping = threading.Event()
        self._lock = threading.Lock()  # of the client and the two sets
        self._client = None
        self._on_the_way = set()
        self._to_delete = set()
        self._bad = None
        self._failures = 0

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._host, self._port = config["beanstalk.host"], config["beanstalk.port"]
        self._tube, self._topic = config["beanstalk.tube"], config["topic"]
        self._most, self._bury = config["batch.jobs"], config["unreadable.jobs"] == "bury"
        self._idle_s = config["idle.ms"] / 1000
        self._timeout_s = config["answer.timeout.ms"] / 1000

    def poll(self):
        if self._bad is not None:
            raise self._bad
        try:
            with self._lock:
                if self._stopping.is_set():
                    return None
                self._delete_acknowledged()
                jobs = self._reserve()
                self._leave_if_stopping()
        except (OSError, Refusal) as error:
            if self._stopping.is_set():
                return None
            self._failures += 1
            self._stopping.wait(min(0.1 * 2 ** min(self._failures, 8), 5.0))
            raise self._failure(error) from error
        self._failures = 0
        if jobs:
            return [
                SourceRecord(
                    {"server": f"{self._host}:{self._port}", "tube": self._tube},
                    {"job": number},
                    self._topic,
                    text,
                    STRING_SCHEMA,
                )
                for number, text in jobs
            ]
        if self._bad is not None:
            raise self._bad
        self._stopping.wait(self._idle_s)
        return None

    def commit_record(self, record, metadata):
        """Delete the job; if that fails now, it is done with the next poll or commit."""
        with self._lock:
            number = record.source_offset["job"]
            self._on_the_way.discard(number)
            self._to_delete.add(number)
            self._try_to_delete()

    def commit(self):
        with self._lock:
            self._try_to_delete()

    def stop(self):
        self._stopping.set()
        client = self._client
        if client is not None and not self._lock.acquire(timeout=0.2):
            client.abort()  # a poll is waiting for an answer, and leaves when it is over
        elif client is not None or self._lock.acquire(timeout=0.2):
            try:
                self._leave()
            finally:
                self._lock.release()

    def _connected(self):
        if self._client is None:
            self._client = Client(self._host, self._port, self._timeout_s)
            self._client.watch(self._tube)
        return self._client

    def _reserve(self):
        """The jobs that are new, with their text."""
        jobs = []
        try:
            while len(jobs) < self._most and not self._stopping.is_set():
                job = self._connected().reserve()
                if job is None:
                    break
                number, body = job
                if number in self._to_delete:
                    self._connected().delete(number)
                    self._to_delete.discard(number)
                elif number not in self._on_the_way:
                    try:
                        jobs.append((number, body.decode("utf-8")))
                    except UnicodeDecodeError as error:
                        self._unreadable(number, error)
                        if self._bad is not None:
                            break
        except BaseException:
            self._leave()  # which gives the jobs back
            raise
        self._on_the_way.update(number for number, _ in jobs)
        return jobs

    def _unreadable(self, number, error):
        if self._bury:
            self._connected().bury(number)
            log.warning("job %d of tube %s is not UTF-8 and was buried", number, self._tube)
            return
        self._bad = DataError(
            f"job {number} of tube {self._tube} at {self._host}:{self._port} is not UTF-8: {error}",
            code="beantap.not-text",
            hint="delete or bury the job, or set unreadable.jobs=bury",
            facts={"job": number, "tube": self._tube},
        )
        self._bad.__cause__ = error

    def _try_to_delete(self):
        try:
            self._delete_acknowledged()
        except (OSError, Refusal) as error:
            log.info("jobs cannot be deleted now, will be tried again: %s", error)
        self._leave_if_stopping()

    def _delete_acknowledged(self):
        try:
            for number in sorted(self._to_delete):
                self._connected().delete(number)
                self._to_delete.discard(number)
        except BaseException:
            self._leave()
            raise

    def _leave_if_stopping(self):
        if self._stopping.is_set():
            self._leave()

    def _leave(self):
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _failure(self, error):
        where = f"beanstalkd at {self._host}:{self._port}"
        passing = isinstance(error, OSError) or str(error).startswith(PASSING)
        return (RetriableError if passing else ConnectError)(
            f"{where} cannot be read from: {error}",
            code="beantap.server",
            facts={"host": self._host, "port": self._port, "tube": self._tube},
        )
