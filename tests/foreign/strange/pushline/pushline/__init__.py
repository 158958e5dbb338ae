"""Takes messages that a broker pushes over a connection, and acknowledges them when Kafka has them.

Client and broker exchange lines of JSON. The broker keeps a message until it is acknowledged, and
pushes it again on the next connection of the same client, which also ends the one before. So the
broker remembers where to go on, and not Kafka.
"""

# ruff: noqa: D102  # the methods are those of the contract

from __future__ import annotations

import json
import logging
import queue
import socket
import threading
from collections import OrderedDict
from contextlib import suppress

from plugwright import (
    STRING_SCHEMA,
    ConfigDef,
    ConfigType,
    ConnectError,
    Importance,
    NonEmptyString,
    Range,
    RetriableError,
    SourceConnector,
    SourceRecord,
    SourceTask,
)

VERSION = "1.0.3"
LOG = logging.getLogger(__name__)

CONFIG = (
    ConfigDef()
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives the messages.",
    )
    .define(
        "push.host",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Name of the broker.",
    )
    .define(
        "push.port",
        ConfigType.INT,
        importance=Importance.HIGH,
        validator=Range.between(1, 65535),
        documentation="Port of the broker.",
    )
    .define(
        "push.client",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Name by which the broker knows this connector; no other client may have it.",
    )
    .define(
        "push.token",
        ConfigType.PASSWORD,
        importance=Importance.HIGH,
        documentation="Secret of the client.",
    )
    .define(
        "push.window",
        ConfigType.INT,
        default=200,
        validator=Range.between(1, 10000),
        documentation="The most messages that the broker pushes ahead of acknowledgements.",
    )
    .define(
        "push.batch",
        ConfigType.INT,
        default=100,
        validator=Range.between(1, 10000),
        documentation="The most messages that one poll returns.",
    )
    .define(
        "push.heartbeat.ms",
        ConfigType.INT,
        default=3000,
        importance=Importance.LOW,
        validator=Range.between(100, 30000),
        documentation="After how long a silence the broker is asked whether it is still there.",
    )
)


class Session:
    """A connection, with a thread that puts what arrives into a queue."""

    def __init__(self, config):
        self._messages = queue.Queue()
        self._sending = threading.Lock()
        self._problem = None
        self._pending = b""
        address = config["push.host"], config["push.port"]
        heartbeat = config["push.heartbeat.ms"] / 1000
        self._socket = socket.create_connection(address, timeout=heartbeat)
        try:
            self._greet(config)
        except BaseException:
            self.close()
            raise
        self._thread = threading.Thread(target=self._receive, name="pushline", daemon=True)
        self._thread.start()

    def _greet(self, config):
        self.send(
            op="hello",
            client=config["push.client"],
            token=config["push.token"].value,
            window=config["push.window"],
        )
        while b"\n" not in self._pending:
            data = self._socket.recv(65536)
            _check(data)
            self._pending += data
        line, _, self._pending = self._pending.partition(b"\n")
        answer = json.loads(line)
        if answer.get("op") == "denied":
            raise ConnectError(
                f"the broker does not let {config['push.client']} in: {answer.get('reason')}",
                code="pushline.denied",
                facts={"client": config["push.client"]},
            )
        if answer.get("op") != "welcome":
            raise ConnectionError("the broker ended the connection before it said welcome")

    def _receive(self):
        """Runs in the thread, until the connection ends."""
        try:
            silent = False
            while True:
                *lines, self._pending = self._pending.split(b"\n")
                self._sort(lines)
                try:
                    data = self._socket.recv(65536)
                except TimeoutError:
                    if silent:
                        raise
                    silent = True
                    self.send(op="ping")
                    continue
                _check(data)
                silent = False
                self._pending += data
        except (OSError, ValueError) as error:
            self._problem = error
        except BaseException as error:
            self._problem = error
            raise
        finally:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_WR)  # the broker may be waiting for that
            self._messages.put(None)

    def _sort(self, lines):
        for line in lines:
            message = json.loads(line)
            if message["op"] == "message":
                self._messages.put(message)

    def take(self, most, seconds):
        """Messages that have arrived; waits for the first one.

        Raises:
            ConnectionError: if the connection has ended, and all its messages were taken.
        """
        taken = []
        with suppress(queue.Empty):
            while len(taken) < most:
                message = self._messages.get(timeout=seconds) if not taken else self._next()
                if message is None:
                    self._messages.put(None)
                    if not taken:
                        raise ConnectionError(f"the connection has ended: {self._problem}")
                    break
                taken.append(message)
        return taken

    def _next(self):
        return self._messages.get_nowait()

    def send(self, **message):
        """Send one line; any thread may."""
        with self._sending:
            self._socket.sendall(json.dumps(message).encode() + b"\n")

    def close(self):
        """End the connection: say that nothing follows, wait for the broker to do so, and close.

        A socket that is closed while it has data to read would take back what it has just sent.
        """
        thread = getattr(self, "_thread", None)
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)
        if thread is not None:
            thread.join(1)
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        with suppress(OSError):
            self._socket.close()
        if thread is not None:
            thread.join(1)


def _check(data):
    if not data:
        raise ConnectionError("the broker ended the connection")


class PushSourceConnector(SourceConnector):
    """A client has one connection, so there is one task."""

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
        return PushSourceTask

    def task_configs(self, max_tasks):
        return [dict(self._props)]

    def stop(self):
        pass

    def alter_offsets(self, props, offsets):
        raise ConnectError(
            "the broker remembers which messages were acknowledged; there are no offsets to change",
            code="pushline.offsets",
        )


class PushSourceTask(SourceTask):
    """Messages that Kafka has are acknowledged once, and dropped if they come again."""

    def __init__(self):
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._session = None
        self._unsaid = set()
        self._taken = set()
        self._said = OrderedDict()

    def version(self):
        return VERSION

    def start(self, props):
        self._config = CONFIG.parse(props)
        self._stopping.clear()

    def poll(self):
        if self._stopping.is_set():
            return None
        try:
            session = self._connected()
            messages = session.take(self._config["push.batch"], 0.5)
            self._acknowledge()
        except (OSError, ValueError) as error:
            self._disconnect()
            if self._stopping.is_set():
                return None
            self._stopping.wait(0.05)
            host, port = self._config["push.host"], self._config["push.port"]
            raise RetriableError(
                f"no messages from {host}:{port}: {error}",
                code="pushline.connection",
                facts={"host": host, "port": port},
            ) from error
        return [self._record(message) for message in self._unknown(messages)] or None

    def commit_record(self, record, metadata):
        with self._lock:
            self._unsaid.add(record.source_offset["id"])
        with suppress(OSError):  # poll notices it, and says it on the next connection
            self._acknowledge()

    def stop(self):
        self._stopping.set()
        with suppress(OSError):
            self._acknowledge()
        self._disconnect()

    def _unknown(self, messages):
        """Without those that were returned before, on a connection that has ended."""
        with self._lock:
            known = {*self._taken, *self._said}
            self._unsaid.update(each["id"] for each in messages if each["id"] in self._said)
            new = [message for message in messages if message["id"] not in known]
            self._taken.update(message["id"] for message in new)
        return new

    def _acknowledge(self):
        """Say which messages Kafka has; those that could not be said are said again."""
        session = self._session
        with self._lock:
            said = set(self._unsaid)
        if said and session is not None:
            session.send(op="ack", ids=sorted(said))
            with self._lock:
                self._unsaid -= said
                self._taken -= said
                self._said.update(dict.fromkeys(said))
                while len(self._said) > self._config["push.window"]:
                    self._said.popitem(last=False)

    def _record(self, message):
        return SourceRecord(
            {"client": self._config["push.client"]},
            {"id": message["id"]},
            self._config["topic"],
            message["body"],
            STRING_SCHEMA,
            timestamp=message["at"],
        )

    def _connected(self):
        if self._session is None:
            self._session = Session(self._config)
            if self._stopping.is_set():
                raise ConnectionAbortedError("the task was stopped")
        return self._session

    def _disconnect(self):
        session, self._session = self._session, None
        if session is not None:
            session.close()
