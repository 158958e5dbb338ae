"""The task: asks for what comes after the last item."""

from __future__ import annotations

import http.client
import json
import threading
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode, urlsplit

from pagedhttp.connector import CONFIG, VERSION
from plugwright import (
    INT64_SCHEMA,
    STRING_SCHEMA,
    ConnectError,
    DataError,
    RetriableError,
    SchemaBuilder,
    SourceRecord,
    SourceTask,
    Struct,
    Timestamp,
)

ITEM = (
    SchemaBuilder.struct()
    .name("pagedhttp.Item")
    .version(1)
    .field("id", INT64_SCHEMA)
    .field("text", STRING_SCHEMA)
    .field("at", Timestamp.SCHEMA)
    .build()
)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def cursor_of(offset):
    cursor = offset.get("after")
    if set(offset) != {"after"} or type(cursor) is not int or cursor < 0:
        raise ConnectError(
            f"an offset must be {{'after': id from 0}}, found {dict(offset)!r}",
            code="pagedhttp.bad-offset",
        )
    return cursor


class PagedHttpTask(SourceTask):
    def __init__(self):
        self._stopping = threading.Event()

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._url = config["service.url"]
        self._token = config["service.token"]
        self._topic = config["topic"]
        self._size = config["page.size"]
        self._wait_s = config["poll.interval.ms"] / 1000
        self._timeout_s = config["timeout.ms"] / 1000
        self._whole = config["value.format"] == "envelope"
        self._partition = {"service": self._url}
        stored = self.context.offset_storage_reader.offset(self._partition)
        self._after = 0 if stored is None else cursor_of(stored)
        self._stopping.clear()

    def poll(self):
        try:
            page = self._page()
        except (OSError, http.client.HTTPException) as error:
            self._stopping.wait(self._wait_s)
            raise RetriableError(
                f"{self._url} does not answer: {error}", code="pagedhttp.unreachable"
            ) from error
        records = []
        for item in page:
            try:
                records.append(self._record(item))
            except DataError:
                if records:
                    break
                raise
            self._after = item["id"]
        if not records:
            self._stopping.wait(self._wait_s)
            return None
        return records

    def stop(self):
        self._stopping.set()

    def _page(self):
        parts = urlsplit(self._url)
        kind = (
            http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        )
        connection = kind(parts.netloc, timeout=self._timeout_s)
        try:
            query = urlencode({"after": self._after, "limit": self._size})
            headers = {"Authorization": f"Bearer {self._token.value}"} if self._token.value else {}
            connection.request("GET", f"{parts.path}?{query}", headers=headers)
            answer = connection.getresponse()
            body = answer.read()
        finally:
            connection.close()
        if answer.status >= 500 or answer.status == 429:
            self._stopping.wait(self._wait_s)
            raise RetriableError(
                f"{self._url} says {answer.status} {answer.reason}", code="pagedhttp.busy"
            )
        if answer.status != 200:
            raise ConnectError(
                f"{self._url} says {answer.status} {answer.reason}: {body.decode(errors='replace')[:200]}",
                code="pagedhttp.refused",
            )
        return json.loads(body)["items"]

    def _record(self, item):
        if not isinstance(item["text"], str):
            raise DataError(
                f"item {item['id']} has {type(item['text']).__name__} as its text, expected a string",
                code="pagedhttp.not-text",
            )
        moment = datetime.fromisoformat(item["at"]).astimezone(UTC)
        if self._whole:
            value = Struct(ITEM)
            value["id"] = item["id"]
            value["text"] = item["text"]
            value["at"] = moment
        return SourceRecord(
            self._partition,
            {"after": item["id"]},
            self._topic,
            value if self._whole else item["text"],
            ITEM if self._whole else STRING_SCHEMA,
            key=str(item["id"]),
            key_schema=STRING_SCHEMA,
            timestamp=(moment - EPOCH) // timedelta(milliseconds=1),
        )
