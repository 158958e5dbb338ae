"""Takes messages from a queue that holds what it gave out until it is deleted.

The service keeps the position: a message is deleted when Kafka has its record. What was given out
and never deleted is given out again, at once to the consumer that had it, later to any other.
"""

from __future__ import annotations

import http.client
import json
import logging
import threading
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from plugwright import (
    STRING_SCHEMA,
    ConfigDef,
    ConfigError,
    ConfigType,
    ConnectError,
    DataError,
    Headers,
    Importance,
    NonEmptyString,
    Password,
    Range,
    RetriableError,
    SourceConnector,
    SourceRecord,
    SourceTask,
)

VERSION = "1.1.6"
BUSY = {408, 425, 429, 500, 502, 503, 504}
LOG = logging.getLogger(__name__)


def _http_url(name, value):
    parts = urlsplit(value or "")
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username:
        raise ConfigError(
            f"Invalid value for configuration {name}: http://host:port is needed, without a user",
            code="holdqueue.url",
        )


CONFIG = (
    ConfigDef()
    .define(
        "queue.url",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=_http_url,
        documentation="Address of the service.",
    )
    .define(
        "queue.name",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Name of the queue.",
    )
    .define(
        "queue.token",
        ConfigType.PASSWORD,
        importance=Importance.HIGH,
        documentation="Token that the service asks for.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic of the records.",
    )
    .define(
        "queue.consumer",
        ConfigType.STRING,
        default="connect",
        importance=Importance.MEDIUM,
        validator=NonEmptyString(),
        documentation="Name by which the queue knows this connector; tasks add their number.",
    )
    .define(
        "queue.batch.size",
        ConfigType.INT,
        default=10,
        importance=Importance.LOW,
        validator=Range.between(1, 100),
        documentation="How many messages to ask for, and to delete with one request.",
    )
    .define(
        "queue.hold.ms",
        ConfigType.INT,
        default=30000,
        importance=Importance.MEDIUM,
        validator=Range.at_least(1000),
        documentation="How long a message is kept from other consumers.",
    )
    .define(
        "queue.interval.ms",
        ConfigType.INT,
        default=100,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="How long to wait when the queue is empty, and after a failure.",
    )
    .define(
        "queue.timeout.ms",
        ConfigType.INT,
        default=5000,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="How long to wait for an answer.",
    )
)


@dataclass(frozen=True)
class Queue:
    """The service; each request has a connection of its own, so any thread may ask."""

    url: str
    name: str
    token: Password
    consumer: str
    timeout: float

    def release(self):
        """Give back what this consumer held when it ended."""
        self._ask("release", {"consumer": self.consumer})

    def receive(self, count, hold):
        wish = {"consumer": self.consumer, "max": count, "hold": hold}
        return list(self._ask("receive", wish)["messages"])

    def delete(self, receipts):
        """Delete messages; receipts for which that failed are returned."""
        return set(self._ask("delete", {"receipts": receipts})["failed"])

    def _ask(self, verb, content):
        status, body = self._post(verb, json.dumps(content).encode())
        if status in BUSY:
            raise RetriableError(f"{self.url} answered {status}", code="holdqueue.busy")
        if status != 200:
            raise ConnectError(
                f"{self.url} answered {status}",
                code="holdqueue.refused",
                hint="check queue.name and queue.token",
                facts={"status": status},
            )
        try:
            return json.loads(body)
        except ValueError as error:
            raise ConnectError(
                f"{self.url} did not answer with JSON: {error}", code="holdqueue.answer"
            ) from error

    def _post(self, verb, body):
        parts = urlsplit(self.url)
        kind = (
            http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        )
        connection = kind(parts.hostname, parts.port, timeout=self.timeout)
        path = f"{parts.path.rstrip('/')}/queues/{quote(self.name, safe='')}/{verb}"
        try:
            connection.request("POST", path, body=body, headers={"X-Token": self.token.value})
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise RetriableError(
                f"cannot reach {self.url}: {error}", code="holdqueue.unreachable"
            ) from error
        finally:
            connection.close()


class HoldQueueSourceConnector(SourceConnector):
    """Tasks compete for the messages of one queue."""

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
        return HoldQueueSourceTask

    def task_configs(self, max_tasks):
        name = CONFIG.parse(self._props)["queue.consumer"]
        return [
            {**self._props, "queue.consumer": f"{name}-{number}"} for number in range(max_tasks)
        ]

    def stop(self):
        pass


class HoldQueueSourceTask(SourceTask):
    def __init__(self):
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._queue = None
        self._held = {}
        self._done = []

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._stopping.clear()
        self._topic = config["topic"]
        self._size = config["queue.batch.size"]
        self._hold = config["queue.hold.ms"]
        self._interval = config["queue.interval.ms"] / 1000
        self._fresh = True
        self._problem = None
        token = config["queue.token"]
        self._queue = Queue(
            config["queue.url"],
            config["queue.name"],
            token,
            config["queue.consumer"],
            config["queue.timeout.ms"] / 1000,
        )

    def poll(self):
        if self._problem is not None:
            raise self._problem
        try:
            if self._fresh:
                self._queue.release()
                self._fresh = False
            self._delete()
            messages = self._queue.receive(self._size, self._hold)
        except RetriableError:
            self._stopping.wait(self._interval)
            raise
        records = self._records(messages)
        if not records:
            self._stopping.wait(self._interval)
        return records or None

    def commit_record(self, record, metadata):
        with self._lock:
            receipt = self._held.pop(record.source_offset["message"], None)
            if receipt is not None:
                self._done.append(receipt)

    def commit(self):
        self._delete_if_possible()

    def stop(self):
        self._stopping.set()
        if self._queue is not None:
            self._delete_if_possible()

    def _delete_if_possible(self):
        try:
            self._delete()
        except ConnectError as error:
            LOG.warning("messages are deleted later: %s", error)

    def _delete(self):
        """Delete the messages that Kafka has; those that fail stay for the next time."""
        with self._lock:
            receipts = list(self._done)
        for begin in range(0, len(receipts), self._size):
            part = receipts[begin : begin + self._size]
            failed = self._queue.delete(part)
            with self._lock:
                for receipt in part:
                    if receipt not in failed:
                        with suppress(ValueError):  # another thread was faster
                            self._done.remove(receipt)

    def _records(self, messages):
        records = []
        for message in messages:
            number = str(message["id"])
            with self._lock:
                known = number in self._held
                self._held[number] = message["receipt"]
            if known:  # it was held for too long; its record is on the way
                continue
            try:
                records.append(self._record(message, number))
            except DataError as error:
                if not records:
                    raise
                self._problem = error
                break
        return records

    def _record(self, message, number):
        body = message["body"]
        if not isinstance(body, str):
            raise DataError(
                f"message {number} of {self._queue.name} has to be text, found"
                f" {type(body).__name__}",
                code="holdqueue.message",
            )
        headers = Headers().add_string("message", number)
        for name, value in message["attributes"].items():
            headers.add_string(name, value)
        return SourceRecord(
            {"queue": self._queue.name},
            {"message": number},
            self._topic,
            body,
            STRING_SCHEMA,
            key=message["group"],
            key_schema=STRING_SCHEMA,
            timestamp=message["sent"],
            headers=headers,
        )
