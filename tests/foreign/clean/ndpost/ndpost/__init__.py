"""Sends records as newline delimited JSON with HTTP POST.

The service answers 200 with one JSON line per item: ``{"ok": true}``, or ``{"ok": false,
"retry": true}`` for an item it cannot take now, or ``{"ok": false, "error": "..."}`` for an item it
will never take. The last kind goes to the dead-letter queue.
"""

from __future__ import annotations

import base64
import http.client
import json
import logging
import math
import threading
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Iterator, Optional

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
    SinkRecord,
    SinkTask,
    Struct,
)

log = logging.getLogger(__name__)

VERSION = "1.4.2"

ENDPOINT_URL = "endpoint.url"
ENDPOINT_USER = "endpoint.user"
ENDPOINT_PASSWORD = "endpoint.password"
BATCH_MAX = "batch.max.items"
RETRY_MAX = "retry.max.attempts"
RETRY_BACKOFF = "retry.backoff.ms"
REQUEST_TIMEOUT = "request.timeout.ms"


def check_url(name: str, value: Any) -> None:
    try:
        url = urllib.parse.urlsplit(value or "")
        good = url.scheme in ("http", "https") and bool(url.hostname) and "@" not in url.netloc
        url.port
    except ValueError:
        good = False
    if not good:
        raise ConfigError(
            f"Invalid value for configuration {name}: expected http(s)://host[:port]/path, with"
            f" user and password in {ENDPOINT_USER} and {ENDPOINT_PASSWORD}"
        )


CONFIG_DEF = (
    ConfigDef()
    .define(ENDPOINT_URL, ConfigType.STRING, importance=Importance.HIGH, validator=check_url,
            documentation="Where to POST the items.")
    .define(ENDPOINT_USER, ConfigType.STRING, "", Importance.MEDIUM,
            "User for basic authentication; empty for none.")
    .define(ENDPOINT_PASSWORD, ConfigType.PASSWORD, "", Importance.MEDIUM,
            "Password for basic authentication.")
    .define(BATCH_MAX, ConfigType.INT, 200, Importance.MEDIUM,
            "How many items one request has at most.", validator=Range.between(1, 10000))
    .define(RETRY_MAX, ConfigType.INT, 4, Importance.LOW,
            "How often a request is sent before the batch is handed back to the worker, which"
            " delivers it again later.", validator=Range.between(1, 100))
    .define(RETRY_BACKOFF, ConfigType.INT, 250, Importance.LOW,
            "Pause before the second attempt in milliseconds. It doubles each time.",
            validator=Range.between(1, 60000))
    .define(REQUEST_TIMEOUT, ConfigType.INT, 10000, Importance.LOW,
            "How long to wait for the service in milliseconds.", validator=Range.at_least(1))
)  # fmt: skip


class NdPostSinkConnector(SinkConnector):
    def __init__(self) -> None:
        self.settings: dict[str, str] = {}

    def version(self) -> str:
        return VERSION

    def config(self) -> ConfigDef:
        return CONFIG_DEF

    def start(self, props) -> None:
        CONFIG_DEF.parse(props)
        self.settings = dict(props)

    def task_class(self):
        return NdPostSinkTask

    def task_configs(self, max_tasks: int):
        return [dict(self.settings)] * max_tasks

    def stop(self) -> None:
        pass


class Item:
    """A record with the line that stands for it."""

    def __init__(self, record: SinkRecord) -> None:
        self.record = record
        self.id = (
            record.original_topic, record.original_kafka_partition, record.original_kafka_offset,
        )  # fmt: skip
        body = {
            "topic": record.topic,
            "partition": record.original_kafka_partition,
            "offset": record.original_kafka_offset,
            "timestamp": record.timestamp,
            "key": self._convert(record.key),
            "value": self._convert(record.value),
        }
        self.line = json.dumps(body, separators=(",", ":")).encode("ascii")

    def __str__(self) -> str:
        return "%s-%d@%d" % self.id

    def _convert(self, value: Any) -> Any:
        if isinstance(value, float) and not math.isfinite(value):
            raise DataError(f"{self} contains {value!r}, JSON has no such number")
        if value is None or isinstance(value, (str, bool, int, float)):
            return value
        if isinstance(value, Struct):
            return {k: self._convert(value.get(k)) for k in value.keys()}
        if isinstance(value, list):
            return [self._convert(v) for v in value]
        if isinstance(value, dict) and all(isinstance(k, str) for k in value):
            return {k: self._convert(v) for k, v in value.items()}
        raise DataError(f"{self} contains a {type(value).__name__}, JSON has no such type")


class NdPostSinkTask(SinkTask):
    def __init__(self) -> None:
        self._stop = threading.Event()
        self._accepted: set[tuple[str, int, int]] = set()

    def version(self) -> str:
        return VERSION

    def start(self, props) -> None:
        cfg = CONFIG_DEF.parse(props)
        self._stop.clear()
        self._url = cfg[ENDPOINT_URL]
        self._batch = cfg[BATCH_MAX]
        self._attempts = cfg[RETRY_MAX]
        self._backoff = cfg[RETRY_BACKOFF] / 1000.0
        self._timeout = cfg[REQUEST_TIMEOUT] / 1000.0
        self._headers = {"Content-Type": "application/x-ndjson"}
        if cfg[ENDPOINT_USER]:
            password = cfg[ENDPOINT_PASSWORD]
            pair = f"{cfg[ENDPOINT_USER]}:{password.value}".encode()
            self._headers["Authorization"] = "Basic " + base64.b64encode(pair).decode()

    def put(self, records) -> None:
        items, failed = [], []
        for record in records:
            try:
                items.append(Item(record))
            except DataError as e:
                failed.append((record, e))
        reporter = self.context.errant_record_reporter()
        if failed and reporter is None:
            raise failed[0][1]
        # When the worker delivers a batch again, what the service has taken stays out.
        waiting = [item for item in items if item.id not in self._accepted]
        for start in range(0, len(waiting), self._batch):
            for item, reason in self._deliver(waiting[start : start + self._batch]):
                error = DataError(f"{self._url} rejected {item}: {reason}", code="ndpost.rejected")
                if reporter is None:
                    raise error
                failed.append((item.record, error))
        for record, error in failed:
            reporter.report(record, error)
        self._accepted.clear()

    def close(self, partitions) -> None:
        self._accepted.clear()

    def stop(self) -> None:
        self._stop.set()

    def _deliver(self, items: list[Item]) -> Iterator[tuple[Item, str]]:
        rejected = []
        problem: Optional[RetriableError] = None
        for attempt in range(self._attempts):
            if attempt and self._stop.wait(self._backoff * 2 ** (attempt - 1)):
                break
            try:
                answers = self._post(items)
            except RetriableError as e:
                log.warning("attempt %d of %d: %s", attempt + 1, self._attempts, e)
                problem = e
                continue
            again = []
            for item, answer in zip(items, answers):
                if answer.get("ok") is True:
                    self._accepted.add(item.id)
                elif answer.get("retry"):
                    again.append(item)
                else:
                    rejected.append((item, str(answer.get("error", "no reason given"))))
            if not again:
                return iter(rejected)
            items = again
            problem = RetriableError(f"{self._url} is too busy for {len(again)} items")
        raise problem or RetriableError(f"stopped while {self._url} was written to")

    def _post(self, items: list[Item]) -> list[dict]:
        body = b"".join(item.line + b"\n" for item in items)
        request = urllib.request.Request(self._url, data=body, headers=self._headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as response:
                text = response.read().decode("utf-8")
        except urllib.error.HTTPError as e:
            with e:
                e.read()
            if e.code >= 500 or e.code in (408, 425, 429):
                raise RetriableError(f"{self._url} answered {e.code} {e.reason}") from None
            raise ConnectError(
                f"{self._url} answered {e.code} {e.reason}",
                hint=f"check {ENDPOINT_URL}, {ENDPOINT_USER} and {ENDPOINT_PASSWORD}",
            ) from None
        except (OSError, http.client.HTTPException) as e:
            raise RetriableError(f"{self._url} cannot be reached: {e}") from e
        try:
            answers = [json.loads(line) for line in text.splitlines() if line]
        except ValueError as e:
            raise ConnectError(f"{self._url} did not answer with lines of JSON") from e
        if len(answers) != len(items) or not all(isinstance(a, dict) for a in answers):
            raise ConnectError(f"{self._url} gave {len(answers)} answers for {len(items)} items")
        return answers
