"""Reads the events of feeds from a REST service, page by page.

A feed lists its events by the time at which they were created, and then by their id; new ones come
at its end. A listing begins at a time, that time included, so what was read already is passed over.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal as Number
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import ProxyHandler, Request, build_opener

from plugwright import (
    BOOLEAN_SCHEMA,
    INT64_SCHEMA,
    OPTIONAL_STRING_SCHEMA,
    STRING_SCHEMA,
    ConfigDef,
    ConfigError,
    ConfigType,
    ConnectError,
    DataError,
    Decimal,
    Headers,
    Importance,
    NonEmptyString,
    Password,
    Range,
    RetriableError,
    SchemaBuilder,
    SourceConnector,
    SourceRecord,
    SourceTask,
    Struct,
    Timestamp,
    ValidList,
    group_partitions,
)

VERSION = "2.1.0"
BEGINNING = ("1970-01-01T00:00:00.000000Z", 0)
GONE = 410
LONGEST_PAUSE = 60
OPENER = build_opener(ProxyHandler({}))

EVENT = (
    SchemaBuilder.struct()
    .name("eventpager.Event")
    .field("number", INT64_SCHEMA)
    .field("name", STRING_SCHEMA)
    .field("price", Decimal.schema(2))
    .field("due", Timestamp.SCHEMA)
    .field("open", BOOLEAN_SCHEMA)
    .field("note", OPTIONAL_STRING_SCHEMA)
    .build()
)


def _service_url(name, value):
    parts = urlsplit(value or "")
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username:
        raise ConfigError(
            f"Invalid value for configuration {name}: http://host:port is needed, without a user",
            code="eventpager.url",
        )


CONFIG = (
    ConfigDef()
    .define(
        "feed.url",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=_service_url,
        documentation="Address of the service.",
    )
    .define(
        "feed.token",
        ConfigType.PASSWORD,
        importance=Importance.HIGH,
        documentation="Bearer token for the service.",
    )
    .define(
        "feed.names",
        ConfigType.LIST,
        importance=Importance.HIGH,
        validator=ValidList.any_non_duplicate_values(empty_allowed=False, null_allowed=False),
        documentation="Names of the feeds to read.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic of the events of all feeds; a header has the name of the feed.",
    )
    .define(
        "feed.page.size",
        ConfigType.INT,
        default=100,
        importance=Importance.MEDIUM,
        validator=Range.between(1, 1000),
        documentation="How many events a page has at most.",
    )
    .define(
        "feed.interval.ms",
        ConfigType.INT,
        default=100,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="How long to wait when there is nothing new, and after a failure.",
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


@dataclass
class Feed:
    """Where the reading of a feed stands."""

    name: str
    last: tuple[str, int]
    page: str | None = None


def _place(event):
    return event["created"], event["id"]


def _last(offset):
    created, number = offset.get("created"), offset.get("id")
    if set(offset) != {"created", "id"} or type(number) is not int or type(created) is not str:
        raise ConnectError(
            f"an offset is {{'created': time, 'id': number}}, found {dict(offset)!r}",
            code="eventpager.offset",
            hint="reset the offsets of the connector",
        )
    try:
        datetime.strptime(created, "%Y-%m-%dT%H:%M:%S.%fZ")
    except ValueError as error:
        raise ConnectError(f"not a time: {created!r}", code="eventpager.offset") from error
    return created, number


class EventPagerSourceConnector(SourceConnector):
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
        return EventPagerSourceTask

    def task_configs(self, max_tasks):
        names = CONFIG.parse(self._props)["feed.names"]
        groups = group_partitions(names, min(max_tasks, len(names)))
        return [{**self._props, "feed.names": ",".join(group)} for group in groups]

    def stop(self):
        pass

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if set(partition) != {"feed"}:
                raise ConnectError(
                    f"a partition is {{'feed': name}}, found {dict(partition)!r}",
                    code="eventpager.partition",
                )
            if offset is not None:
                _last(offset)
        return True


class EventPagerSourceTask(SourceTask):
    def __init__(self):
        self._stopping = threading.Event()

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._stopping.clear()
        self._url = config["feed.url"].rstrip("/")
        self._token: Password = config["feed.token"]
        self._topic = config["topic"]
        self._size = config["feed.page.size"]
        self._interval = config["feed.interval.ms"] / 1000
        self._timeout = config["feed.timeout.ms"] / 1000
        reader = self.context.offset_storage_reader
        stored = reader.offsets([{"feed": name} for name in config["feed.names"]])
        self._feeds = deque(
            Feed(partition["feed"], BEGINNING if offset is None else _last(offset))
            for partition, offset in stored
        )

    def poll(self):
        for _ in range(len(self._feeds)):
            feed = self._feeds[0]
            events = self._new_events(feed)  # a feed that fails comes first the next time
            self._feeds.rotate(-1)
            records = self._records(feed, events)
            if records:
                return records
        self._stopping.wait(self._interval)
        return None

    def stop(self):
        self._stopping.set()

    def _new_events(self, feed):
        """The events of the next page that has some which were not read yet."""
        while not self._stopping.is_set():
            listing = {"since": feed.last[0], "size": self._size}
            if feed.page is not None:
                listing["page"] = feed.page
            answer = self._get(feed, listing)
            try:
                feed.page = answer["next"]
                events = [event for event in answer["events"] if _place(event) > feed.last]
            except (KeyError, TypeError) as error:
                raise ConnectError(
                    f"{self._url} did not answer with events: {error!r}", code="eventpager.answer"
                ) from error
            if events or feed.page is None:
                return events
        return []

    def _records(self, feed, events):
        """Records up to an event that is wrong; that one comes first the next time."""
        records = []
        for event in events:
            try:
                record = self._record(feed, event)
            except DataError:
                feed.page = None
                if records:
                    break
                raise
            records.append(record)
            feed.last = _place(event)
        return records

    def _record(self, feed, event):
        created, number = _place(event)
        try:
            value = _value(event["data"])
            milliseconds = _milliseconds(created)
        except (KeyError, TypeError, ValueError, DataError) as error:
            raise DataError(
                f"event {number} of feed {feed.name} cannot be read: {error}",
                code="eventpager.event",
                facts={"feed": feed.name, "event": number},
            ) from error
        return SourceRecord(
            {"feed": feed.name},
            {"created": created, "id": number},
            self._topic,
            value,
            EVENT,
            key=number,
            key_schema=INT64_SCHEMA,
            timestamp=milliseconds,
            headers=Headers().add_string("feed", feed.name),
        )

    def _get(self, feed, query):
        request = Request(
            f"{self._url}/feeds/{quote(feed.name, safe='')}/events?{urlencode(query)}",
            headers={"Authorization": f"Bearer {self._token.value}"},
        )
        try:
            with OPENER.open(request, timeout=self._timeout) as answer:
                return json.loads(answer.read())
        except HTTPError as error:
            with error:
                raise self._refusal(feed, error.code, error.headers.get("Retry-After")) from None
        except (OSError, HTTPException) as error:
            self._stopping.wait(self._interval)
            raise RetriableError(
                f"cannot reach {self._url}: {error}", code="eventpager.unreachable"
            ) from error
        except ValueError as error:
            raise ConnectError(
                f"{self._url} did not answer with JSON: {error}", code="eventpager.answer"
            ) from error

    def _refusal(self, feed, status, pause):
        """The error for a status, after as long a pause as the service asks for."""
        message = f"{self._url} answered {status} for feed {feed.name}"
        if status == GONE:  # the page has expired: list anew from the last event on
            feed.page = None
        elif status not in {408, 429} and status < 500:
            return ConnectError(
                message,
                code="eventpager.refused",
                hint="check feed.url, feed.token and feed.names",
                facts={"status": status, "feed": feed.name},
            )
        seconds = int(pause) if pause and pause.isdecimal() else 0
        self._stopping.wait(max(self._interval, min(seconds, LONGEST_PAUSE)))
        return RetriableError(message, code="eventpager.busy", facts={"status": status})


def _milliseconds(created):
    moment = datetime.fromisoformat(created)
    return round(moment.replace(microsecond=0).timestamp()) * 1000 + moment.microsecond // 1000


def _price(text):
    try:
        price = Number(text)
    except ArithmeticError:
        raise ValueError(f"not a price: {text!r}") from None
    if price.as_tuple().exponent != -2:
        raise ValueError(f"a price has two decimal places, found {text!r}")
    return price


def _value(data):
    value = Struct(EVENT)
    value["number"] = data["number"]
    value["name"] = data["name"]
    value["price"] = _price(data["price"])
    value["due"] = datetime.fromisoformat(data["due"])
    value["open"] = data["open"]
    value["note"] = data.get("note")
    value.validate()
    return value
