"""Reads the tickets of a help desk over its HTTP interface, queue by queue, within its rate limit.

The desk numbers the tickets of a queue in the order in which it shows them, with gaps. A task asks
for those behind the last one that it has handed over.
"""

from __future__ import annotations

import email.utils
import http.client
import json
import socket
import threading
import time
from datetime import UTC, datetime, timedelta
from urllib.parse import quote, urlencode, urlsplit

from plugwright import (
    OPTIONAL_STRING_SCHEMA,
    STRING_SCHEMA,
    ConfigDef,
    ConfigError,
    ConfigType,
    ConnectError,
    DataError,
    ExactlyOnceSupport,
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
    ValidList,
    group_partitions,
)

VERSION = "2.1.0"
BUSY = {408, 425, 429, 500, 502, 503, 504}
LONGEST_WAIT_S = 300
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TICKET = (
    SchemaBuilder.struct()
    .name("ticketfeed.Ticket")
    .field("queue", STRING_SCHEMA)
    .field("subject", STRING_SCHEMA)
    .field("agent", OPTIONAL_STRING_SCHEMA)
    .field("opened", Timestamp.SCHEMA)
    .build()
)


def _check_url(name, value):
    text = value or ""
    try:
        parts = urlsplit(text)
        fits = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fits = False
    if not fits or not text.isascii() or not text.isprintable() or set("@?# ") & set(text):
        raise ConfigError(
            f"{name} must be an http or https address without user, password, query and fragment",
            code="ticketfeed.url",
        )


def _check_token(name, value):
    text = "" if value is None else value.value
    if not text or not text.isascii() or not text.isprintable():
        raise ConfigError(f"{name} must be printable ASCII text", code="ticketfeed.token")


CONFIG = (
    ConfigDef()
    .define(
        "desk.url",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(_check_url, lambda: "http or https address"),
        documentation="Address of the desk.",
    )
    .define(
        "desk.token",
        ConfigType.PASSWORD,
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(_check_token, lambda: "printable ASCII text"),
        documentation="Token that is sent with each request.",
    )
    .define(
        "desk.queues",
        ConfigType.LIST,
        importance=Importance.HIGH,
        validator=ValidList.any_non_duplicate_values(empty_allowed=False, null_allowed=False),
        documentation="Names of the queues to read.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives the tickets.",
    )
    .define(
        "page.size",
        ConfigType.INT,
        default=100,
        importance=Importance.LOW,
        validator=Range.between(1, 1000),
        documentation="Most tickets of one request.",
    )
    .define(
        "poll.interval.ms",
        ConfigType.INT,
        default=200,
        importance=Importance.LOW,
        validator=Range.between(10, 60_000),
        documentation="How long to wait after a round through the queues that found nothing.",
    )
    .define(
        "request.timeout.ms",
        ConfigType.INT,
        default=10_000,
        importance=Importance.LOW,
        validator=Range.between(10, 300_000),
        documentation="How long an answer may take.",
    )
)


class TicketFeedSourceConnector(SourceConnector):
    """Divides the queues among the tasks."""

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
        return TicketFeedSourceTask

    def task_configs(self, max_tasks):
        queues = CONFIG.parse(self._props)["desk.queues"]
        groups = group_partitions(queues, min(max_tasks, len(queues)))
        return [{**self._props, "desk.queues": ",".join(group)} for group in groups]

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if set(partition) != {"queue"} or not isinstance(partition["queue"], str):
                raise ConnectError(
                    f"a partition must be {{'queue': name}}, found {dict(partition)!r}",
                    code="ticketfeed.partition",
                )
            if offset is not None:
                _place(offset, partition["queue"])
        return False


class TicketFeedSourceTask(SourceTask):
    """One thread polls; ``stop`` may come from another one at any time."""

    def __init__(self):
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._connection = None
        self._not_before = 0.0
        self._turn = 0

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._url = urlsplit(config["desk.url"])
        self._topic = config["topic"]
        self._size = config["page.size"]
        self._pause_s = config["poll.interval.ms"] / 1000
        self._timeout_s = config["request.timeout.ms"] / 1000
        self._headers = {
            "Authorization": f"Bearer {config['desk.token'].value}",
            "Accept": "application/json",
        }
        self._queues = config["desk.queues"]
        self._after = {}
        for queue in self._queues:
            stored = self.context.offset_storage_reader.offset({"queue": queue})
            self._after[queue] = 0 if stored is None else _place(stored, queue)

    def poll(self):
        # what was handed over so far is in self._after; it moves only with a batch that is returned
        rest = self._not_before - time.monotonic()
        if rest > 0:
            self._stopping.wait(min(rest, 0.5))
            return None
        with self._lock:
            for _ in self._queues:
                if self._stopping.is_set():
                    return None
                queue = self._queues[self._turn % len(self._queues)]
                self._turn += 1
                if records := self._next_page(queue):
                    self._after[queue] = records[-1].source_offset["after"]
                    return records
        self._stopping.wait(self._pause_s)
        return None

    def stop(self):
        self._stopping.set()
        while not self._lock.acquire(timeout=0.05):
            self._interrupt()
        try:
            self._leave()
        finally:
            self._lock.release()

    def _interrupt(self):
        """Let a poll that waits for an answer return at once."""
        sock = getattr(self._connection, "sock", None)
        if sock is not None:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it is closed already

    def _next_page(self, queue):
        """The records of the next tickets, up to the first one that cannot be read."""
        records, place = [], self._after[queue]
        for ticket in self._tickets(queue, place):
            try:
                record = self._record(queue, place, ticket)
            except DataError:
                if not records:
                    raise
                break  # it is the first one of the next page
            records.append(record)
            place = record.source_offset["after"]
        return records

    def _record(self, queue, place, ticket):
        where = f"queue {queue!r} behind ticket {place}"
        if not isinstance(ticket, dict):
            raise DataError(f"a ticket must be an object in {where}", code="ticketfeed.ticket")
        number, opened = ticket.get("number"), ticket.get("opened")
        if type(number) is not int or number <= place:
            raise DataError(
                f"a ticket must have a number above {place}, found {number!r} in {where}",
                code="ticketfeed.number",
            )
        where = f"ticket {number} of queue {queue!r}"
        subject, agent = ticket.get("subject"), ticket.get("agent")
        if not isinstance(subject, str) or not isinstance(agent, str | None):
            raise DataError(
                f"subject and agent must be texts, found {subject!r} and {agent!r} in {where}",
                code="ticketfeed.text",
            )
        if type(opened) is not int or opened < 0:
            raise DataError(
                f"opened must be milliseconds, found {opened!r} in {where}", code="ticketfeed.time"
            )
        return SourceRecord(
            {"queue": queue},
            {"after": number},
            self._topic,
            _value(queue, subject, agent, opened, where),
            TICKET,
            key=f"{queue}/{number}",
            key_schema=STRING_SCHEMA,
            timestamp=opened,
        )

    def _tickets(self, queue, place):
        query = urlencode({"after": place, "limit": self._size})
        path = f"{self._url.path.rstrip('/')}/queues/{quote(queue, safe='')}/tickets?{query}"
        status, headers, body = self._ask(path)
        if status in BUSY:
            self._hold_off(headers.get("Retry-After", ""))
        if status != 200:
            said = body.decode("utf-8", "replace")[:300]
            raise (RetriableError if status in BUSY else ConnectError)(
                f"queue {queue!r} cannot be read from {self._url.geturl()}: {status} {said}",
                code="ticketfeed.refused",
                facts={"url": self._url.geturl(), "queue": queue, "status": status},
            )
        try:
            tickets = json.loads(body)["tickets"]
        except (ValueError, KeyError, TypeError) as error:
            raise RetriableError(
                f"{self._url.geturl()} did not answer with tickets of {queue!r}: {error}",
                code="ticketfeed.answer",
            ) from error
        if not isinstance(tickets, list):
            raise DataError(f"tickets of {queue!r} must be a list", code="ticketfeed.answer")
        return tickets

    def _ask(self, path):
        try:
            if self._connection is None:
                kind = http.client.HTTPSConnection
                if self._url.scheme == "http":
                    kind = http.client.HTTPConnection
                self._connection = kind(self._url.netloc, timeout=self._timeout_s)
            self._connection.request("GET", path, headers=self._headers)
            answer = self._connection.getresponse()
            return answer.status, answer.headers, answer.read()
        except (OSError, http.client.HTTPException) as error:
            self._leave()
            raise RetriableError(
                f"{self._url.geturl()} cannot be reached: {type(error).__name__}: {error}",
                code="ticketfeed.connection",
                facts={"url": self._url.geturl()},
            ) from error

    def _hold_off(self, text):
        """Leave the desk alone for as long as it asks, which is in seconds or until a time."""
        wait_s = 1.0
        if text.isascii() and text.isdecimal():
            wait_s = float(text)
        elif text:
            try:
                until = email.utils.parsedate_to_datetime(text)
            except ValueError:
                until = None
            if until is not None:
                if until.tzinfo is None:
                    until = until.replace(tzinfo=UTC)
                wait_s = (until - datetime.now(UTC)).total_seconds()
        self._not_before = time.monotonic() + min(max(wait_s, 0.0), LONGEST_WAIT_S)

    def _leave(self):
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _value(queue, subject, agent, opened, where):
    try:
        moment = EPOCH + timedelta(milliseconds=opened)
    except OverflowError as error:
        raise DataError(f"no time is {opened} in {where}", code="ticketfeed.time") from error
    value = Struct(TICKET)
    value["queue"] = queue
    value["subject"] = subject
    value["agent"] = agent
    value["opened"] = moment
    return value


def _place(offset, queue):
    """The number in an offset, which an operator may have changed."""
    number = offset.get("after")
    if set(offset) != {"after"} or type(number) is not int or number < 0:
        raise ConnectError(
            f"an offset of queue {queue!r} must be {{'after': number}}, found {dict(offset)!r}",
            code="ticketfeed.offset",
        )
    return number
