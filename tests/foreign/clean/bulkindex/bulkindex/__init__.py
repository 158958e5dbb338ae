"""Fills a search index with bulk requests.

Documents are collected and sent by an asyncio loop that runs in a thread of its own, some requests
at a time. The id of a document is ``topic+partition+offset`` of its record and its version is the
offset plus one; the index answers 409 for a version that it has, so a replay changes nothing.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import json
import math
import ssl
import threading
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

import plugwright as pw
from plugwright import ConfigType, ConnectError, DataError, Importance, Range, RetriableError

VERSION = "1.0.0b2"
BUSY = {408, 429, 502, 503, 504}


def _valid_url(name: str, value: object) -> None:
    try:
        url = urlsplit(str(value))
        ok = url.scheme in {"http", "https"} and url.hostname and not url.username and url.port != 0
    except ValueError:
        ok = False
    if not ok:
        raise pw.ConfigError(f"Invalid value for configuration {name}: not the URL of an index")


CONFIG_DEF = pw.ConfigDef()
for _name, _type, _default, _validator, _doc in [
    ("index.url", ConfigType.STRING, pw.NO_DEFAULT_VALUE, _valid_url,
     "URL of the search service, such as https://search:9200"),
    ("index.name", ConfigType.STRING, "records", pw.NonEmptyString(), "Index to write to."),
    ("index.api.key", ConfigType.PASSWORD, pw.NO_DEFAULT_VALUE, None, "API key of the service."),
    ("index.bulk.size", ConfigType.INT, 500, Range.between(1, 10_000), "Documents of a request."),
    ("index.linger.ms", ConfigType.INT, 1000, Range.at_least(0),
     "How long documents wait for a request to fill up. A commit of offsets does not wait."),
    ("index.concurrency", ConfigType.INT, 2, Range.between(1, 32), "Requests at a time."),
    ("index.attempts", ConfigType.INT, 4, Range.between(1, 50),
     "Attempts for a request before the worker is asked to try again later."),
    ("index.backoff.ms", ConfigType.INT, 200, Range.at_least(1), "First pause between attempts."),
    ("index.timeout.ms", ConfigType.INT, 5000, Range.at_least(1), "Time limit of an attempt."),
]:  # fmt: skip
    CONFIG_DEF.define(
        _name,
        _type,
        _default,
        Importance.HIGH if _default is pw.NO_DEFAULT_VALUE else Importance.LOW,
        _doc,
        validator=_validator,
    )


class BulkIndexSinkConnector(pw.SinkConnector):
    def version(self):
        return VERSION

    def config(self):
        return CONFIG_DEF

    def start(self, props):
        CONFIG_DEF.parse(props)
        self.props = dict(props)

    def task_class(self):
        return BulkIndexSinkTask

    def task_configs(self, max_tasks):
        return [self.props for _ in range(max_tasks)]

    def stop(self):
        pass


@dataclass(frozen=True, slots=True)
class Document:
    record: pw.SinkRecord
    id: str
    body: bytes

    @property
    def place(self):
        return pw.TopicPartition(
            self.record.original_topic, self.record.original_kafka_partition
        )


class BulkIndexSinkTask(pw.SinkTask):
    loop = thread = None

    def version(self):
        return VERSION

    def start(self, props):
        self.conf = CONFIG_DEF.parse(props)
        self.buffer: dict[str, Document] = {}
        self.oldest = 0.0
        self.flights: list[tuple[concurrent.futures.Future, list[Document]]] = []
        self.gone: set[pw.TopicPartition] = set()
        self.client = Client(self.conf)
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self._loop, args=(self.loop,), daemon=True)
        self.thread.start()

    @staticmethod
    def _loop(loop):
        loop.run_forever()
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        if tasks:
            loop.run_until_complete(asyncio.wait(tasks))
        loop.close()

    def open(self, partitions):
        self.gone -= set(partitions)

    def put(self, records):
        self._land(wait=False)
        if len(self.buffer) + sum(len(sent) for _, sent in self.flights) > 20_000:
            self.flush({})
        for record in records:
            try:
                document = make_document(record)
            except DataError as error:
                self._report(record, error)
                continue
            self.gone.discard(document.place)
            if not self.buffer:
                self.oldest = time.monotonic()
            self.buffer[document.id] = document
        lingered = (time.monotonic() - self.oldest) * 1000 >= self.conf["index.linger.ms"]
        self._take_off(everything=lingered)

    def flush(self, offsets):
        self._take_off(everything=True)
        self._land(wait=True)

    def close(self, partitions):
        self.gone |= set(partitions)
        self.buffer = {i: d for i, d in self.buffer.items() if d.place not in self.gone}

    def stop(self):
        loop, self.loop = self.loop, None
        if loop is not None:
            loop.call_soon_threadsafe(loop.stop)
            self.thread.join(0.9)

    def _take_off(self, *, everything):
        size, loop = self.conf["index.bulk.size"], self.loop
        if loop is None:
            raise RetriableError("the task was stopped")
        while len(self.buffer) >= size or (everything and self.buffer):
            chosen = list(self.buffer.values())[:size]
            for document in chosen:
                del self.buffer[document.id]
            work = self.client.index(chosen)
            self.flights.append((asyncio.run_coroutine_threadsafe(work, loop), chosen))

    def _land(self, *, wait):
        """Look at requests that have ended, or at all; documents that failed are kept."""
        flights, self.flights = self.flights, []
        failure = None
        for flight, sent in flights:
            if not wait and not flight.done():
                self.flights.append((flight, sent))
                continue
            try:
                while not flight.done() and self.loop is not None:
                    concurrent.futures.wait([flight], timeout=0.2)
                if not flight.done():
                    raise RetriableError("the task was stopped")
                rejected = flight.result()
                for document, reason in rejected:
                    message = f"the index rejected {document.id}: {reason}"
                    self._report(document.record, DataError(message, code="bulkindex.rejected"))
            except (Exception, concurrent.futures.CancelledError) as error:
                if isinstance(error, concurrent.futures.CancelledError):
                    error = RetriableError("the task was stopped")
                # a lasting failure tells more than a passing one
                if failure is None or isinstance(failure, RetriableError):
                    failure = error
                for document in sent:
                    if document.place not in self.gone:
                        self.buffer[document.id] = document
        if failure is not None:
            raise failure

    def _report(self, record, error):
        reporter = self.context.errant_record_reporter()
        if reporter is None:
            raise error
        reporter.report(record, error)


class Client:
    """Bulk requests over HTTP/1.1, a connection for each."""

    def __init__(self, conf):
        url = urlsplit(conf["index.url"])
        self.base = conf["index.url"]
        self.host, self.tls = url.hostname, url.scheme == "https"
        self.port = url.port or (443 if self.tls else 80)
        self.path = f"{url.path.rstrip('/')}/{quote(conf['index.name'], safe='')}/_bulk"
        self.key = conf["index.api.key"]
        self.attempts = conf["index.attempts"]
        self.backoff = conf["index.backoff.ms"] / 1000
        self.timeout = conf["index.timeout.ms"] / 1000
        self.slots = asyncio.Semaphore(conf["index.concurrency"])

    async def index(self, documents):
        """Index documents; return those that the index will never take, with its reasons."""
        rejected: list[tuple[Document, str]] = []
        async with self.slots:
            for attempt in range(self.attempts):
                if attempt:
                    await asyncio.sleep(self.backoff * 2 ** (attempt - 1))
                try:
                    documents = await self._attempt(documents, rejected)
                    why = f"{self.base} is too busy for {len(documents)} documents"
                except (OSError, EOFError, TimeoutError, asyncio.IncompleteReadError) as error:
                    why = f"{self.base} cannot be reached: {error or type(error).__name__}"
                except RetriableError as error:
                    why = str(error)
                if not documents:
                    return rejected
        raise RetriableError(why, code="bulkindex.unavailable")

    async def _attempt(self, documents, rejected):
        status, body = await asyncio.wait_for(self._post(documents), self.timeout)
        if status in BUSY or status == 500:
            raise RetriableError(f"{self.base} answered {status}")
        if status != 200:
            raise ConnectError(f"{self.base} answered {status}", code="bulkindex.refused")
        try:
            items = json.loads(body)["items"]
            outcomes = [(item["status"], item.get("error", "")) for item in items]
        except (ValueError, KeyError, TypeError) as error:
            raise ConnectError(f"{self.base} sent an answer that is none of an index") from error
        if len(outcomes) != len(documents):
            raise ConnectError(f"{self.base} answered for {len(outcomes)} of {len(documents)}")
        again = []
        for document, (code, reason) in zip(documents, outcomes, strict=True):
            if code in BUSY:
                again.append(document)
            elif code not in {200, 201, 409}:
                rejected.append((document, f"{code} {reason}"))
        return again

    async def _post(self, documents):
        content = b"".join(document.body for document in documents)
        context = ssl.create_default_context() if self.tls else None
        reader, writer = await asyncio.open_connection(self.host, self.port, ssl=context)
        try:
            writer.write(
                f"POST {self.path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n"
                f"Authorization: ApiKey {self.key.value}\r\nContent-Type: application/x-ndjson\r\n"
                f"Content-Length: {len(content)}\r\nConnection: close\r\n\r\n".encode() + content
            )
            await writer.drain()
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            fields = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
            size = fields.get("content-length")
            body = await (reader.read() if size is None else reader.readexactly(int(size)))
            return int(head[0].split()[1]), body
        finally:
            writer.close()


def make_document(record) -> Document:
    name = f"{record.original_topic}+{record.original_kafka_partition}"
    name += f"+{record.original_kafka_offset}"
    action = {"index": {"_id": name, "version": record.original_kafka_offset + 1}}
    source = {
        "topic": record.topic,
        "@timestamp": record.timestamp,
        "key": _json(record.key, name),
        "value": _json(record.value, name),
    }
    return Document(record, name, f"{json.dumps(action)}\n{json.dumps(source)}\n".encode())


def _json(value: Any, name: str) -> Any:
    match value:
        case None | str() | bool() | int():
            return value
        case float() if math.isfinite(value):
            return value
        case list():
            return [_json(each, name) for each in value]
        case dict():
            return {str(k): _json(v, name) for k, v in value.items()}
        case pw.Struct():
            return {k: _json(value.get(k), name) for k in value.keys()}
    raise DataError(f"{name}: no field of the index takes {value!r:.40}", code="bulkindex.value")
