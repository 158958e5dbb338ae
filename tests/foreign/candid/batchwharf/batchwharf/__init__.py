"""Ships records in batches to the wharf, a service that stores events over HTTP.

Every event has an id, made of where its record stands in Kafka, and the service keeps one event
per id. So a request may be repeated at will, and the events are there exactly once.

    POST {url}/v2/events:batch          gzip, {"events": [{"id": ..., ...}, ...]}
    -> {"results": [{"id": ..., "status": 201}, ...]}

The service may take some events and not others: 409 means that an event is there already, 422 that
it will never be taken, and 429 that it should come again later.
"""

from __future__ import annotations

import base64
import contextlib
import datetime as dt
import gzip
import json
import threading
from decimal import Decimal
from urllib.parse import urlsplit

import urllib3
from plugwright import (
    ConfigDef,
    ConfigError,
    ConfigType,
    ConnectError,
    DataError,
    Importance,
    LambdaValidator,
    Range,
    RetriableError,
    SinkConnector,
    SinkTask,
)

VERSION = "5.2.0"


def url_of_a_service(name, value):
    parts = urlsplit(value) if isinstance(value, str) else None
    if parts is None or parts.scheme not in {"http", "https"} or not parts.netloc:
        raise ConfigError(f"{name} must be an http or https URL")
    if parts.username is not None:
        raise ConfigError(f"{name} must name no user, who would be shown in messages")


CONFIG = (
    ConfigDef()
    .define("wharf.url", ConfigType.STRING, importance=Importance.HIGH,
            validator=LambdaValidator.with_(url_of_a_service, lambda: "http or https URL"),
            documentation="URL of the service.")
    .define("wharf.api.key", ConfigType.PASSWORD, importance=Importance.HIGH,
            documentation="Key that is sent in the header X-Api-Key.")
    .define("batch.events", ConfigType.INT, 250, Importance.MEDIUM, "Events in one request.",
            validator=Range.between(1, 1000))
    .define("event.attempts", ConfigType.INT, 4, Importance.LOW,
            "How often to send an event that is put off, before the whole batch starts anew.",
            validator=Range.between(1, 50))
    .define("retry.backoff.ms", ConfigType.INT, 500, Importance.LOW,
            "How long to wait before the next attempt, if the service does not specify it.",
            validator=Range.between(1, 60_000))
    .define("request.timeout.ms", ConfigType.INT, 15_000, Importance.LOW,
            "How long to wait for a connection, and for each part of an answer.",
            validator=Range.between(50, 120_000))
)  # fmt: skip


class BatchWharfSinkConnector(SinkConnector):
    def __init__(self):
        self._props = None

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        CONFIG.parse(props)
        self._props = dict(props)

    def task_class(self):
        return BatchWharfSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        self._props = None


class TooLarge(Exception):
    """The service does not take that much at once."""


class BatchWharfSinkTask(SinkTask):
    def __init__(self):
        self._stopping = threading.Event()
        self._pool = None

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._url = config["wharf.url"].rstrip("/")
        self._path = urlsplit(self._url).path
        self._most = config["batch.events"]
        self._attempts = config["event.attempts"]
        self._backoff_s = config["retry.backoff.ms"] / 1000
        self._pool = urllib3.connection_from_url(
            self._url,
            maxsize=1,
            timeout=config["request.timeout.ms"] / 1000,
            retries=False,
            headers={
                "X-Api-Key": config["wharf.api.key"].value,
                "User-Agent": f"batchwharf/{VERSION}",
                "Content-Type": "application/json",
                "Content-Encoding": "gzip",
            },
        )

    def put(self, records):
        reporter = self.context.errant_record_reporter() if records else None
        events, refused = {}, []
        for record in records:
            try:
                event = event_of(record)
            except DataError as error:
                refused.append((record, error))
            else:
                events[event["id"]] = (record, event)
        if refused and reporter is None:
            raise refused[0][1]
        waiting = list(events.values())
        for begin in range(0, len(waiting), self._most):
            refused += self._ship(waiting[begin : begin + self._most])
        if refused and reporter is None:
            raise refused[0][1]
        for record, error in refused:
            reporter.report(record, error)

    def stop(self):
        self._stopping.set()
        pool = self._pool
        if pool is not None:
            pool.close()

    def _ship(self, shipment):
        """Send events until each is taken or refused; those that are refused, with the reason."""
        refused, put_off = [], shipment
        for attempt in range(self._attempts):
            if attempt:
                self._stopping.wait(self._backoff_s * 2 ** min(attempt - 1, 6))
            if self._stopping.is_set():
                break
            try:
                statuses = self._post([event for _, event in put_off])
            except TooLarge as error:
                if len(put_off) == 1:
                    ((record, event),) = put_off
                    return [*refused, (record, self._refusal(event, 413, str(error)))]
                middle = len(put_off) // 2
                return [
                    *refused, *self._ship(put_off[:middle]), *self._ship(put_off[middle:]),
                ]  # fmt: skip
            again = []
            for record, event in put_off:
                status, reason = statuses.get(event["id"], (429, "it is not in the answer"))
                if status in {400, 422}:
                    refused.append((record, self._refusal(event, status, reason)))
                elif status not in {200, 201, 409}:
                    again.append((record, event))
            if not again:
                return refused
            put_off = again
        raise RetriableError(
            f"the wharf at {self._url} puts off {len(put_off)} events, the first is "
            f"{put_off[0][1]['id']}",
            code="batchwharf.busy",
            facts={"url": self._url, "events": len(put_off)},
        )

    def _post(self, events):
        """Send events once; the status and the reason of each, by id."""
        body = gzip.compress(json.dumps({"events": events}).encode("ascii"), 1)
        try:
            answer = self._pool.urlopen("POST", f"{self._path}/v2/events:batch", body)
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise self._outage(str(error)) from error
        status, text = answer.status, answer.data
        retry_after = answer.headers.get("Retry-After", "")
        if status == 413:
            raise TooLarge(text[:200].decode("utf-8", "replace"))
        if status in {408, 425, 429} or status >= 500:
            if retry_after.isdecimal():
                self.context.timeout(min(int(retry_after), 300) * 1000)
            raise self._outage(f"HTTP {status}")
        if status not in {200, 207}:
            raise ConnectError(
                f"the wharf at {self._url} refuses with HTTP {status}: "
                f"{text[:200].decode('utf-8', 'replace')}",
                code="batchwharf.http",
                hint="check wharf.url and wharf.api.key",
                facts={"url": self._url, "status": status},
            )
        try:
            results = json.loads(text)["results"]
            return {each["id"]: (each["status"], each.get("reason", "")) for each in results}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise self._outage(f"an answer that cannot be read: {error!r}") from error

    def _outage(self, what):
        return RetriableError(
            f"the wharf at {self._url} is not available: {what}",
            code="batchwharf.unavailable",
            facts={"url": self._url},
        )

    def _refusal(self, event, status, reason):
        return DataError(
            f"the wharf at {self._url} does not take event {event['id']}: {status} {reason}",
            code="batchwharf.refused",
            facts={"url": self._url, "id": event["id"], "status": status},
        )


def event_of(record):
    """A record as the service takes it.

    Raises:
        DataError: if there is something in it that the service does not know.
    """
    place = (
        f"{record.original_topic}/{record.original_kafka_partition}/{record.original_kafka_offset}"
    )
    with naming(place):
        return {
            "id": place,
            "topic": record.topic,
            "time": record.timestamp,
            "key": tagged(record.key),
            "body": tagged(record.value),
            "attributes": [[header.key, tagged(header.value)] for header in record.headers],
        }


@contextlib.contextmanager
def naming(place):
    try:
        yield
    except (TypeError, ValueError) as error:
        raise DataError(
            f"the record at {place} cannot be an event: {error}",
            code="batchwharf.record",
            facts={"place": place},
        ) from error


def tagged(value):
    """A value with the name of its type, as JSON would not keep it."""
    if value is None:
        return None
    if isinstance(value, str):
        value.encode("utf-8")  # half of a pair of surrogates is no text
        return ["text", value]
    if isinstance(value, bool):
        return ["bool", value]
    if isinstance(value, int):
        return ["int", str(value)]
    if isinstance(value, float):
        return ["float", value.hex()]
    if isinstance(value, Decimal):
        return ["decimal", str(value)]
    if isinstance(value, dt.datetime):
        return ["timestamp", value.astimezone(dt.UTC).isoformat()]
    if isinstance(value, dt.date):
        return ["date", value.isoformat()]
    if isinstance(value, dt.time):
        return ["time", value.isoformat()]
    if isinstance(value, bytes | bytearray | memoryview):
        return ["bytes", base64.b64encode(value).decode("ascii")]
    raise TypeError(f"the wharf has no type for {type(value).__name__}")
