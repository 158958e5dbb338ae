"""Indexes records in a search engine through its bulk endpoint.

The key of a record is the id of its document, and its offset the version. So a batch that comes
again changes nothing, and an item that is sent once more does not replace a later one.
"""

from __future__ import annotations

import http.client
import json
import math
import threading
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from urllib.parse import urlsplit

from plugwright import (
    ConfigDef,
    ConfigError,
    ConfigType,
    ConnectError,
    DataError,
    Importance,
    Password,
    Range,
    RetriableError,
    SinkConnector,
    SinkRecord,
    SinkTask,
    Struct,
)

VERSION = "1.8.0"
BUSY = {408, 429, 502, 503, 504}
DENIED = {401, 403}
NOT_FOUND = 404
CONFLICT = 409


def _http_url(name, value):
    parts = urlsplit(value or "")
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username:
        raise ConfigError(
            f"Invalid value for configuration {name}: http://host:port is needed, without a user",
            code="bulkindex.url",
        )


CONFIG = (
    ConfigDef()
    .define(
        "index.url",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=_http_url,
        documentation="Address of the search engine; a topic is an index.",
    )
    .define(
        "index.api.key",
        ConfigType.PASSWORD,
        importance=Importance.HIGH,
        documentation="Key that the search engine asks for.",
    )
    .define(
        "index.batch.size",
        ConfigType.INT,
        default=500,
        importance=Importance.MEDIUM,
        validator=Range.between(1, 10000),
        documentation="How many documents a request has at most.",
    )
    .define(
        "index.retries",
        ConfigType.INT,
        default=4,
        importance=Importance.LOW,
        validator=Range.at_least(0),
        documentation="How often rejected documents are sent again before the batch is.",
    )
    .define(
        "index.backoff.ms",
        ConfigType.INT,
        default=20,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="How long to wait before the first repetition; it doubles each time.",
    )
    .define(
        "index.timeout.ms",
        ConfigType.INT,
        default=5000,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="How long to wait for an answer.",
    )
)


@dataclass(frozen=True)
class Action:
    """What to do with the document of a record; without a source it is deleted."""

    record: SinkRecord
    id: str
    source: dict | None

    @property
    def deletes(self):
        return self.source is None

    def lines(self):
        head = {
            "_index": self.record.topic,
            "_id": self.id,
            "version": self.record.original_kafka_offset,
            "version_type": "external",
        }
        if self.deletes:
            return [json.dumps({"delete": head})]
        return [json.dumps({"index": head}), json.dumps(self.source)]

    def is_done(self, status):
        if status == CONFLICT:  # this version, or a later one, is there already
            return True
        if status == NOT_FOUND:
            return self.deletes
        return status < 300


@dataclass(frozen=True)
class Engine:
    """The search engine; each request has a connection of its own."""

    url: str
    key: Password
    timeout: float

    def bulk(self, actions):
        """Send actions; each has a status and a reason in the result."""
        body = "".join(line + "\n" for action in actions for line in action.lines())
        status, answer = self._post("/_bulk", body.encode())
        if status in BUSY:
            raise RetriableError(f"{self.url} answered {status}", code="bulkindex.busy")
        if status != 200:
            raise ConnectError(
                f"{self.url} answered {status}",
                code="bulkindex.refused",
                hint="check index.url and index.api.key",
                facts={"status": status},
            )
        try:
            items = [next(iter(item.values())) for item in json.loads(answer)["items"]]
            results = [(item["status"], (item.get("error") or {}).get("reason")) for item in items]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ConnectError(
                f"{self.url} did not answer with items: {error}", code="bulkindex.answer"
            ) from error
        if len(results) != len(actions):
            raise ConnectError(
                f"{self.url} answered for {len(results)} of {len(actions)} documents",
                code="bulkindex.answer",
            )
        return results

    def _post(self, path, body):
        parts = urlsplit(self.url)
        kind = (
            http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        )
        connection = kind(parts.hostname, parts.port, timeout=self.timeout)
        headers = {
            "Authorization": f"ApiKey {self.key.value}",
            "Content-Type": "application/x-ndjson",
        }
        try:
            connection.request("POST", parts.path.rstrip("/") + path, body=body, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise RetriableError(
                f"cannot reach {self.url}: {error}", code="bulkindex.unreachable"
            ) from error
        finally:
            connection.close()


class BulkIndexSinkConnector(SinkConnector):
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
        return BulkIndexSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class BulkIndexSinkTask(SinkTask):
    """Everything that was put is indexed when put returns, so there is nothing to flush."""

    def __init__(self):
        self._stopping = threading.Event()

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._stopping.clear()
        self._size = config["index.batch.size"]
        self._retries = config["index.retries"]
        self._backoff = config["index.backoff.ms"] / 1000
        self._engine = Engine(
            config["index.url"].rstrip("/"),
            config["index.api.key"],
            config["index.timeout.ms"] / 1000,
        )

    def put(self, records):
        if not records:
            return
        reporter = self.context.errant_record_reporter()
        bad = []
        actions = []
        for record in records:
            try:
                actions.append(_action(record))
            except DataError as error:
                if reporter is None:
                    raise
                bad.append((record, error))
        for begin in range(0, len(actions), self._size):
            bad += self._index(actions[begin : begin + self._size])
        if bad and reporter is None:
            raise bad[0][1]
        for record, error in bad:
            reporter.report(record, error)

    def stop(self):
        self._stopping.set()

    def _index(self, actions):
        """Index documents, those which were rejected for lack of room several times."""
        bad = []
        delay = self._backoff
        for _ in range(self._retries + 1):
            actions = self._attempt(actions, bad)
            if not actions:
                return bad
            if self._stopping.wait(delay):
                break
            delay *= 2
        raise RetriableError(
            f"{self._engine.url} is too busy for {len(actions)} documents", code="bulkindex.busy"
        )

    def _attempt(self, actions, bad):
        """Send actions, add bad ones to a list, and return those to send again."""
        again = []
        for action, (status, reason) in zip(actions, self._engine.bulk(actions), strict=True):
            if action.is_done(status):
                continue
            problem = f"{_where(action.record)} was answered with {status}: {reason}"
            if status in BUSY:
                again.append(action)
            elif status in DENIED or status >= 500:
                raise ConnectError(problem, code="bulkindex.refused", facts={"status": status})
            else:
                bad.append((action.record, DataError(problem, code="bulkindex.document")))
        return again


def _where(record):
    return (
        f"{record.original_topic}-{record.original_kafka_partition}@{record.original_kafka_offset}"
    )


def _action(record):
    if isinstance(record.key, bool) or not isinstance(record.key, str | int):
        raise DataError(
            f"an id is made of a text or a whole number, found {type(record.key).__name__} as key"
            f" of {_where(record)}",
            code="bulkindex.key",
        )
    return Action(record, str(record.key), _source(record))


def _source(record):
    """The fields of the document, or None for a tombstone."""
    if record.value is None:
        return None
    if not isinstance(record.value, Struct):
        raise DataError(
            f"a document is made of a struct, found {type(record.value).__name__} at"
            f" {_where(record)}",
            code="bulkindex.value",
        )
    record.value.validate()
    return {name: _plain(record.value[name], name, record) for name in record.value}


def _plain(value, name, record):
    """A value as JSON has it: decimals as text, since engines parse numbers as doubles."""
    match value:
        case None | bool() | int() | str():
            return value
        case float() if math.isfinite(value):
            return value
        case Decimal():
            return format(value, "f")
        case datetime():
            return value.astimezone(UTC).isoformat(timespec="milliseconds")
        case date():
            return value.isoformat()
    raise DataError(
        f"field {name} of {_where(record)} cannot be indexed: {type(value).__name__}",
        code="bulkindex.field",
    )
