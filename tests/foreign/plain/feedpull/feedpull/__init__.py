"""Follows a feed of items that an HTTP service gives out in pages, by cursor."""

from __future__ import annotations

import http.client
import json
import threading
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from plugwright import (
    STRING_SCHEMA,
    ConfigDef,
    ConfigError,
    ConfigType,
    ConnectError,
    DataError,
    Importance,
    NonEmptyString,
    Password,
    Range,
    RetriableError,
    SourceConnector,
    SourceRecord,
    SourceTask,
)

VERSION = "0.9.4"
BUSY = {408, 425, 429, 500, 502, 503, 504}


def _http_url(name, value):
    parts = urlsplit(value or "")
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ConfigError(
            f"Invalid value {value} for configuration {name}: an address with http:// or https://"
            " is needed",
            code="feedpull.url",
        )


CONFIG = (
    ConfigDef()
    .define(
        "feed.url",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=_http_url,
        documentation="Address of the feed.",
    )
    .define(
        "feed.token",
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
        "feed.page.size",
        ConfigType.INT,
        default=100,
        importance=Importance.LOW,
        validator=Range.between(1, 1000),
        documentation="How many items to ask for.",
    )
    .define(
        "feed.interval.ms",
        ConfigType.INT,
        default=200,
        importance=Importance.MEDIUM,
        validator=Range.at_least(1),
        documentation="How long to wait at the end of the feed, and after a failure.",
    )
    .define(
        "feed.timeout.ms",
        ConfigType.INT,
        default=5000,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="How long to wait for an answer.",
    )
)


def _without_user(url):
    """The URL without credentials: messages and offsets are read by many."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


@dataclass(frozen=True)
class Place:
    """A page, and how many of its items were read; the first page has an empty cursor."""

    cursor: str = ""
    skip: int = 0

    @classmethod
    def of(cls, offset):
        cursor, skip = offset.get("cursor"), offset.get("skip")
        wrong = set(offset) != {"cursor", "skip"} or type(skip) is not int or skip < 0
        if wrong or not isinstance(cursor, str):
            raise ConnectError(
                f"an offset is {{'cursor': text, 'skip': number}}, found {dict(offset)!r}",
                code="feedpull.offset",
                hint="reset the offsets of the connector",
            )
        return cls(cursor, skip)

    def offset(self):
        return {"cursor": self.cursor, "skip": self.skip}


@dataclass(frozen=True)
class Page:
    items: list
    following: str


@dataclass(frozen=True)
class Feed:
    """The service; each request has a connection of its own."""

    url: str
    token: Password
    size: int
    timeout: float

    def page(self, place):
        limit = place.skip + self.size
        status, body = self._get(f"after={quote(place.cursor, safe='')}&limit={limit}")
        if status in BUSY:
            raise RetriableError(f"{self.url} answered {status}", code="feedpull.busy")
        if status != 200:
            raise ConnectError(
                f"{self.url} answered {status}",
                code="feedpull.refused",
                hint="check feed.url and feed.token",
                facts={"status": status},
            )
        try:
            found = json.loads(body)
            page = Page(list(found["items"]), "" + found["next"])
        except (ValueError, KeyError, TypeError) as error:
            raise ConnectError(
                f"{self.url} did not answer with a page: {error}", code="feedpull.page"
            ) from error
        return page

    def _get(self, query):
        parts = urlsplit(self.url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        headers = {"Authorization": f"Bearer {self.token.value}", "Accept": "application/json"}
        connection = kind(parts.hostname, parts.port, timeout=self.timeout)
        try:
            connection.request("GET", f"{parts.path or '/'}?{query}", headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise RetriableError(
                f"cannot reach {self.url}: {error}", code="feedpull.unreachable"
            ) from error
        finally:
            connection.close()


class FeedPullSourceConnector(SourceConnector):
    """A feed cannot be divided, so there is one task."""

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
        return FeedPullSourceTask

    def task_configs(self, max_tasks):
        return [dict(self._props)]

    def stop(self):
        pass

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if set(partition) != {"feed"}:
                raise ConnectError(f"a partition is {{'feed': address}}, found {dict(partition)!r}")
            if offset is not None:
                Place.of(offset)
        return True


class FeedPullSourceTask(SourceTask):
    def __init__(self):
        self._stopping = threading.Event()

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._stopping.clear()
        self._topic = config["topic"]
        self._interval = config["feed.interval.ms"] / 1000
        self._feed = Feed(
            _without_user(config["feed.url"]),
            config["feed.token"],
            config["feed.page.size"],
            config["feed.timeout.ms"] / 1000,
        )
        self._partition = {"feed": self._feed.url}
        stored = self.context.offset_storage_reader.offset(self._partition)
        self._place = Place() if stored is None else Place.of(stored)

    def poll(self):
        try:
            page = self._feed.page(self._place)
        except RetriableError:
            self._stopping.wait(self._interval)
            raise
        cursor, skip = self._place.cursor, self._place.skip
        fresh = page.items[skip:]
        places = [Place(cursor, number) for number in range(skip + 1, len(page.items))]
        places.append(Place(page.following))
        records = []
        for item, place in zip(fresh, places, strict=False):
            try:
                records.append(self._record(item, place))
            except DataError:
                if not records:
                    raise
                break  # those before it come first
            self._place = place
        if not records:
            self._stopping.wait(self._interval)
        return records or None

    def stop(self):
        self._stopping.set()

    def _record(self, item, place):
        text = item.get("text") if isinstance(item, dict) else item
        if not isinstance(text, str):
            number = item.get("id") if isinstance(item, dict) else None
            raise DataError(
                f"{self._feed.url}: the text of item {number} is of type {type(text).__name__}",
                code="feedpull.item",
            )
        return SourceRecord(
            self._partition,
            place.offset(),
            self._topic,
            text,
            STRING_SCHEMA,
            key=str(item.get("id")),
            key_schema=STRING_SCHEMA,
            timestamp=item.get("at"),
        )
