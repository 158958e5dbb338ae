"""Posts batches of events to a hook over HTTP, which knows an event by its id.

The id of an event is the place of its record in Kafka, so the hook takes each only once, however
often it comes. Its answer says for each event whether it was taken; some may be turned away while
it is busy, and these are sent again.
"""

from __future__ import annotations

import email.utils
import http.client
import json
import math
import threading
from datetime import UTC, datetime
from urllib.parse import urlsplit

from plugwright import (
    ConfigDef,
    ConfigError,
    ConfigType,
    ConnectError,
    DataError,
    Importance,
    LambdaValidator,
    Range,
    RetriableError,
    SinkConnector,
    SinkTask,
    Struct,
)

VERSION = "3.0.1"
TAKEN = {200, 201, 202, 207}
BUSY = {408, 425, 429, 500, 502, 503, 504}
TOO_MUCH = {400, 413, 422}
LONGEST_WAIT_MS = 300_000


def _check_url(name, value):
    try:
        parts = urlsplit(value or "")
        fits = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fits = False
    if not fits or "@" in parts.netloc or parts.fragment or not value.isascii() or " " in value:
        raise ConfigError(
            f"{name} must be an http or https address without user, password and fragment",
            code="hookbatch.url",
        )


def _check_secret(name, value):
    text = "" if value is None else value.value
    if not text or not text.isascii() or not text.isprintable():
        raise ConfigError(f"{name} must be printable ASCII text", code="hookbatch.secret")


CONFIG = (
    ConfigDef()
    .define(
        "hook.url",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(_check_url, lambda: "http or https address"),
        documentation="Address that takes the batches.",
    )
    .define(
        "hook.secret",
        ConfigType.PASSWORD,
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(_check_secret, lambda: "printable ASCII text"),
        documentation="Secret that is sent with each batch.",
    )
    .define(
        "batch.max.events",
        ConfigType.INT,
        default=100,
        importance=Importance.MEDIUM,
        validator=Range.between(1, 10_000),
        documentation="Most events of one request.",
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


class HookBatchSinkConnector(SinkConnector):
    """Any number of tasks post."""

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
        return HookBatchSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class HookBatchSinkTask(SinkTask):
    """What was put is at the hook when put returns, so there is nothing to flush."""

    def __init__(self):
        self._lock = threading.Lock()
        self._connection = None
        self._taken = set()  # of a batch that comes again: else a busy hook would never have it whole

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._url = urlsplit(config["hook.url"])
        self._shown = self._url._replace(query="").geturl()  # a query may have secrets
        self._most = config["batch.max.events"]
        self._timeout_s = config["request.timeout.ms"] / 1000
        self._headers = {
            "X-Hook-Secret": config["hook.secret"].value,
            "Content-Type": "application/json",
        }

    def put(self, records):
        reporter = self.context.errant_record_reporter()
        events, bad = [], []
        for record in records:
            try:
                events.append((record, _event(record)))
            except DataError as error:
                if reporter is None:
                    raise
                bad.append((record, error))
        with self._lock:
            waiting = [event for event in events if event[1]["id"] not in self._taken]
            for begin in range(0, len(waiting), self._most):
                unwanted = self._post(waiting[begin : begin + self._most])
                refused = {id(record) for record, _ in unwanted}
                bad += unwanted
                self._taken |= {
                    event["id"]
                    for record, event in waiting[begin : begin + self._most]
                    if id(record) not in refused
                }
            self._taken = set()
        for record, error in bad:  # none was reported if put has to be repeated
            if reporter is None:
                raise error
            reporter.report(record, error)

    def stop(self):
        with self._lock:
            self._leave()

    def _post(self, events):
        """Post events; returns the records that the hook does not want, each with the error."""
        content = json.dumps([event for _, event in events]).encode("utf-8")
        status, headers, body = self._ask(content)
        if status in TOO_MUCH:
            if len(events) == 1:
                return [(events[0][0], self._refusal(DataError, events, status, body))]
            half = len(events) // 2
            return self._post(events[:half]) + self._post(events[half:])
        if status in BUSY:
            self._hold_off(headers)
            raise self._refusal(RetriableError, events, status, body)
        if status not in TAKEN:
            raise self._refusal(ConnectError, events, status, body)
        return self._sort_out(events, status, headers, body)

    def _sort_out(self, events, status, headers, body):
        """The events that were not taken, by what the answer says of each of them."""
        try:
            said = {each["id"]: each for each in json.loads(body)["events"]}
            states = [said[event["id"]]["state"] for _, event in events]
        except (ValueError, KeyError, TypeError) as error:
            raise RetriableError(
                f"{self._shown} did not say what it has taken: {status} {error!r}",
                code="hookbatch.answer",
            ) from error
        unwanted, waiting = [], []
        for (record, event), state in zip(events, states, strict=True):
            if state in {"taken", "known"}:
                continue
            if state == "unwanted":
                why = str(said[event["id"]].get("why", ""))[:300]
                text = f"the hook does not want {event['id']}: {why}"
                unwanted.append((record, DataError(text, code="hookbatch.unwanted")))
            else:
                waiting.append(event["id"])
        if waiting:
            self._hold_off(headers)
            raise RetriableError(
                f"{len(waiting)} of {len(events)} events were not taken, among them {waiting[0]}",
                code="hookbatch.busy",
                facts={"url": self._shown},
            )
        return unwanted

    def _ask(self, content):
        try:
            if self._connection is None:
                kind = http.client.HTTPSConnection
                if self._url.scheme == "http":
                    kind = http.client.HTTPConnection
                self._connection = kind(self._url.netloc, timeout=self._timeout_s)
            path = self._url.path or "/"
            if self._url.query:
                path += f"?{self._url.query}"
            self._connection.request("POST", path, content, self._headers)
            answer = self._connection.getresponse()
            return answer.status, answer.headers, answer.read()
        except (OSError, http.client.HTTPException) as error:
            self._leave()
            raise RetriableError(
                f"{self._shown} cannot be reached: {type(error).__name__}: {error}",
                code="hookbatch.connection",
                facts={"url": self._shown},
            ) from error

    def _refusal(self, kind, events, status, body):
        first = events[0][1]["id"]
        said = body.decode("utf-8", "replace")[:300]
        return kind(
            f"{self._shown} refused {len(events)} events from {first} on: {status} {said}",
            code="hookbatch.refused",
            facts={"url": self._shown, "status": status},
        )

    def _hold_off(self, headers):
        """Let the worker wait for as long as the hook asks, in seconds or until a time."""
        text = headers.get("Retry-After", "")
        if text.isascii() and text.isdecimal():
            wait_ms = int(text[:9]) * 1000
        elif text:
            try:
                until = email.utils.parsedate_to_datetime(text)
            except ValueError:
                return
            if until.tzinfo is None:
                until = until.replace(tzinfo=UTC)
            wait_ms = int((until - datetime.now(UTC)).total_seconds() * 1000)
        else:
            return
        self.context.timeout(min(max(wait_ms, 0), LONGEST_WAIT_MS))

    def _leave(self):
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _event(record):
    """The event of a record; a record without a value becomes one with null."""
    place = (
        f"{record.original_topic}-{record.original_kafka_partition}@{record.original_kafka_offset}"
    )
    return {
        "id": place,
        "topic": record.topic,
        "key": _plain(record.key, "key", place),
        "value": _plain(record.value, "value", place),
        "time": record.timestamp,
    }


def _plain(value, what, place):
    """A value as JSON has it."""
    match value:
        case None | bool() | int():
            return value
        case str() if value.isprintable() or _is_text(value):
            return value
        case float() if math.isfinite(value):
            return value
        case Struct():
            return _plain(dict(value), what, place)
        case list() | tuple():
            return [_plain(each, what, place) for each in value]
        case dict() if all(isinstance(name, str) and _is_text(name) for name in value):
            return {name: _plain(each, what, place) for name, each in value.items()}
    raise DataError(
        f"an event cannot hold {type(value).__name__} {str(value)[:60]!r} as the {what} at {place}",
        code="hookbatch.value",
        hint="use a converter or a transformation that makes JSON of it",
    )


def _is_text(value):
    """Whether it can be written as UTF-8; half of a surrogate pair cannot."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
