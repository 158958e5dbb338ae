"""Consumes a queue of a message broker that speaks STOMP 1.2.

Every message is acknowledged on its own, when Kafka has its record. What was not acknowledged when
a connection ends is delivered again by the broker, so nothing is stored at this end. Texts become
strings and everything else bytes; the headers that a producer has added become headers of the
record, except ``key`` and ``timestamp``, which become its key and its time.
"""

from __future__ import annotations

import logging
import re
import select
import socket
import threading
import time

from plugwright import (
    BYTES_SCHEMA,
    OPTIONAL_STRING_SCHEMA,
    STRING_SCHEMA,
    ConfigDef,
    ConfigError,
    ConfigType,
    ConnectError,
    DataError,
    Headers,
    Importance,
    LambdaValidator,
    NonEmptyString,
    NonEmptyStringWithoutControlChars,
    Range,
    RetriableError,
    SourceConnector,
    SourceRecord,
    SourceTask,
)

VERSION = "1.0.0"
SLICE_S = 0.05
LARGEST = 64 << 20
LONGEST_HEAD = 64 << 10
ESCAPES = {"\\r": "\r", "\\n": "\n", "\\c": ":", "\\\\": "\\"}
OWN = {
    "subscription", "message-id", "destination", "content-length", "content-type", "ack",
    "redelivered", "key", "timestamp",
}

_log = logging.getLogger(__name__)


def _check_host(name, value):
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z0-9_.:-]+", value):
        raise ConfigError(f"{name} must be a name or an address of a host", code="postbell.host")


def _check_password(name, value):
    text = getattr(value, "value", None)
    if not isinstance(text, str) or not text or not text.isprintable():
        raise ConfigError(f"{name} must be printable text", code="postbell.password")


CONFIG = (
    ConfigDef()
    .define(
        "bell.host",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(_check_host, lambda: "a name or an address"),
        documentation="Host of the broker.",
    )
    .define(
        "bell.port",
        ConfigType.INT,
        default=61613,
        importance=Importance.HIGH,
        validator=Range.between(1, 65535),
        documentation="Port of the broker.",
    )
    .define(
        "bell.user",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyStringWithoutControlChars(),
        documentation="User that consumes the queue.",
    )
    .define(
        "bell.password",
        ConfigType.PASSWORD,
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(_check_password, lambda: "printable text"),
        documentation="Password of the user.",
    )
    .define(
        "bell.queue",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyStringWithoutControlChars(),
        documentation="Queue to consume, as the broker names it, such as /queue/orders.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic to write to.",
    )
    .define(
        "batch.size",
        ConfigType.INT,
        default=500,
        importance=Importance.MEDIUM,
        validator=Range.between(1, 10_000),
        documentation="How many messages to return at most at a time.",
    )
    .define(
        "prefetch",
        ConfigType.INT,
        default=2000,
        importance=Importance.MEDIUM,
        validator=Range.between(1, 100_000),
        documentation="How many messages the broker may deliver before one is acknowledged.",
    )
    .define(
        "wait.ms",
        ConfigType.INT,
        default=1000,
        importance=Importance.LOW,
        validator=Range.between(1, 60_000),
        documentation="How long to wait for a first message, and after an error.",
    )
    .define(
        "timeout.ms",
        ConfigType.INT,
        default=10_000,
        importance=Importance.LOW,
        validator=Range.between(1, 120_000),
        documentation="How long to wait for the broker to connect, to answer or to take a frame.",
    )
)


class PostBellSourceConnector(SourceConnector):
    """Any number of tasks consume; the broker divides the messages among them."""

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
        return PostBellSourceTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class PostBellSourceTask(SourceTask):
    """Has one connection at a time. Acknowledgements may come from another thread."""

    def __init__(self):
        self._stopping = threading.Event()
        self._reading = threading.Lock()
        self._guard = threading.Lock()  # of the next two
        self._link = None
        self._unacknowledged = {}
        self._held = None

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._config = config
        self._address = config["bell.host"], config["bell.port"]
        self._shown = f"{config['bell.host']}:{config['bell.port']}"
        self._queue = config["bell.queue"]
        self._topic = config["topic"]
        self._most = config["batch.size"]
        self._wait_s = config["wait.ms"] / 1000

    def poll(self):
        with self._reading:
            if self._stopping.is_set():
                return None
            try:
                return self._receive() or None
            except RetriableError:
                self._stopping.wait(self._wait_s)
                raise

    def commit_record(self, record, metadata):
        message = record.source_offset["message"]
        with self._guard:
            mark = self._unacknowledged.pop(message, None)
            link = self._link
            if mark is None or link is None:
                return  # it was delivered by a connection that is gone, and will be again
            try:
                link.send("ACK", {"id": mark})
            except OSError as error:
                _log.warning("%s cannot be acknowledged yet: %s", message, error)

    def stop(self):
        self._stopping.set()
        idle = self._reading.acquire(timeout=1)
        try:
            with self._guard:
                link, self._link = self._link, None
            if link is not None:
                link.leave() if idle else link.close()
        finally:
            if idle:
                self._reading.release()

    def _receive(self):
        """The records of the next messages."""
        records = []
        end = time.monotonic() + self._wait_s
        try:
            link = self._connected()
            while len(records) < self._most and not self._stopping.is_set():
                frame, self._held = self._held or link.receive(), None
                if frame is None:
                    if records or time.monotonic() >= end:
                        break
                    link.wait(SLICE_S)
                    continue
                try:
                    records.append(self._record(link, frame))
                except DataError:
                    if not records:
                        raise
                    self._held = frame  # those before it first
                    break
        except (OSError, ValueError) as error:  # the latter from a socket that was closed
            self._lose()
            if records:
                return records  # they will come again, but nothing is wrong with them
            raise RetriableError(
                f"the broker at {self._shown} cannot be reached: {error!r}",
                code="postbell.connection",
                facts={"broker": self._shown},
            ) from error
        except ConnectError as error:
            if not isinstance(error, DataError):
                self._lose()
            raise
        return records

    def _connected(self):
        """The connection, made and subscribed if there is none."""
        if self._link is None:
            config = self._config
            link = Link(self._address, config["timeout.ms"] / 1000)
            try:
                login = {"login": config["bell.user"], "passcode": config["bell.password"].value}
                about = {"accept-version": "1.2", "host": self._address[0], "heart-beat": "0,0"}
                link.send("CONNECT", {**about, **login}, escaped=False)
                answer = link.answer()
                if answer.command != "CONNECTED":
                    raise self._error(answer)
                link.send(
                    "SUBSCRIBE",
                    {
                        "id": "0",
                        "destination": self._queue,
                        "ack": "client-individual",
                        "prefetch-count": str(config["prefetch"]),
                    },
                )
            except BaseException:
                link.close()
                raise
            with self._guard:
                self._link = link
                self._unacknowledged.clear()
            self._held = None
        return self._link

    def _lose(self):
        with self._guard:
            link, self._link = self._link, None
            self._unacknowledged.clear()
        self._held = None
        if link is not None:
            link.close()

    def _record(self, link, frame):
        if frame.command != "MESSAGE":
            raise self._error(frame)
        message = frame.headers.get("message-id")
        try:
            if frame.headers.get("content-type", "text/plain").startswith("text/"):
                value, schema = frame.body.decode("utf-8"), STRING_SCHEMA
            else:
                value, schema = frame.body, BYTES_SCHEMA
            at = frame.headers.get("timestamp")
            at = None if at is None else int(at)
        except ValueError as error:
            raise DataError(
                f"message {message} of {self._queue} cannot be read: {error}",
                code="postbell.message",
                facts={"queue": self._queue, "message": message},
            ) from error
        headers = Headers()
        for name, text in frame.headers.items():
            if name not in OWN:
                headers.add_string(name, text)
        with self._guard:
            self._unacknowledged[message] = frame.headers.get("ack", message)
        return SourceRecord(
            {"queue": self._queue},
            {"message": message},
            self._topic,
            value,
            schema,
            key=frame.headers.get("key"),
            key_schema=OPTIONAL_STRING_SCHEMA,
            timestamp=at,
            headers=headers,
        )

    def _error(self, frame):
        """What an ERROR frame, or one that does not belong here, means."""
        said = frame.headers.get("message", frame.command)[:200]
        kind = RetriableError if "refused" not in said.lower() else ConnectError
        return kind(
            f"the broker at {self._shown} answered about {self._queue}: {said}",
            code="postbell.refused",
            facts={"broker": self._shown, "queue": self._queue},
        )


class Frame:
    """A command with its headers, of which the first of each name counts, and its body."""

    def __init__(self, command, headers, body):
        self.command = command
        self.headers = headers
        self.body = body


class Link:
    """A connection to a broker."""

    def __init__(self, address, timeout_s):
        self._timeout_s = timeout_s
        self._received = bytearray()
        self._sending = threading.Lock()
        self._socket = socket.create_connection(address, timeout=timeout_s)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)

    def send(self, command, headers, *, escaped=True):
        lines = [command]
        for name, text in headers.items():
            lines.append(f"{_escape(name)}:{_escape(text)}" if escaped else f"{name}:{text}")
        with self._sending:
            self._socket.sendall("\n".join(lines).encode("utf-8") + b"\n\n\0")

    def wait(self, seconds):
        """Wait until something has come, and take it in; false if nothing did."""
        if not select.select([self._socket], [], [], seconds)[0]:
            return False
        data = self._socket.recv(1 << 16)
        if not data:
            raise ConnectionError("the broker hung up")
        self._received += data
        return True

    def receive(self):
        """The next frame, if all of it is there or is on its way."""
        frame = self._parsed()
        if frame is None and self.wait(0):
            frame = self._parsed()
        if frame is None and self._received:
            end = time.monotonic() + self._timeout_s
            while frame is None and self._received:
                if not self.wait(max(0.0, end - time.monotonic())):
                    raise TimeoutError("the broker stopped in the middle of a frame")
                frame = self._parsed()
        return frame

    def answer(self):
        """The next frame, which is expected soon."""
        end = time.monotonic() + self._timeout_s
        while (frame := self.receive()) is None:
            if not self.wait(max(0.0, end - time.monotonic())):
                raise TimeoutError("the broker does not answer")
        return frame

    def leave(self):
        """Say goodbye, so that the broker has everything that was acknowledged before it."""
        try:
            self.send("DISCONNECT", {"receipt": "bye"})
            end = time.monotonic() + min(self._timeout_s, 2)
            while time.monotonic() < end:
                frame = self.receive()
                if frame is not None and frame.command == "RECEIPT":
                    break
                if frame is None:
                    self.wait(SLICE_S)
        except (OSError, ValueError) as error:
            _log.info("the connection has ended without a goodbye: %s", error)
        finally:
            self.close()

    def close(self):
        self._socket.close()

    def _parsed(self):
        while self._received.startswith((b"\n", b"\r")):  # between frames
            del self._received[:1]
        head = re.match(rb"(.*?)\r?\n\r?\n", self._received, re.DOTALL)
        if head is None:
            if len(self._received) > LONGEST_HEAD:
                raise ConnectionError("the broker sent headers without an end")
            return None
        command, *lines = head[1].decode("utf-8").split("\n")
        headers = {}
        for line in lines:
            name, _, text = line.rstrip("\r").partition(":")
            headers.setdefault(_unescaped(name), _unescaped(text))
        begin = head.end()
        if "content-length" in headers:
            length = int(headers["content-length"])
            if not 0 <= length <= LARGEST:
                raise ConnectionError(f"the broker sent a body of {length} bytes")
            end = begin + length
        else:
            end = self._received.find(b"\0", begin)
        if end < 0 or len(self._received) <= end:
            return None
        if self._received[end] != 0:
            raise ConnectionError("the broker sent a body that is longer than it said")
        body = bytes(self._received[begin:end])
        del self._received[: end + 1]
        return Frame(command.rstrip("\r"), headers, body)


def _escape(text):
    for short, meant in reversed(ESCAPES.items()):
        text = text.replace(meant, short)
    return text


def _unescaped(text):
    return re.sub(r"\\[rnc\\]", lambda found: ESCAPES[found[0]], text)
