"""Follows an event stream over HTTP, and goes on behind the last event when a connection ends."""

from __future__ import annotations

import http.client
import json
import re
import threading
import urllib.error
import urllib.parse
import urllib.request
from contextlib import suppress

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
MARK = re.compile(r"[0-9a-f]+-[0-9]+")
CONFIG = (
    ConfigDef()
    .define(
        "stream.url",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Address of the event stream.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives a record for each note.",
    )
    .define(
        "batch.max.events",
        ConfigType.INT,
        default=25,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most events of one poll.",
    )
)


class EventLineConnector(SourceConnector):
    """One stream, one task."""

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        _address(CONFIG.parse(props)["stream.url"])
        self._props = dict(props)

    def task_class(self):
        return EventLineTask

    def task_configs(self, max_tasks):
        return [dict(self._props)]

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED


class EventLineTask(SourceTask):
    """Keeps a connection from poll to poll; a comment of the service says that there is no more."""

    def __init__(self):
        self._stopping = threading.Event()
        self._polling = threading.Lock()
        self._answer = None

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._url = _address(config["stream.url"])
        self._topic = config["topic"]
        self._limit = config["batch.max.events"]
        self._partition = {"stream": self._url}
        stored = self.context.offset_storage_reader.offset(self._partition)
        self._last = None if stored is None else _position(stored)
        self._stopping.clear()

    def poll(self):
        with self._polling:
            records = self._follow()
        if not records:
            self._stopping.wait(0.02)
            return None
        return records

    def stop(self):
        self._stopping.set()
        if self._polling.acquire(timeout=1):  # else the poll that is under way leaves
            self._leave()
            self._polling.release()

    def _follow(self):
        records = []
        try:
            self._connect()
            while len(records) < self._limit and not self._stopping.is_set():
                event = self._event()
                if event is None:
                    break
                self._take(event, records)
        except (DataError, OSError, http.client.HTTPException) as error:
            self._leave()
            if not records:
                raise self._failure(error) from error
        if self._stopping.is_set():
            self._leave()
        return records

    def _connect(self):
        if self._answer is not None:
            return
        headers = {"Accept": "text/event-stream"}
        if self._last is not None:
            headers["Last-Event-ID"] = self._last
        request = urllib.request.Request(self._url, headers=headers)
        self._answer = urllib.request.urlopen(request, timeout=10)

    def _leave(self):
        answer, self._answer = self._answer, None
        if answer is not None:
            with suppress(OSError):
                answer.close()

    def _event(self):
        """The fields of the next event; nothing at a comment, and at the end of the connection."""
        event = {"data": []}
        while True:
            line = self._answer.readline()
            if not line.endswith(b"\n"):  # an event without its empty line does not count
                self._leave()
                return None
            line = line.rstrip(b"\r\n")
            if not line:
                return event
            name, _, value = line.partition(b":")
            value = value.removeprefix(b" ")
            if not name:
                return None
            if name == b"data":
                event["data"].append(value)
            elif name in {b"id", b"event"}:
                event[name.decode()] = value.decode()

    def _take(self, event, records):
        if not event["data"]:
            return
        text, at = self._note(event)
        self._last = event["id"]
        records.append(
            SourceRecord(
                source_partition=dict(self._partition),
                source_offset={"id": self._last},
                topic=self._topic,
                value=text,
                value_schema=STRING_SCHEMA,
                timestamp=at,
            )
        )

    def _note(self, event):
        try:
            content = json.loads(b"\n".join(event["data"]))
        except ValueError as error:
            raise DataError(
                f"event {event['id']} of {self._url} is no JSON: {error}", code="eventline.json"
            ) from error
        if event.get("event") != "note" or not isinstance(content.get("text"), str):
            raise DataError(
                f"event {event['id']} of {self._url} is a {event.get('event')} with a "
                f"{type(content.get('text')).__name__}, expected a note with text",
                code="eventline.kind",
            )
        return content["text"], content["at"]

    def _failure(self, error):
        if isinstance(error, DataError):
            return error
        kind, reason = RetriableError, error
        if isinstance(error, urllib.error.HTTPError):
            with error:
                reason = f"{error.code}: {error.read().decode('utf-8', 'replace')}"
            kind = RetriableError if error.code in TRANSIENT else ConnectError
        return kind(
            f"cannot follow {self._url}: {reason}", code="eventline.read", facts={"url": self._url}
        )


def _position(offset):
    """The id in an offset, which an operator may have written."""
    value = offset.get("id")
    if set(offset) != {"id"} or not isinstance(value, str) or not MARK.fullmatch(value):
        raise ConnectError(
            f"an offset must be {{'id': id of an event}}, found {dict(offset)!r}",
            code="eventline.offset",
        )
    return value


def _address(url):
    """An address, which must not have a password that every error would show."""
    if "@" in urllib.parse.urlsplit(url).netloc:
        raise ConnectError("stream.url must not have a user or a password", code="eventline.url")
    return url
