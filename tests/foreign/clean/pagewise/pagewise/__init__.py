"""Reads collections of documents from an HTTP API that has cursors, ETags and rate limits.

``GET {base}/collections/{name}?limit=N&cursor=C`` answers ``{"items": [...], "next": "..."}``: the
items after the cursor, oldest first, and the cursor behind the last of them. Items are only ever
added at the end. A page that is asked for again with its ETag is answered by 304 if it is the same.
"""

from __future__ import annotations

import base64
import http.client
import json
import logging
import socket
import threading
import time
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit

from plugwright import (
    INT64_SCHEMA,
    OPTIONAL_BYTES_SCHEMA,
    OPTIONAL_FLOAT64_SCHEMA,
    OPTIONAL_STRING_SCHEMA,
    STRING_SCHEMA,
    ConfigDef,
    ConfigError,
    ConfigType,
    ConnectError,
    DataError,
    Importance,
    NonEmptyString,
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

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

logger = logging.getLogger("pagewise")

PAGEWISE_VERSION = "1.0.0rc2"

DOCUMENT = (
    SchemaBuilder.struct()
    .name("pagewise.Document")
    .field("title", STRING_SCHEMA)
    .field("size", INT64_SCHEMA)
    .field("score", OPTIONAL_FLOAT64_SCHEMA)
    .field("edited", Timestamp.SCHEMA)
    .field("body", OPTIONAL_BYTES_SCHEMA)
    .field("editor", OPTIONAL_STRING_SCHEMA)
    .build()
)


def _base_url(name: str, value: Any) -> None:
    try:
        parts = urlsplit(value or "")
        good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        good = False
    if not good or parts.username or parts.query or parts.fragment:
        raise ConfigError(
            f"Invalid value for configuration {name}: must be http(s)://host[:port][/path]"
        )


def _header_value(name: str, value: Any) -> None:
    text = value.value if value is not None else ""
    if not text or not text.isascii() or not text.isprintable():
        raise ConfigError(f"Invalid value for configuration {name}: must be printable ASCII")


CONFIG_DEF = (
    ConfigDef()
    .define(
        "api.base.url", ConfigType.STRING, importance=Importance.HIGH, validator=_base_url,
        documentation="Address of the API without the path of a collection.", group="API",
    )
    .define(
        "api.key", ConfigType.PASSWORD, importance=Importance.HIGH, group="API",
        validator=_header_value, documentation="Key that is sent in the header X-Api-Key.",
    )
    .define(
        "api.collections", ConfigType.LIST, importance=Importance.HIGH, group="API",
        validator=ValidList.any_non_duplicate_values(empty_allowed=False, null_allowed=False),
        documentation="Collections to copy; each is read by one of the tasks.",
    )
    .define(
        "api.page.limit", ConfigType.INT, 100, Importance.MEDIUM, group="API",
        validator=Range.between(1, 1000), documentation="Items to ask for in a request.",
    )
    .define(
        "api.timeout.ms", ConfigType.INT, 10_000, Importance.LOW, group="API",
        validator=Range.at_least(1), documentation="How long the API may take to answer.",
    )
    .define(
        "topic", ConfigType.STRING, importance=Importance.HIGH, group="Kafka",
        validator=NonEmptyString(), documentation="Topic of the documents.",
    )
    .define(
        "refresh.interval.ms", ConfigType.INT, 5_000, Importance.MEDIUM, group="API",
        validator=Range.at_least(1),
        documentation="Time between two looks at collections without new items.",
    )
    .define(
        "retry.backoff.ms", ConfigType.INT, 1_000, Importance.LOW, group="API",
        validator=Range.at_least(1),
        documentation="Pause after a failed request, unless the API says how long to wait.",
    )
    .define(
        "retry.after.max.ms", ConfigType.INT, 300_000, Importance.LOW, group="API",
        validator=Range.at_least(1), documentation="Longest pause that the API can ask for.",
    )
)


class ApiClient:
    """One persistent connection, opened again after any trouble on it."""

    def __init__(self, url: str, key: str, timeout: float) -> None:
        parts = urlsplit(url)
        factory = http.client.HTTPConnection
        if parts.scheme == "https":
            factory = http.client.HTTPSConnection
        self._connection = factory(parts.hostname, parts.port, timeout=timeout)
        self._path = parts.path.rstrip("/")
        self._headers = {"X-Api-Key": key, "Accept": "application/json"}

    def get(self, path: str, headers: Mapping[str, str]) -> tuple[http.client.HTTPResponse, bytes]:
        try:
            self._connection.request("GET", self._path + path, headers={**self._headers, **headers})
            response = self._connection.getresponse()
            return response, response.read()
        except BaseException:
            self._connection.close()
            raise

    def interrupt(self) -> None:
        """Make a request that is under way on another thread fail."""
        sock = self._connection.sock
        if sock is not None:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self) -> None:
        self._connection.close()


class Position:
    """A page, by the cursor that it is asked for with, and how many of its items were read."""

    def __init__(self, cursor: str = "", skip: int = 0) -> None:
        self.cursor = cursor
        self.skip = skip
        self.etag: str | None = None

    @classmethod
    def from_offset(cls, offset: Mapping[str, Any] | None) -> Position:
        if offset is None:
            return cls()
        cursor, skip = offset.get("cursor"), offset.get("skip")
        if len(offset) != 2 or not isinstance(cursor, str) or type(skip) is not int or skip < 0:
            raise ConnectError(
                f"invalid offset {dict(offset)!r}: needs a text 'cursor' and a number 'skip'",
                hint="reset the offsets of the connector",
            )
        return cls(cursor, skip)

    def to_offset(self) -> dict[str, Any]:
        return {"cursor": self.cursor, "skip": self.skip}

    def go_to(self, cursor: str, skip: int) -> None:
        if cursor != self.cursor:
            self.etag = None
        self.cursor, self.skip = cursor, skip


class PagewiseSourceConnector(SourceConnector):
    _settings: Mapping[str, str]

    def version(self) -> str:
        return PAGEWISE_VERSION

    def config(self) -> ConfigDef:
        return CONFIG_DEF

    def start(self, props: Mapping[str, str]) -> None:
        CONFIG_DEF.parse(props)
        self._settings = dict(props)

    def stop(self) -> None: ...

    def task_class(self) -> type[PagewiseSourceTask]:
        return PagewiseSourceTask

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        names = CONFIG_DEF.parse(self._settings)["api.collections"]
        groups = group_partitions(names, max_tasks)
        return [{**self._settings, "api.collections": ",".join(g)} for g in groups if g]

    def alter_offsets(self, props, offsets) -> bool:
        for partition, offset in offsets:
            if set(partition) != {"collection"}:
                raise ConnectError(f"unknown source partition {dict(partition)!r}")
            Position.from_offset(offset)
        return True


class PagewiseSourceTask(SourceTask):
    def __init__(self) -> None:
        self._shutdown = threading.Event()
        self._polling = threading.Lock()
        self._client: ApiClient | None = None

    def version(self) -> str:
        return PAGEWISE_VERSION

    def start(self, props: Mapping[str, str]) -> None:
        cfg = CONFIG_DEF.parse(props)
        self._shutdown.clear()
        self._cfg = cfg
        partitions = [{"collection": name} for name in cfg["api.collections"]]
        found = self.context.offset_storage_reader.offsets(partitions)
        self._positions = {p["collection"]: Position.from_offset(offset) for p, offset in found}
        self._client = ApiClient(
            cfg["api.base.url"], cfg["api.key"].value, cfg["api.timeout.ms"] / 1000
        )

    def poll(self) -> Sequence[SourceRecord] | None:
        with self._polling:
            for name in list(self._positions):
                if self._shutdown.is_set():
                    return None
                records = self._next_records(name)
                if records:
                    self._positions[name] = self._positions.pop(name)  # the others come first now
                    return records
            self._shutdown.wait(self._cfg["refresh.interval.ms"] / 1000)
            return None

    def stop(self) -> None:
        self._shutdown.set()
        client = self._client
        if client is not None:
            client.interrupt()
            with self._polling:
                client.close()

    def _next_records(self, name: str) -> list[SourceRecord]:
        position = self._positions[name]
        while not self._shutdown.is_set():
            page = self._fetch(name, position)
            if page is None:
                return []
            items, following = page["items"], page["next"]
            if position.skip > len(items):  # the pages were longer when the offset was stored
                if not items:
                    position.etag = None
                    raise ConnectError(f"collection {name} ends before {position.to_offset()!r}")
                position.go_to(following, position.skip - len(items))
                continue
            records = self._convert(name, position, items, following)
            if records or not items:
                return records
        return []

    def _convert(self, name, position, items, following) -> list[SourceRecord]:
        records: list[SourceRecord] = []
        if position.skip == len(items):
            position.go_to(following, 0)
        for item in items[position.skip:]:
            try:
                key, at, value = int(item["id"]), int(item["stored_ms"]), document(item)
            except (LookupError, TypeError, ValueError, OverflowError, DataError) as error:
                position.etag = None
                if records:
                    break
                where = item.get("id") if isinstance(item, dict) else position.to_offset()
                raise DataError(f"item {where} of collection {name} is invalid: {error}") from error
            last = position.skip + 1 == len(items)
            position.go_to(*((following, 0) if last else (position.cursor, position.skip + 1)))
            records.append(
                SourceRecord(
                    {"collection": name}, position.to_offset(), self._cfg["topic"], value, DOCUMENT,
                    key=key, key_schema=INT64_SCHEMA, timestamp=at,
                )
            )
        return records

    def _fetch(self, name: str, position: Position) -> dict[str, Any] | None:
        """The page at a position; None if it is the same as the last time."""
        query = urlencode({"limit": self._cfg["api.page.limit"], "cursor": position.cursor})
        condition = {"If-None-Match": position.etag} if position.etag else {}
        try:
            path = f"/collections/{quote(name, safe='')}?{query}"
            response, body = self._client.get(path, condition)
        except (OSError, http.client.HTTPException) as error:
            self._shutdown.wait(self._cfg["retry.backoff.ms"] / 1000)
            where = self._cfg["api.base.url"]
            raise RetriableError(f"GET {name}: no answer from {where}: {error!r}") from error
        if response.status == 304:
            return None
        if response.status != 200:
            self._refused(name, response)
        try:
            page = json.loads(body)
            if not isinstance(page["items"], list) or not isinstance(page["next"], str):
                raise TypeError("items must be a list, and next a text")
        except (ValueError, KeyError, TypeError) as error:
            raise ConnectError(f"GET {name}: not a page of items: {error!r}") from error
        position.etag = response.getheader("ETag")
        return page

    def _refused(self, name: str, response: http.client.HTTPResponse) -> None:
        message = f"GET {name}: the API answered {response.status} {response.reason}"
        if response.status not in (408, 425, 429) and response.status < 500:
            raise ConnectError(message, hint="check api.base.url, api.key and api.collections")
        pause = retry_after(response.getheader("Retry-After"))
        if pause is None:
            pause = self._cfg["retry.backoff.ms"] / 1000
        pause = min(pause, self._cfg["retry.after.max.ms"] / 1000)
        logger.info("%s, waiting for %.1f s", message, pause)
        self._shutdown.wait(pause)
        raise RetriableError(message)


def retry_after(header: str | None) -> float | None:
    """Seconds from a header that has seconds or a date."""
    if not header:
        return None
    if header.strip().isdecimal():
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except ValueError:
        return None


def document(item: Mapping[str, Any]) -> Struct:
    body, score = item.get("body"), item.get("score")
    value = Struct(DOCUMENT)
    value.put("title", item["title"]).put("size", item["size"])
    value.put("score", float(score) if type(score) is int else score)
    value.put("edited", datetime.fromisoformat(item["edited"]))
    value.put("body", None if body is None else base64.b64decode(body, validate=True))
    value.put("editor", item.get("editor"))
    value.validate()
    return value
