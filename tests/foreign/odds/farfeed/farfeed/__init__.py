"""Follows the ranges of a change feed with its continuation tokens; waits in long polls."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
from urllib.parse import quote, urlencode, urlsplit

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
    group_partitions,
)

VERSION = "1.0.0"
TRANSIENT = {408, 425, 429, 500, 502, 503, 504}
CONFIG = (
    ConfigDef()
    .define(
        "feed.url",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Address of the feed.",
    )
    .define(
        "feed.secret",
        ConfigType.PASSWORD,
        importance=Importance.HIGH,
        documentation="The secret that is sent as a bearer token.",
    )
    .define(
        "feed.ranges",
        ConfigType.LIST,
        importance=Importance.HIGH,
        documentation="Names of the ranges to follow; tasks divide them.",
    )
    .define(
        "feed.wait.ms",
        ConfigType.INT,
        default=200,
        importance=Importance.LOW,
        validator=Range.between(0, 60_000),
        documentation="How long the feed may hold a request back until there is a change.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives a record for each change.",
    )
    .define(
        "page.max.changes",
        ConfigType.INT,
        default=12,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most changes of one request.",
    )
)


class FarFeedConnector(SourceConnector):
    """Each task follows some of the ranges."""

    def __init__(self):
        self._props = None

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        _address(CONFIG.parse(props)["feed.url"])
        self._props = dict(props)

    def task_class(self):
        return FarFeedTask

    def task_configs(self, max_tasks):
        ranges = CONFIG.parse(self._props)["feed.ranges"]
        groups = group_partitions(ranges, min(max_tasks, len(ranges))) if ranges else []
        return [{**self._props, "feed.ranges": ",".join(group)} for group in groups]

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED

    def alter_offsets(self, props, offsets):
        for _, offset in offsets:
            if offset is not None:
                _token(offset)
        return False


class FarFeedTask(SourceTask):
    """Asks for the changes of each range in turn; what to ask for next is in the last change."""

    def __init__(self):
        self._stopping = threading.Event()
        self._busy = threading.Lock()
        self._connection = None

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._url = _address(config["feed.url"])
        self._secret = config["feed.secret"]
        self._wait = config["feed.wait.ms"]
        self._topic = config["topic"]
        self._limit = config["page.max.changes"]
        self._ranges = list(config["feed.ranges"])
        stored = self.context.offset_storage_reader.offsets([{"range": n} for n in self._ranges])
        self._tokens = {
            partition["range"]: None if offset is None else _token(offset)
            for partition, offset in stored
        }
        self._stopping.clear()

    def poll(self):
        with self._busy:
            for at in range(len(self._ranges)):
                if self._stopping.is_set():
                    return None
                name = self._ranges.pop(0)
                self._ranges.append(name)
                last = at == len(self._ranges) - 1
                if records := self._changes(name, self._wait if last else 0):
                    return records
        self._stopping.wait(0.02)
        return None

    def stop(self):
        self._stopping.set()
        connection = self._connection
        if connection is not None and (held := connection.sock) is not None:
            with contextlib.suppress(OSError):
                held.shutdown(socket.SHUT_RDWR)  # ends a request that the feed holds back
        with self._busy:
            self._leave()

    def _changes(self, name, wait):
        page = self._ask(name, wait)
        records = []
        for change in page["changes"]:
            try:
                records.append(self._record(name, change))
            except DataError:
                if records:
                    return records
                raise
            self._tokens[name] = change["token"]
        return records

    def _record(self, name, change):
        text = change["text"]
        if text is not None and not isinstance(text, str):
            raise DataError(
                f"change {change['id']!r} of range {name} has a {type(text).__name__}, "
                "expected text",
                code="farfeed.text",
            )
        return SourceRecord(
            source_partition={"range": name},
            source_offset={"token": change["token"]},
            topic=self._topic,
            key=change["id"],
            key_schema=STRING_SCHEMA,
            value=text,
            value_schema=None if text is None else STRING_SCHEMA,
            timestamp=change["at"],
        )

    def _ask(self, name, wait):
        query = {"limit": self._limit, "wait": wait}
        if self._tokens[name] is not None:
            query["after"] = self._tokens[name]
        path = f"{self._url.path.rstrip('/')}/{quote(name, safe='')}?{urlencode(query)}"
        try:
            if self._connection is None:
                timeout = 10 + self._wait / 1000
                self._connection = http.client.HTTPConnection(self._url.netloc, timeout=timeout)
            bearer = {"Authorization": f"Bearer {self._secret.value}"}
            self._connection.request("GET", path, headers=bearer)
            answer = self._connection.getresponse()
            status, body = answer.status, answer.read()
            if status == 200:
                return json.loads(body)
        except (OSError, http.client.HTTPException, ValueError) as error:
            self._leave()
            if self._stopping.is_set():
                return {"changes": []}
            raise self._failure(RetriableError, name, error) from error
        said = body.decode("utf-8", "replace")
        if status == 410:
            raise ConnectError(
                f"the feed has forgotten where range {name} was: {said}",
                code="farfeed.token",
                hint="changes may be missing; delete the offset of the range to read all of it",
            )
        kind = RetriableError if status in TRANSIENT else ConnectError
        raise self._failure(kind, name, f"{status}: {said}")

    def _failure(self, kind, name, reason):
        return kind(
            f"cannot read range {name} of {self._url.geturl()}: {reason}",
            code="farfeed.read",
            facts={"url": self._url.geturl(), "range": name},
        )

    def _leave(self):
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _address(url):
    """An address, which must not have a password that every error would show."""
    parts = urlsplit(url)
    if parts.scheme != "http" or not parts.hostname or "@" in parts.netloc:
        raise ConnectError(
            "feed.url must be an http address without a user or a password", code="farfeed.url"
        )
    return parts


def _token(offset):
    """The token in an offset, which an operator may have written."""
    token = offset.get("token")
    if set(offset) != {"token"} or not isinstance(token, str) or not token:
        raise ConnectError(
            f"an offset must be {{'token': text of the feed}}, found {dict(offset)!r}",
            code="farfeed.offset",
        )
    return token
