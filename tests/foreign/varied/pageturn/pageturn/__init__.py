"""Turns the pages of a service: a page names the next one, and may be short or empty."""

from __future__ import annotations

import http.client
import json
import re
import threading
from urllib.parse import urlsplit

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
TRANSIENT = {408, 425, 429, 500, 502, 503, 504}
TOKEN = re.compile(r"t-\d+")
CONFIG = (
    ConfigDef()
    .define(
        "pages.url",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Address of the pages.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives a record for each item.",
    )
    .define(
        "attempts",
        ConfigType.INT,
        default=5,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="How often a page is asked for while the service has too many requests.",
    )
)


class PageTurnConnector(SourceConnector):
    """One list of pages, one task."""

    def __init__(self):
        self._props = None

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        _address(CONFIG.parse(props)["pages.url"])
        self._props = dict(props)

    def task_class(self):
        return PageTurnTask

    def task_configs(self, max_tasks):
        return [dict(self._props)]

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED


class PageTurnTask(SourceTask):
    """An offset has the token of a page, and how many of its items were read."""

    def __init__(self):
        self._stopping = threading.Event()
        self._polling = threading.Lock()
        self._connection = None

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._url = config["pages.url"]
        self._address = _address(self._url)
        self._topic = config["topic"]
        self._attempts = config["attempts"]
        self._partition = {"pages": self._url}
        stored = self.context.offset_storage_reader.offset(self._partition)
        self._token, self._read = ("t-0", 0) if stored is None else _position(stored)
        self._stopping.clear()

    def poll(self):
        with self._polling:
            records = self._turn()
        if not records:
            self._stopping.wait(0.05)
            return None
        return records

    def stop(self):
        self._stopping.set()
        if self._polling.acquire(timeout=1):
            self._leave()
            self._polling.release()

    def _turn(self):
        records = []
        while not records and not self._stopping.is_set():
            page = self._page()
            for item in page["items"][self._read :]:
                try:
                    text = self._text(item)
                except DataError:
                    if records:
                        return records
                    raise
                self._read += 1
                records.append(self._record(item, text))
            if page["next"] is None:
                break
            self._token, self._read = page["next"], 0
        return records

    def _page(self):
        for _ in range(self._attempts):
            status, pause, body = self._ask()
            if status != 429:
                break
            self._stopping.wait(pause)
        if status == 200:
            return json.loads(body)
        kind = RetriableError if status in TRANSIENT else ConnectError
        raise self._failure(kind, f"{status}: {body.decode('utf-8', 'replace')}")

    def _ask(self):
        """The status of an answer, the seconds to wait before the next attempt, and the body."""
        try:
            if self._connection is None:
                self._connection = http.client.HTTPConnection(self._address.netloc, timeout=10)
            self._connection.request("GET", f"{self._address.path}?page={self._token}")
            answer = self._connection.getresponse()
            return answer.status, int(answer.headers.get("Retry-After", "0")), answer.read()
        except (OSError, http.client.HTTPException, ValueError) as error:
            self._leave()
            raise self._failure(RetriableError, error) from error

    def _leave(self):
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _text(self, item):
        if isinstance(item["text"], str):
            return item["text"]
        raise DataError(
            f"an item of page {self._token} has a {type(item['text']).__name__}, expected text",
            code="pageturn.item",
        )

    def _record(self, item, text):
        return SourceRecord(
            source_partition=dict(self._partition),
            source_offset={"page": self._token, "read": self._read},
            topic=self._topic,
            value=text,
            value_schema=STRING_SCHEMA,
            timestamp=item["at"],
        )

    def _failure(self, kind, reason):
        return kind(
            f"cannot read {self._url}: {reason}", code="pageturn.read", facts={"url": self._url}
        )


def _position(offset):
    """The page and the number of items in an offset, which an operator may have written."""
    token, read = offset.get("page"), offset.get("read")
    well = isinstance(token, str) and TOKEN.fullmatch(token) and type(read) is int
    if set(offset) != {"page", "read"} or not well or read < 0:
        raise ConnectError(
            "an offset must be {'page': token, 'read': whole number from 0}, "
            f"found {dict(offset)!r}",
            code="pageturn.offset",
        )
    return token, read


def _address(url):
    """The parts of an address, which must not have a password that every error would show."""
    parts = urlsplit(url)
    if "@" in parts.netloc:
        raise ConnectError("pages.url must not have a user or a password", code="pageturn.url")
    return parts
