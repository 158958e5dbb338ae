"""Source connector for the rate book, an HTTP API that lists exchange rates in order of publication.

    GET {url}/v1/rates?after=SEQ&limit=N
    -> {"rates": [{"seq": 8, "published": 1767225600000, "rate": {...}}, ...], "more": true}

The service numbers what it publishes without gaps in time: a page contains everything behind
``after`` up to its last item. Answers have an ETag, so asking at the end of the list costs nothing.
"""

from __future__ import annotations

import datetime as dt
import decimal
import email.utils
import http.client
import json
import threading
import urllib.parse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from plugwright import (
    INT64_SCHEMA,
    STRING_SCHEMA,
    ConfigDef,
    ConfigError,
    ConfigType,
    ConnectError,
    DataError,
    Date,
    Decimal,
    ExactlyOnceSupport,
    Headers,
    Importance,
    LambdaValidator,
    NonEmptyString,
    Range,
    RetriableError,
    SchemaBuilder,
    SourceConnector,
    SourceRecord,
    SourceTask,
    Struct,
    Timestamp,
)

__version__ = "0.9.4"

RATE_KEY = SchemaBuilder.struct().name("ratebook.RateKey").field("id", INT64_SCHEMA).build()
RATE = (
    SchemaBuilder.struct()
    .name("ratebook.Rate")
    .version(1)
    .field("id", INT64_SCHEMA)
    .field("pair", STRING_SCHEMA)
    .field("rate", Decimal.schema(6))
    .field("valid_on", Date.builder().optional().build())
    .field("fixed_at", Timestamp.builder().optional().build())
    .field("final", SchemaBuilder.bool().optional().build())
    .field("note", SchemaBuilder.string().optional().build())
    .build()
)
_MICRO = decimal.Decimal(1).scaleb(-6)
_WIDE = decimal.Context(prec=200, traps=[decimal.InvalidOperation, decimal.Inexact])
_LONGEST_WAIT_S = 300.0


def _check_url(name: str, value: object) -> None:
    try:
        parts = urllib.parse.urlsplit(str(value))
        good = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
        good = good and parts.username is None  # it would be seen in every message
    except ValueError:
        good = False
    if not good:
        raise ConfigError(f"{name} must be the URL of a service, without a user", code="ratebook.url")


CONFIG = (
    ConfigDef()
    .define("ratebook.url", ConfigType.STRING, importance=Importance.HIGH,
            validator=LambdaValidator.with_(_check_url, lambda: "URL with http or https"),
            documentation="Base URL of the service.")
    .define("ratebook.token", ConfigType.PASSWORD, default=None, importance=Importance.HIGH,
            documentation="Token to authenticate with, if the service wants one.")
    .define("topic", ConfigType.STRING, importance=Importance.HIGH, validator=NonEmptyString(),
            documentation="Topic to write the rates to.")
    .define("page.size", ConfigType.INT, default=200, importance=Importance.MEDIUM,
            validator=Range.between(1, 1000), documentation="Rates in one request at most.")
    .define("poll.interval.ms", ConfigType.INT, default=5000, importance=Importance.MEDIUM,
            validator=Range.between(10, 3_600_000),
            documentation="How long to wait at the end of the list before asking again.")
    .define("request.timeout.ms", ConfigType.INT, default=15_000, importance=Importance.LOW,
            validator=Range.between(100, 300_000),
            documentation="How long to wait for the service at most, for each step of a request.")
)  # fmt: skip


class RateBookSourceConnector(SourceConnector):
    """One list, which is read in order, so there is one task."""

    def version(self) -> str:
        return __version__

    def config(self) -> ConfigDef:
        return CONFIG

    def start(self, props: Mapping[str, str]) -> None:
        CONFIG.parse(props)
        self._props = dict(props)

    def task_class(self) -> type[SourceTask]:
        return RateBookSourceTask

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        return [self._props]

    def stop(self) -> None:
        """Holds nothing."""

    def exactly_once_support(self, props: Mapping[str, str]) -> ExactlyOnceSupport:
        return ExactlyOnceSupport.SUPPORTED

    def alter_offsets(self, props, offsets) -> bool:
        for partition, offset in offsets:
            if set(partition) != {"ratebook"} or not isinstance(partition["ratebook"], str):
                raise ConnectError(
                    f"the source partition must be {{'ratebook': url}}, found {dict(partition)!r}",
                    code="ratebook.partition",
                )
            if offset is not None:
                _sequence(offset)
        return False


@dataclass(frozen=True)
class Answer:
    """What is needed of an answer over HTTP."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes


class RateBookSourceTask(SourceTask):
    """Pages through the list over one connection that is kept open."""

    def __init__(self) -> None:
        self._done = threading.Event()
        self._guard = threading.Lock()
        self._connection: http.client.HTTPConnection | None = None
        self._etag: tuple[str, str] | None = None
        self._more = False
        self._failures = 0

    def version(self) -> str:
        return __version__

    def start(self, props: Mapping[str, str]) -> None:
        config = CONFIG.parse(props)
        self._url: str = config["ratebook.url"].rstrip("/")
        self._topic: str = config["topic"]
        self._limit: int = config["page.size"]
        self._interval_s: float = config["poll.interval.ms"] / 1000
        self._timeout_s: float = config["request.timeout.ms"] / 1000
        self._partition = {"ratebook": self._url}
        stored = self.context.offset_storage_reader.offset(self._partition)
        self._after = 0 if stored is None else _sequence(stored)

    def poll(self) -> Sequence[SourceRecord] | None:
        if self._done.is_set():
            return None
        try:
            answer = self._get(f"/v1/rates?after={self._after}&limit={self._limit}")
        except (OSError, http.client.HTTPException) as error:
            self._hang_up()
            if self._done.is_set():
                return None
            raise self._later(f"{error or type(error).__name__}") from error
        if answer.status in {429, 500, 502, 503, 504}:
            raise self._later(f"HTTP {answer.status}", answer.headers.get("Retry-After"))
        if answer.status not in {200, 304}:
            raise ConnectError(
                f"the rate book at {self._url} answers with HTTP {answer.status}: "
                f"{answer.body[:200].decode('utf-8', 'replace')}",
                code="ratebook.http",
                hint="check ratebook.url and ratebook.token",
                facts={"url": self._url, "status": answer.status},
            )
        self._failures = 0
        records = [] if answer.status == 304 else self._records(answer)
        if not records:
            self._done.wait(self._interval_s)
            return None
        self._after = records[-1].source_offset["seq"]
        return records

    def stop(self) -> None:
        self._done.set()
        self._hang_up(aborting=True)

    def _get(self, path: str) -> Answer:
        base = urllib.parse.urlsplit(self._url)
        with self._guard:
            if self._done.is_set():
                raise ConnectionAbortedError("the task is stopping")
            if self._connection is None:
                kind = http.client.HTTPConnection
                if base.scheme == "https":
                    kind = http.client.HTTPSConnection
                self._connection = kind(base.hostname, base.port, timeout=self._timeout_s)
            connection = self._connection
        headers = {"Accept": "application/json", "User-Agent": f"ratebook/{__version__}"}
        token = CONFIG.parse_value("ratebook.token", self._current("ratebook.token"))
        if token is not None:
            headers["Authorization"] = f"Bearer {token.value}"
        if self._etag is not None and self._etag[0] == path:
            headers["If-None-Match"] = self._etag[1]
        connection.request("GET", base.path + path, headers=headers)
        response = connection.getresponse()
        answer = Answer(response.status, response.headers, response.read())
        if response.will_close or self._done.is_set():
            self._hang_up()
        return answer

    def _current(self, name: str) -> str | None:
        """A setting that may be rotated while the task runs."""
        return self.context.configs.get(name)

    def _records(self, answer: Answer) -> list[SourceRecord]:
        try:
            page = json.loads(answer.body, parse_float=decimal.Decimal)
            items = list(page["rates"])
        except (ValueError, TypeError, KeyError) as error:
            raise self._later(f"an answer that is no page: {error!r}") from error
        records: list[SourceRecord] = []
        for item in items:
            try:
                records.append(self._record(item))
            except (DataError, ValueError, TypeError, KeyError, ArithmeticError) as error:
                if records:
                    break  # first what is good; the next request begins with this one
                seq = item.get("seq") if isinstance(item, dict) else None
                raise DataError(
                    f"rate {seq} of {self._url} cannot be read: {error!r}",
                    code="ratebook.rate",
                    facts={"url": self._url, "seq": seq},
                ) from error
        if not records and (etag := answer.headers.get("ETag")):
            self._etag = (f"/v1/rates?after={self._after}&limit={self._limit}", etag)
        return records

    def _record(self, item: Mapping[str, Any]) -> SourceRecord:
        given = item["rate"]
        rate = Struct(RATE)
        rate["id"] = given["id"]
        rate["pair"] = given["pair"]
        rate["rate"] = decimal.Decimal(given["rate"]).quantize(_MICRO, context=_WIDE)
        if given.get("valid_on") is not None:
            rate["valid_on"] = dt.date.fromisoformat(given["valid_on"])
        if given.get("fixed_at") is not None:
            rate["fixed_at"] = dt.datetime.fromisoformat(given["fixed_at"])
        rate["final"] = given.get("final")
        rate["note"] = given.get("note")
        rate.validate()
        key = Struct(RATE_KEY).put("id", given["id"])
        seq = item["seq"]
        if type(seq) is not int or seq <= self._after:
            raise ValueError(f"seq {seq!r} is not behind {self._after}")
        return SourceRecord(
            self._partition,
            {"seq": seq},
            self._topic,
            rate,
            RATE,
            key=key,
            key_schema=RATE_KEY,
            timestamp=item["published"],
            headers=Headers().add_long("ratebook.seq", seq).add_string("ratebook.url", self._url),
        )

    def _later(self, what: str, retry_after: str | None = None) -> RetriableError:
        """Wait as long as the service wants, or longer with each failure."""
        self._failures += 1
        pause_s = _seconds(retry_after)
        if pause_s is None:
            pause_s = min(0.25 * 2 ** min(self._failures - 1, 10), 30.0)
        self._done.wait(min(pause_s, _LONGEST_WAIT_S))
        return RetriableError(
            f"the rate book at {self._url} is not available: {what}",
            code="ratebook.unavailable",
            facts={"url": self._url},
        )

    def _hang_up(self, *, aborting: bool = False) -> None:
        with self._guard:
            connection, self._connection = self._connection, None
            if connection is None:
                return
            sock = connection.sock
            if aborting and sock is not None:
                try:
                    sock.shutdown(2)  # ends what the other thread waits for
                except OSError:
                    pass
            connection.close()


def _seconds(retry_after: str | None) -> float | None:
    """What Retry-After means: a number of seconds, or a date."""
    if retry_after is None:
        return None
    try:
        return max(0.0, float(int(retry_after)))
    except ValueError:
        pass
    try:
        moment = email.utils.parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=dt.UTC)
    return max(0.0, (moment - dt.datetime.now(dt.UTC)).total_seconds())


def _sequence(offset: Mapping[str, Any]) -> int:
    if set(offset) != {"seq"} or type(offset["seq"]) is not int or offset["seq"] < 0:
        raise ConnectError(
            f"the offset of a rate book must be {{'seq': number}}, found {dict(offset)!r}",
            code="ratebook.offset",
            hint="alter or reset the offsets of the connector",
        )
    return offset["seq"]
