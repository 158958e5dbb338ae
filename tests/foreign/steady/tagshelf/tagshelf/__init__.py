"""Keeps the latest value of each key in a store of documents over HTTP, which has entity tags.

A document says which record it is from. Every change names the tag of the document that it is made
to, so nothing is overwritten that was not seen, and an older record never replaces a newer one.
"""

from __future__ import annotations

import http.client
import json
import math
import threading
from urllib.parse import quote, urlsplit

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
)

VERSION = "1.3.0"
BUSY = {408, 425, 429, 500, 502, 503, 504}
BAD = {400, 413, 422}
ATTEMPTS = 5


def _check_url(name, value):
    parts = urlsplit(value or "")
    if parts.scheme != "http" or not parts.hostname or "@" in parts.netloc:
        raise ConfigError(
            f"{name} must be an http address without a user or a password", code="tagshelf.url"
        )


CONFIG = (
    ConfigDef()
    .define(
        "shelf.url",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(_check_url, lambda: "http address"),
        documentation="Address of the store.",
    )
    .define(
        "shelf.token",
        ConfigType.PASSWORD,
        importance=Importance.HIGH,
        documentation="Token that is sent with each request.",
    )
    .define(
        "shelf.agent",
        ConfigType.STRING,
        default="tagshelf",
        importance=Importance.LOW,
        validator=NonEmptyString(),
        documentation="Name by which the store knows its clients.",
    )
    .define(
        "request.timeout.ms",
        ConfigType.INT,
        default=10_000,
        importance=Importance.LOW,
        validator=Range.between(10, 300_000),
        documentation="How long an answer may take.",
    )
)


class TagShelfSinkConnector(SinkConnector):
    """Any number of tasks write."""

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
        return TagShelfSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class TagShelfSinkTask(SinkTask):
    """What was put is in the store when put returns, so there is nothing to flush."""

    def __init__(self):
        self._lock = threading.Lock()
        self._connection = None

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._url = urlsplit(config["shelf.url"])
        self._timeout = config["request.timeout.ms"] / 1000
        self._headers = {
            "Authorization": f"Bearer {config['shelf.token'].value}",
            "User-Agent": config["shelf.agent"],
        }

    def put(self, records):
        reporter = self.context.errant_record_reporter()
        latest, bad = {}, []
        for record in records:
            try:
                change = _change(record)
            except DataError as error:
                bad.append((record, error))
                if reporter is None:
                    raise
                continue
            latest.pop(change[0], None)
            latest[change[0]] = (record, change[1])
        with self._lock:
            for path, (record, document) in latest.items():
                try:
                    self._apply(path, record, document)
                except DataError as error:
                    if reporter is None:
                        raise
                    bad.append((record, error))
        for record, error in bad:
            reporter.report(record, error)

    def stop(self):
        with self._lock:
            self._leave()

    def _apply(self, path, record, document):
        """Bring a key up to date, unless the store has a newer record of the same partition."""
        for _ in range(ATTEMPTS):
            tag, present = self._get(path, record)
            if present is not None and _is_newer(present, record):
                return
            if document is None:
                if tag is None or self._send("DELETE", path, record, {"If-Match": tag}):
                    return
                continue
            condition = {"If-None-Match": "*"} if tag is None else {"If-Match": tag}
            if self._send("PUT", path, record, condition, json.dumps(document).encode()):
                return
        raise RetriableError(
            f"{path} is changed by others all the time", code="tagshelf.contention"
        )

    def _get(self, path, record):
        """The tag and the document of a key, ``None`` for what the store does not have."""
        status, headers, body = self._ask("GET", path, {})
        if status == 404:
            return None, None
        if status != 200:
            raise self._refusal("read", path, record, status, headers, body)
        try:
            document = json.loads(body)
        except ValueError as error:
            raise RetriableError(
                f"{self._where(path)} is no document: {error}", code="tagshelf.document"
            ) from error
        return headers["ETag"], document if isinstance(document, dict) else {}

    def _send(self, method, path, record, condition, content=None):
        """Whether the change was made; if not, somebody else was faster."""
        status, headers, body = self._ask(method, path, condition, content)
        if status in {200, 201, 204}:
            return True
        if status == 412 or (method == "DELETE" and status == 404):
            return False
        raise self._refusal("write", path, record, status, headers, body)

    def _ask(self, method, path, condition, content=None):
        headers = {**self._headers, **condition}
        if content is not None:
            headers["Content-Type"] = "application/json"
        try:
            if self._connection is None:
                self._connection = http.client.HTTPConnection(
                    self._url.netloc, timeout=self._timeout
                )
            self._connection.request(method, self._url.path.rstrip("/") + path, content, headers)
            answer = self._connection.getresponse()
            return answer.status, answer.headers, answer.read()
        except (OSError, http.client.HTTPException) as error:
            self._leave()
            raise RetriableError(
                f"{self._where(path)} cannot be reached: {type(error).__name__}: {error}",
                code="tagshelf.connection",
                facts={"url": self._url.geturl()},
            ) from error

    def _refusal(self, verb, path, record, status, headers, body):
        """The error for an answer; the store says how long it wants to be left alone."""
        said = body.decode("utf-8", "replace")[:300]
        text = f"cannot {verb} {self._where(path)} for {_place(record)}: {status} {said}"
        facts = {"url": self._url.geturl(), "status": status}
        if status in BAD:
            return DataError(text, code="tagshelf.refused", facts=facts)
        if status not in BUSY:
            return ConnectError(text, code="tagshelf.denied", facts=facts)
        wait = headers.get("Retry-After", "")
        if wait.isdecimal():
            self.context.timeout(int(wait) * 1000)
        return RetriableError(text, code="tagshelf.busy", facts=facts)

    def _where(self, path):
        return f"{self._url.geturl().rstrip('/')}{path}"

    def _leave(self):
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _is_newer(present, record):
    """Whether a document is from the same partition, and from this record or a later one."""
    source = present.get("source")
    if not isinstance(source, dict):
        return False
    same = (source.get("topic"), source.get("partition")) == (
        record.original_topic,
        record.original_kafka_partition,
    )
    return same and source.get("offset", -1) >= record.original_kafka_offset


def _change(record):
    """The path of the key of a record, and its document; ``None`` removes it."""
    where = _place(record)
    if record.key is None:
        raise DataError(f"a key is needed, found none at {where}", code="tagshelf.key")
    key = json.dumps(_plain(record.key, where), sort_keys=True)
    path = f"/{quote(record.topic, safe='')}/{quote(key, safe='')}"
    if record.value is None:
        return path, None
    return path, {
        "value": _plain(record.value, where),
        "time": record.timestamp,
        "source": {
            "topic": record.original_topic,
            "partition": record.original_kafka_partition,
            "offset": record.original_kafka_offset,
        },
    }


def _place(record):
    return (
        f"{record.original_topic}-{record.original_kafka_partition}@{record.original_kafka_offset}"
    )


def _plain(value, where):
    """A value as JSON has it."""
    match value:
        case None | bool() | int() | str():
            return value
        case float() if math.isfinite(value):
            return value
        case list() | tuple():
            return [_plain(each, where) for each in value]
        case dict() if all(isinstance(name, str) for name in value):
            return {name: _plain(each, where) for name, each in value.items()}
    raise DataError(
        f"a document cannot hold {type(value).__name__} {str(value)[:60]!r} at {where}",
        code="tagshelf.value",
        hint="use a converter or a transformation that makes JSON of it",
    )
