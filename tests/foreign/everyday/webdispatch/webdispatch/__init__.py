"""Posts records to a web hook, many with each request.

The hook answers for each item: it is accepted, it is busy and wants the item again, or it rejects
the item for good. Items that were accepted are not sent again. Rejected ones go to the dead-letter
queue if there is one.
"""

from __future__ import annotations

import json
import math
import threading
from http.client import HTTPConnection, HTTPException, HTTPSConnection
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
    SinkTask,
    Struct,
)

VERSION = "0.9.3"
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})

DEFINITIONS = [
    ("hook.token", ConfigType.PASSWORD, None, None, "Secret that the hook asks for."),
    ("hook.batch.size", ConfigType.INT, 50, Range.between(1, 1000), "Most items of a request."),
    ("hook.retries", ConfigType.INT, 5, Range.at_least(0), "How often to send again at once."),
    ("hook.backoff.ms", ConfigType.INT, 100, Range.at_least(1), "First pause; it doubles."),
    ("hook.timeout.ms", ConfigType.INT, 5000, Range.at_least(1), "How long to wait for answers."),
]


def _hook_url(name, value):
    parts = urlsplit(value or "")
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username:
        raise ConfigError(
            f"Invalid value for configuration {name}: the address of a web hook is needed, without"
            " a user or a password",
            code="webdispatch.url",
        )


def _config():
    config = ConfigDef().define(
        "hook.url",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=_hook_url,
        documentation="Address of the web hook.",
    )
    for name, kind, default, validator, text in DEFINITIONS:
        options = {} if default is None else {"default": default}
        config.define(
            name,
            kind,
            importance=Importance.HIGH if default is None else Importance.LOW,
            validator=validator,
            documentation=text,
            **options,
        )
    return config


CONFIG = _config()


class WebDispatchSinkConnector(SinkConnector):
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
        return WebDispatchSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        self._props = {}


class Hook:
    """The web hook, over one connection that is made anew after a failure."""

    def __init__(self, url: str, token: Password, timeout: float):
        self.url = url
        self._token = token
        self._timeout = timeout
        self._connection = None

    def post(self, items):
        """Send items; the result has a pair of status and reason for each."""
        status, body = self._exchange(json.dumps({"items": items}).encode())
        if status in PASSING:
            raise RetriableError(f"{self.url} answered {status}", code="webdispatch.busy")
        if status != 200:
            raise ConnectError(
                f"{self.url} answered {status}",
                code="webdispatch.refused",
                hint="check hook.url and hook.token",
                facts={"status": status},
            )
        try:
            results = [(each["status"], each.get("reason")) for each in json.loads(body)["results"]]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ConnectError(
                f"{self.url} answered something else than results", code="webdispatch.answer"
            ) from error
        if len(results) != len(items):
            raise ConnectError(
                f"{self.url} answered for {len(results)} of {len(items)} items",
                code="webdispatch.answer",
            )
        return results

    def close(self):
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _exchange(self, body):
        headers = {
            "Authorization": f"Bearer {self._token.value}",
            "Content-Type": "application/json",
        }
        fresh = self._connection is None
        try:
            return self._request(body, headers)
        except (OSError, HTTPException) as error:
            self.close()
            if not fresh and not isinstance(error, TimeoutError):
                return self._exchange(body)  # the hook had closed the connection meanwhile
            raise RetriableError(
                f"cannot reach {self.url}: {error}", code="webdispatch.unreachable"
            ) from error

    def _request(self, body, headers):
        parts = urlsplit(self.url)
        if self._connection is None:
            kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
            self._connection = kind(parts.hostname, parts.port, timeout=self._timeout)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._connection.request("POST", target, body=body, headers=headers)
        answer = self._connection.getresponse()
        return answer.status, answer.read()


class WebDispatchSinkTask(SinkTask):
    """All that was put is accepted when put returns."""

    def __init__(self):
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._hook = None

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._stopping.clear()
        self._size = config["hook.batch.size"]
        self._retries = config["hook.retries"]
        self._backoff = config["hook.backoff.ms"] / 1000
        self._hook = Hook(
            config["hook.url"], config["hook.token"], config["hook.timeout.ms"] / 1000
        )

    def put(self, records):
        reporter = self.context.errant_record_reporter()
        good, bad = [], []
        for record in records:
            try:
                good.append((record, _item(record)))
            except DataError as error:
                bad.append((record, error))
        if bad and reporter is None:
            raise bad[0][1]
        for begin in range(0, len(good), self._size):
            with self._lock:
                bad += self._send(good[begin : begin + self._size])
        if bad and reporter is None:
            raise bad[0][1]
        for record, error in bad:
            reporter.report(record, error)

    def stop(self):
        self._stopping.set()
        with self._lock:
            if self._hook is not None:
                self._hook.close()

    def _send(self, pairs):
        """Send until the hook has decided on every item; the result are rejected ones."""
        rejected = []
        pause = self._backoff
        for attempt in range(self._retries + 1):
            try:
                pairs = self._attempt(pairs, rejected)
            except RetriableError:
                if attempt == self._retries:
                    raise
            if not pairs:
                return rejected
            if self._stopping.wait(pause):
                break
            pause *= 2
        raise RetriableError(
            f"{self._hook.url} did not take {len(pairs)} items", code="webdispatch.busy"
        )

    def _attempt(self, pairs, rejected):
        """Send once, add what is rejected to a list, and return what is to be sent again."""
        again = []
        results = self._hook.post([item for _, item in pairs])
        for (record, item), (status, reason) in zip(pairs, results, strict=True):
            if status == "busy":
                again.append((record, item))
            elif status != "accepted":
                error = DataError(
                    f"the hook rejected {_where(record)}: {reason}",
                    code="webdispatch.rejected",
                    facts={"topic": record.original_topic},
                )
                rejected.append((record, error))
        return again


def _where(record):
    return (
        f"{record.original_topic}-{record.original_kafka_partition}@{record.original_kafka_offset}"
    )


def _item(record):
    if record.value is None:
        raise DataError(f"{_where(record)} has no value to post", code="webdispatch.tombstone")
    return {
        "topic": record.topic,
        "key": None if record.key is None else _plain(record.key, record),
        "time": record.timestamp,
        "value": _plain(record.value, record),
    }


def _plain(value, record):
    match value:
        case None | bool() | int() | str():
            return value
        case float() if math.isfinite(value):
            return value
        case Struct():
            return {name: _plain(value.get_without_default(name), record) for name in value}
        case list() | tuple():
            return [_plain(each, record) for each in value]
        case dict() if all(isinstance(name, str) for name in value):
            return {name: _plain(each, record) for name, each in value.items()}
    raise DataError(
        f"{_where(record)} cannot be posted as JSON: it has a {type(value).__name__}",
        code="webdispatch.value",
        facts={"type": type(value).__name__},
    )
