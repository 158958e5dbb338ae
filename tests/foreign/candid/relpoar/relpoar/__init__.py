"""Sends records to a log server with RELP, the reliable event logging protocol of rsyslog.

A thread of the task rows: it sends what ``put`` has put on board and waits for the answers of the
server. Offsets are committed up to the last record that the server has confirmed. When a connection
breaks, everything that was not confirmed is sent again.
"""

from __future__ import annotations

import collections
import datetime as dt
import logging
import re
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
    ValidString,
)

LOG = logging.getLogger(__name__)
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
OFFER = b"relp_version=0\nrelp_software=relpoar,1.0\ncommands=syslog\n"
FACILITIES = {"user": 1, "daemon": 3, "local0": 16, "local1": 17, "local2": 18}

CONFIG = (
    ConfigDef()
    .define(
        "relp.host",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Name or address of the log server.",
    )
    .define(
        "relp.port",
        ConfigType.INT,
        default=2514,
        importance=Importance.HIGH,
        validator=Range.between(1, 65535),
        documentation="Port of the log server.",
    )
    .define(
        "syslog.facility",
        ConfigType.STRING,
        default="user",
        importance=Importance.MEDIUM,
        validator=ValidString.in_(*FACILITIES),
        documentation="Facility of the messages; their severity is informational.",
    )
    .define(
        "window.messages",
        ConfigType.INT,
        default=128,
        importance=Importance.LOW,
        validator=Range.between(1, 1024),
        documentation="Messages that may be without answer at the same time.",
    )
    .define(
        "buffer.messages",
        ConfigType.INT,
        default=5000,
        importance=Importance.MEDIUM,
        validator=Range.between(1, 50_000),
        documentation="Messages in memory above which no further records are taken.",
    )
    .define(
        "answer.timeout.ms",
        ConfigType.INT,
        default=10_000,
        importance=Importance.LOW,
        validator=Range.between(50, 120_000),
        documentation="How long to wait for the server, for each step.",
    )
    .define(
        "commit.wait.ms",
        ConfigType.INT,
        default=3000,
        importance=Importance.LOW,
        validator=Range.between(0, 60_000),
        documentation="How long a commit waits for messages that are on their way.",
    )
)


class RelpOarSinkConnector(SinkConnector):
    """Each task has a connection and a thread of its own."""

    def __init__(self):
        self._props = {}

    def version(self):
        return "1.0.3"

    def config(self):
        return CONFIG

    def start(self, props):
        CONFIG.parse(props)
        self._props = dict(props)

    def task_class(self):
        return RelpOarSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        self._props = {}


class Bench:
    """How far one topic partition is, as long as the task owns it."""

    def __init__(self):
        self.waiting = 0
        self.confirmed = None
        self.gone = False


Message = collections.namedtuple("Message", "bench record text")


class Refused(Exception):
    """The server does not want to talk to this client."""


class Session:
    """An open RELP session, used by the rowing thread alone."""

    def __init__(self, host, port, timeout_s):
        self._socket = socket.create_connection((host, port), timeout=timeout_s)
        self._answers = self._socket.makefile("rb")
        self._number = 0

    def open(self):
        (answer,) = self.exchange("open", [OFFER])
        if not answer.startswith("200"):
            raise Refused(answer.splitlines()[0] if answer else "an empty answer")

    def exchange(self, command, texts):
        """Send commands, and return the text of the answer to each."""
        first = self._number + 1
        frames = []
        for text in texts:
            self._number += 1
            frames.append(f"{self._number} {command} {len(text)}".encode("ascii"))
            frames.append(b" " + text + b"\n" if text else b"\n")
        self._socket.sendall(b"".join(frames))
        return [self._answer(number) for number in range(first, first + len(texts))]

    def exhausted(self, upcoming):
        """Whether the numbers of this session come to their end."""
        return self._number + upcoming > 999_999_998

    def abort(self):
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it is not connected

    def close(self):
        self._answers.close()
        self._socket.close()

    def _answer(self, number):
        words = []
        while len(words) < 3:
            word, end = self._word()
            words.append(word)
            if end == b"\n" and len(words) < 3:
                raise ConnectionError(f"half an answer: {words}")
        size = int(words[2])
        text = self._answers.read(size) if end == b" " else b""
        if end == b" " and self._answers.read(1) != b"\n":
            raise ConnectionError("the connection ended within an answer")
        if words[:2] != [str(number), "rsp"]:
            raise ConnectionError(f"the server sends {' '.join(words[:2])}")
        return text.decode("utf-8", "replace")

    def _word(self):
        found = b""
        while len(found) < 32:
            byte = self._answers.read(1)
            if byte in {b" ", b"\n"}:
                return found.decode("ascii", "replace"), byte
            if not byte:
                raise ConnectionError("the server has closed the connection")
            found += byte
        raise ConnectionError(f"no RELP: {found!r}")


class RelpOarSinkTask(SinkTask):
    def __init__(self):
        self._changed = threading.Condition()  # guards everything that both threads use
        self._queue = collections.deque()
        self._benches = {}
        self._refused = []
        self._trouble = None
        self._fatal = None
        self._stopping = False
        self._session = None
        self._thread = None

    def version(self):
        return "1.0.3"

    def start(self, props):
        config = CONFIG.parse(props)
        self._host, self._port = config["relp.host"], config["relp.port"]
        self._priority = FACILITIES[config["syslog.facility"]] * 8 + 6
        self._window, self._most = config["window.messages"], config["buffer.messages"]
        self._timeout_s = config["answer.timeout.ms"] / 1000
        self._patience_s = config["commit.wait.ms"] / 1000
        self._thread = threading.Thread(target=self._row, name="relpoar", daemon=True)
        self._thread.start()

    def open(self, partitions):
        with self._changed:
            for topic, partition in partitions:
                self._benches[TopicPartition(topic, partition)] = Bench()

    def put(self, records):
        reporter = self.context.errant_record_reporter()
        texts, unfit = [], []
        for record in records:
            try:
                texts.append((record, self._text(record)))
            except DataError as error:
                if reporter is None:
                    raise
                unfit.append((record, error))
        with self._changed:
            self._raise_what_is_fatal()
            if texts:
                self._wait_for_space(len(texts))
            for record, text in texts:
                place = TopicPartition(record.original_topic, record.original_kafka_partition)
                bench = self._benches.setdefault(place, Bench())
                bench.waiting += 1
                self._queue.append(Message(bench, record, text))
            self._changed.notify_all()
            unfit += self._take_refused(reporter)
        for record, error in unfit:
            reporter.report(record, error)

    def pre_commit(self, offsets):
        """Wait a moment for what is on its way, and commit what is confirmed."""
        reporter = self.context.errant_record_reporter()
        with self._changed:
            self._changed.wait_for(
                lambda: self._trouble or self._fatal or self._stopping or not self._busy(offsets),
                self._patience_s,
            )
            self._raise_what_is_fatal()
            safe = {}
            for place, offset in offsets.items():
                bench = self._benches.get(place)
                if bench is None or not bench.waiting:
                    safe[place] = offset
                elif bench.confirmed is not None:
                    safe[place] = bench.confirmed
            refused = self._take_refused(reporter)
        for record, error in refused:
            reporter.report(record, error)
        return safe

    def close(self, partitions):
        with self._changed:
            for topic, partition in partitions:
                bench = self._benches.pop(TopicPartition(topic, partition), None)
                if bench is not None:
                    bench.gone = True
            self._queue = collections.deque(m for m in self._queue if not m.bench.gone)
            self._changed.notify_all()

    def stop(self):
        with self._changed:
            self._stopping = True
            session, thread = self._session, self._thread
            self._changed.notify_all()
        if session is not None:
            session.abort()
        if thread is not None and thread is not threading.current_thread():
            thread.join(self._timeout_s + 1)

    def _busy(self, offsets):
        return any(place in offsets and bench.waiting for place, bench in self._benches.items())

    def _wait_for_space(self, upcoming):
        """Return when records can be taken.

        Raises:
            RetriableError: if none can be taken; then none is.
        """
        self._changed.wait_for(
            lambda: self._trouble or self._fatal or self._stopping or self._has_space(upcoming),
            self._patience_s,
        )
        self._raise_what_is_fatal()
        if self._trouble or self._stopping or not self._has_space(upcoming):
            what = self._trouble or f"{len(self._queue)} messages are waiting already"
            raise RetriableError(
                f"{self._host}:{self._port} does not take messages: {what}",
                code="relpoar.unavailable",
                facts={"host": self._host, "port": self._port},
            )

    def _has_space(self, upcoming):
        return not self._queue or len(self._queue) + upcoming <= self._most

    def _raise_what_is_fatal(self):
        if self._fatal is not None:
            raise ConnectError(
                f"nothing is sent to {self._host}:{self._port} any more: "
                f"{type(self._fatal).__name__}: {self._fatal}",
                code="relpoar.refused",
                facts={"host": self._host, "port": self._port},
            ) from self._fatal

    def _take_refused(self, reporter):
        """The messages that the server did not want, to be reported by the task's own thread."""
        refused, self._refused = self._refused, []
        if refused and reporter is None:
            raise refused[0][1]
        return refused

    def _row(self):
        """The rowing thread: until the task stops, or the server refuses for good."""
        failures = 0
        try:
            while messages := self._next_window():
                try:
                    self._send(messages)
                    failures = 0
                except UnicodeError:
                    raise  # a name of a host that is none
                except (OSError, ValueError) as error:
                    failures += 1
                    LOG.info("connection to %s:%d: %s", self._host, self._port, error)
                    self._leave()
                    if failures > 1:
                        self._rest(str(error), min(0.1 * 2 ** min(failures, 6), 5.0))
        except BaseException as error:
            # Nothing would be sent any more, so the task has to fail, whatever it was.
            with self._changed:
                self._fatal = error
                self._changed.notify_all()
            if not isinstance(error, Exception):
                raise
        finally:
            self._leave()

    def _next_window(self):
        """The messages at the head of the queue, when there are any; none if the task stops."""
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._stopping)
            if self._stopping:
                return []
            return [self._queue[n] for n in range(min(self._window, len(self._queue)))]

    def _send(self, messages):
        if self._session is not None and self._session.exhausted(len(messages)):
            self._leave()
        if self._session is None:
            session = Session(self._host, self._port, self._timeout_s)
            with self._changed:
                self._session = session
                if self._stopping:
                    raise ConnectionAbortedError("the task is stopping")
            session.open()
        answers = self._session.exchange("syslog", [message.text for message in messages])
        with self._changed:
            self._trouble = None
            for message, answer in zip(messages, answers, strict=True):
                self._confirm(message, answer)
            self._changed.notify_all()

    def _confirm(self, message, answer):
        if message.bench.gone:
            return  # it may have been removed from the queue, too
        self._queue.popleft()
        if not answer.startswith("200"):
            error = DataError(
                f"the log server {self._host}:{self._port} does not take the record at "
                f"{_place(message.record)}: {answer[:200]}",
                code="relpoar.message",
            )
            self._refused.append((message.record, error))
        message.bench.waiting -= 1
        message.bench.confirmed = message.record.original_kafka_offset + 1

    def _rest(self, trouble, seconds):
        with self._changed:
            self._trouble = trouble
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._stopping, seconds)

    def _leave(self):
        with self._changed:
            session, self._session = self._session, None
        if session is not None:
            session.close()

    def _text(self, record):
        """A record as a message of syslog (RFC 5424)."""
        if not isinstance(record.value, str):
            found = "a tombstone" if record.value is None else type(record.value).__name__
            raise DataError(
                f"a message is text, found {found} at {_place(record)}",
                code="relpoar.not-text",
                hint="set value.converter to StringConverter",
            )
        origin = (
            f'[kafka@32473 topic="{_escaped(record.topic)}" '
            f'partition="{record.original_kafka_partition}" '
            f'offset="{record.original_kafka_offset}"]'
        )
        head = f"<{self._priority}>1 {_time(record.timestamp)} - relpoar - - {origin} "
        try:
            return (head + record.value).encode("utf-8")
        except UnicodeEncodeError as error:
            raise DataError(
                f"the text at {_place(record)} cannot be UTF-8: {error}", code="relpoar.not-text"
            ) from error


def _place(record):
    return (
        f"{record.original_topic}-{record.original_kafka_partition}@{record.original_kafka_offset}"
    )


def _escaped(text):
    return re.sub(r'(["\\\]])', r"\\\1", text)


def _time(milliseconds):
    if milliseconds is None:
        return "-"
    try:
        moment = EPOCH + dt.timedelta(milliseconds=milliseconds)
    except OverflowError:
        return "-"
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"
