"""Posts records to an HTTP endpoint, in batches, from a thread of its own."""

from __future__ import annotations

import base64
import http.client
import json
import logging
import threading
from urllib.parse import urlsplit

from plugwright import (
    ConfigDef,
    ConfigError,
    ConfigType,
    ConnectError,
    DataError,
    Importance,
    Range,
    RetriableError,
    SinkConnector,
    SinkTask,
    TopicPartition,
)

VERSION = "0.4.0"
LOG = logging.getLogger(__name__)
BUSY = {408, 425, 429, 500, 502, 503, 504}
PAUSE_S = 0.1
LONGEST_PAUSE_S = 2.0


def _http_url(name, value):
    parts = urlsplit(value or "")
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ConfigError(
            f"Invalid value {value} for configuration {name}: an address with http:// or https://"
            " is needed",
            code="hookpost.url",
        )


CONFIG = (
    ConfigDef()
    .define(
        "hook.url",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=_http_url,
        documentation="Address that takes a list of items, and answers with a status for each.",
    )
    .define(
        "hook.token",
        ConfigType.PASSWORD,
        importance=Importance.HIGH,
        documentation="Token that the endpoint asks for.",
    )
    .define(
        "hook.batch.records",
        ConfigType.INT,
        default=50,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most items in a request.",
    )
    .define(
        "hook.max.pending",
        ConfigType.INT,
        default=2000,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="How many records may wait before no more are taken.",
    )
    .define(
        "hook.wait.ms",
        ConfigType.INT,
        default=3000,
        importance=Importance.LOW,
        validator=Range.at_least(0),
        documentation="How long to wait for room, and for waiting records at a commit.",
    )
    .define(
        "hook.timeout.ms",
        ConfigType.INT,
        default=5000,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="How long to wait for an answer.",
    )
)


class HookPostSinkConnector(SinkConnector):
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
        return HookPostSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class Pending:
    """A record that waits to be sent."""

    def __init__(self, record):
        self.record = record
        self.place = TopicPartition(record.original_topic, record.original_kafka_partition)
        self.offset = record.original_kafka_offset
        self.body = _body(record)


class HookPostSinkTask(SinkTask):
    """``put`` hands records to the sender, and ``pre_commit`` returns how far it has come.

    All attributes that both threads use are guarded by ``_changed``.
    """

    def __init__(self):
        self._changed = threading.Condition()
        self._sender = None

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._url = config["hook.url"]
        self._token = config["hook.token"]
        self._size = config["hook.batch.records"]
        self._most = config["hook.max.pending"]
        self._wait = config["hook.wait.ms"] / 1000
        self._timeout = config["hook.timeout.ms"] / 1000
        self._waiting = []
        self._refused = []
        self._trouble = None
        self._failure = None
        self._stopping = False
        self._sender = threading.Thread(target=self._send_all, name="hookpost-sender", daemon=True)
        self._sender.start()

    def put(self, records):
        with self._changed:
            self._changed.wait_for(self._takes_more, self._wait)
            self._report_refused()
            self._raise_failure()
            if not self._takes_more():
                raise RetriableError(
                    str(self._trouble or f"{self._url} is slow: {len(self._waiting)} records wait"),
                    code="hookpost.busy",
                )
            self._waiting += self._good(records)
            self._changed.notify_all()

    def pre_commit(self, offsets):
        """What was sent; an offset stays behind while a record of its partition waits."""
        with self._changed:
            self._changed.wait_for(lambda: self._failure or not self._waiting, self._wait)
            self._report_refused()
            self._raise_failure()
            safe = dict(offsets)
            for each in self._waiting:
                if each.place in safe:
                    safe[each.place] = min(safe[each.place], each.offset)
        return safe

    def close(self, partitions):
        lost = set(partitions)
        with self._changed:
            self._waiting = [each for each in self._waiting if each.place not in lost]
            self._refused = [each for each in self._refused if each[0].place not in lost]

    def stop(self):
        """End the sender; records that wait are not committed, so another task gets them."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        if self._sender is not None:
            self._sender.join()
            self._sender = None

    def _takes_more(self):
        room = not self._trouble and len(self._waiting) < self._most
        return room or self._failure is not None

    def _raise_failure(self):
        if self._failure is not None:
            raise self._failure

    def _good(self, records):
        good = []
        for record in records:
            try:
                good.append(Pending(record))
            except DataError as error:
                self._report(record, error)
        return good

    def _report_refused(self):
        """In the thread of the task, whose reporter it is."""
        refused, self._refused = self._refused, []
        for each, error in refused:
            self._report(each.record, error)

    def _report(self, record, error):
        reporter = self.context.errant_record_reporter()
        if reporter is None:
            self._failure = error
            raise error
        reporter.report(record, error)

    def _send_all(self):
        pause = PAUSE_S
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._stopping or self._waiting)
                if self._stopping:
                    return
                batch = self._waiting[: self._size]
            try:
                done, refused = self._send(batch)
                trouble = None
            except RetriableError as error:
                LOG.warning("%s; %d records wait", error, len(batch))
                done, refused, trouble = [], [], error
            except Exception as error:
                with self._changed:
                    self._failure = error
                    self._changed.notify_all()
                return
            with self._changed:
                gone = {id(each) for each in done} | {id(each) for each, _ in refused}
                self._waiting = [each for each in self._waiting if id(each) not in gone]
                self._refused += refused
                self._trouble = trouble
                self._changed.notify_all()
                if gone:
                    pause = PAUSE_S
                else:
                    self._changed.wait_for(lambda: self._stopping, pause)
                    pause = min(2 * pause, LONGEST_PAUSE_S)

    def _send(self, batch):
        """The items that were taken, and those that never will be, with errors."""
        status, answer = self._post(json.dumps([each.body for each in batch]).encode())
        if status in BUSY:
            raise RetriableError(f"{self._url} answered {status}", code="hookpost.busy")
        if status not in {200, 207}:
            raise ConnectError(
                f"{self._url} answered {status}",
                code="hookpost.refused",
                hint="check hook.url and hook.token",
                facts={"status": status},
            )
        try:
            results = [int(each) for each in json.loads(answer)["results"]]
            pairs = list(zip(batch, results, strict=True))
        except (ValueError, KeyError, TypeError) as error:
            raise ConnectError(
                f"{self._url} did not answer with a status for each item: {error}",
                code="hookpost.answer",
            ) from error
        done = [each for each, result in pairs if result < 300]
        refused = [
            (each, DataError(f"{self._url} answered {result} for an item", code="hookpost.item"))
            for each, result in pairs
            if result >= 300 and result not in BUSY
        ]
        return done, refused

    def _post(self, body):
        parts = urlsplit(self._url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        headers = {
            "Authorization": f"Bearer {self._token.value}",
            "Content-Type": "application/json",
        }
        connection = kind(parts.hostname, parts.port, timeout=self._timeout)
        try:
            connection.request("POST", parts.path or "/", body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise RetriableError(
                f"cannot reach {self._url}: {error}", code="hookpost.unreachable"
            ) from error
        finally:
            connection.close()


def _body(record):
    return {
        "topic": record.topic,
        "key": _plain(record.key, record),
        "value": _plain(record.value, record),
        "timestamp": record.timestamp,
        "headers": [[each.key, _plain(each.value, record)] for each in record.headers],
    }


def _plain(value, record):
    """A value as JSON has it; bytes are an object with their Base64."""
    match value:
        case None | bool() | int() | str():
            return value
        case float() if value - value == 0:
            return value
        case bytes() | bytearray() | memoryview():
            return {"base64": base64.b64encode(value).decode("ascii")}
        case list():
            return [_plain(each, record) for each in value]
    raise DataError(
        f"cannot post {type(value).__name__} of the record at {record.original_topic}-"
        f"{record.original_kafka_partition}@{record.original_kafka_offset}",
        code="hookpost.value",
        facts={"type": type(value).__name__},
    )
