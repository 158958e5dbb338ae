"""Asks an HTTP service for what was updated since a watermark, with an overlap for what is late."""

from __future__ import annotations

import http.client
import json
import threading
import urllib.error
import urllib.parse
import urllib.request

from plugwright import (
    STRING_SCHEMA,
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    ExactlyOnceSupport,
    Importance,
    NonEmptyString,
    Range,
    RetriableError,
    SourceConnector,
    SourceRecord,
    SourceTask,
)

VERSION = "1.0.0"
TRANSIENT = {408, 429, 500, 502, 503, 504}
CONFIG = (
    ConfigDef()
    .define(
        "service.url",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Address of the list of items.",
    )
    .define(
        "service.token",
        ConfigType.PASSWORD,
        importance=Importance.HIGH,
        documentation="Token of the service.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives a record for each item.",
    )
    .define(
        "overlap.ms",
        ConfigType.LONG,
        default=500,
        importance=Importance.MEDIUM,
        validator=Range.at_least(0),
        documentation="How much later than newer items an item may turn up.",
    )
    .define(
        "batch.max.items",
        ConfigType.INT,
        default=35,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most items of one poll.",
    )
)


class WatermillConnector(SourceConnector):
    """One list, one task."""

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        _address(CONFIG.parse(props)["service.url"])
        self._props = dict(props)

    def task_class(self):
        return WatermillTask

    def task_configs(self, max_tasks):
        return [dict(self._props)]

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED


class WatermillTask(SourceTask):
    """Remembers the items within the overlap, and hands out each once."""

    def __init__(self):
        self._stopping = threading.Event()

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._url = _address(config["service.url"])
        self._token = config["service.token"]
        self._topic = config["topic"]
        self._overlap = config["overlap.ms"]
        self._limit = config["batch.max.items"]
        self._partition = {"service": self._url}
        stored = self.context.offset_storage_reader.offset(self._partition)
        self._mark, self._seen = (0, {}) if stored is None else _position(stored)
        self._stopping.clear()

    def poll(self):
        records = []
        for item in self._new_items():
            try:
                text = self._text(item)
            except DataError:
                if records:
                    break
                raise
            self._advance(item)
            records.append(self._record(item, text))
        if not records:
            self._stopping.wait(0.05)
        return records or None

    def stop(self):
        self._stopping.set()

    def _new_items(self):
        since, token, found = max(0, self._mark - self._overlap), "", []
        while len(found) < self._limit and not self._stopping.is_set():
            page = self._page(since, token)
            found += [item for item in page["items"] if str(item["id"]) not in self._seen]
            token = page["next"]
            if token is None:
                break
        return found[: self._limit]

    def _page(self, since, token):
        query = urllib.parse.urlencode({"since": since, "after": token})
        request = urllib.request.Request(
            f"{self._url}?{query}", headers={"Authorization": f"Bearer {self._token.value}"}
        )
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                said = error.read().decode("utf-8", "replace")
            kind = RetriableError if error.code in TRANSIENT else ConnectError
            raise self._failure(kind, f"{error.code}: {said}") from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise self._failure(RetriableError, error) from error

    def _failure(self, kind, reason):
        return kind(
            f"cannot read {self._url}: {reason}",
            code="watermill.read",
            facts={"url": self._url},
        )

    def _text(self, item):
        if not isinstance(item["text"], str):
            raise DataError(
                f"item {item['id']} of {self._url} has a {type(item['text']).__name__}, "
                "expected text",
                code="watermill.text",
            )
        return item["text"]

    def _advance(self, item):
        self._mark = max(self._mark, item["updated"])
        self._seen[str(item["id"])] = item["updated"]
        floor = self._mark - self._overlap
        self._seen = {name: at for name, at in self._seen.items() if at >= floor}

    def _record(self, item, text):
        return SourceRecord(
            source_partition=dict(self._partition),
            source_offset={"mark": self._mark, "seen": json.dumps(self._seen)},
            topic=self._topic,
            value=text,
            value_schema=STRING_SCHEMA,
            key=str(item["id"]),
            key_schema=STRING_SCHEMA,
            timestamp=item["updated"],
        )


def _position(offset):
    """The watermark in a stored offset, and the items that were handed out near it."""
    try:
        mark, seen = offset["mark"], json.loads(offset["seen"])
    except (KeyError, TypeError, ValueError):
        mark, seen = None, None
    valid = type(mark) is int and mark >= 0 and isinstance(seen, dict)
    valid = valid and all(type(at) is int for at in seen.values())
    if set(offset) != {"mark", "seen"} or not valid:
        raise ConnectError(
            "an offset must be {'mark': whole number from 0, 'seen': JSON of times by item}, "
            f"found {dict(offset)!r}",
            code="watermill.offset",
        )
    return mark, seen


def _address(url):
    """An address, which must not have a password that every error would show."""
    if "@" in urllib.parse.urlsplit(url).netloc:
        raise ConnectError(
            "service.url must not have a user or a password, set service.token",
            code="watermill.url",
        )
    return url
