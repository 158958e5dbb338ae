"""Posts documents in bulk, several requests at a time; a document is named by its record's place."""

from __future__ import annotations

import http.client
import json
import threading
import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from plugwright import (
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    Importance,
    NonEmptyString,
    Range,
    RetriableError,
    SinkConnector,
    SinkTask,
)

VERSION = "1.0.0"
TRANSIENT = {408, 429, 500, 502, 503, 504}
CONFIG = (
    ConfigDef()
    .define(
        "index.url",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Address of the index.",
    )
    .define(
        "request.documents",
        ConfigType.INT,
        default=40,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most documents of one request.",
    )
    .define(
        "requests",
        ConfigType.INT,
        default=2,
        importance=Importance.LOW,
        validator=Range.between(1, 16),
        documentation="The most requests at a time.",
    )
    .define(
        "attempts",
        ConfigType.INT,
        default=8,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="How often the index may put a document off before the batch comes again.",
    )
)


class BulkPostSinkConnector(SinkConnector):
    """Any number of tasks write to the index."""

    def __init__(self):
        self._props = {}

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        _address(CONFIG.parse(props)["index.url"])
        self._props = dict(props)

    def task_class(self):
        return BulkPostSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class BulkPostSinkTask(SinkTask):
    """All documents of a batch are in the index before put returns."""

    def __init__(self):
        self._stopping = threading.Event()
        self._pool = None

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._url = _address(config["index.url"])
        self._size = config["request.documents"]
        self._requests = config["requests"]
        self._attempts = config["attempts"]
        self._stopping.clear()

    def put(self, records):
        pairs = []
        for record in records:
            try:
                pairs.append((self._document(record), record))
            except DataError as error:
                self._report(record, error)
        if self._pool is None and pairs:
            self._pool = ThreadPoolExecutor(self._requests)
        parts = [pairs[at : at + self._size] for at in range(0, len(pairs), self._size)]
        running = [self._pool.submit(self._send, part) for part in parts]
        refused, failures = [], []
        for future in running:
            if (failure := future.exception()) is not None:
                failures.append(failure)
            else:
                refused += future.result()
        for failure in sorted(failures, key=lambda each: isinstance(each, RetriableError)):
            raise failure
        for record, reason in refused:
            error = DataError(f"{self._url} refused a document: {reason}", code="bulkpost.refused")
            self._report(record, error)

    def stop(self):
        self._stopping.set()
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def _send(self, pairs):
        """Write documents; those that were refused come back with the reasons."""
        refused = []
        for _ in range(self._attempts):
            items = self._post([document for document, _ in pairs])
            again = []
            for pair, item in zip(pairs, items, strict=True):
                if item["status"] == 429:
                    again.append(pair)
                elif item["status"] >= 400:
                    refused.append((pair[1], item["error"]))
            pairs = again
            if not pairs:
                return refused
            self._stopping.wait(0.01)
        raise self._failure(RetriableError, f"{len(pairs)} documents were put off")

    def _post(self, documents):
        request = urllib.request.Request(
            f"{self._url}/_bulk",
            data=json.dumps(documents).encode(),
            headers={"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return json.loads(answer.read())["items"]
        except urllib.error.HTTPError as error:
            with error:
                said = error.read().decode("utf-8", "replace")
            kind = RetriableError if error.code in TRANSIENT else ConnectError
            raise self._failure(kind, f"{error.code}: {said}") from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise self._failure(RetriableError, error) from error

    def _report(self, record, error):
        reporter = self.context.errant_record_reporter()
        if reporter is None:
            raise error
        reporter.report(record, error)

    def _failure(self, kind, reason):
        return kind(
            f"cannot write to {self._url}: {reason}",
            code="bulkpost.write",
            facts={"url": self._url},
        )

    def _document(self, record):
        topic, partition = record.original_topic, record.original_kafka_partition
        place = f"{topic}/{partition}/{record.original_kafka_offset}"
        if isinstance(record.value, bytes | bytearray):
            raise DataError(f"a document is JSON, found bytes at {place}", code="bulkpost.value")
        document = {
            "id": place,
            "index": record.topic,
            "text": record.value,
            "at": record.timestamp,
        }
        try:
            json.dumps(document)
        except (TypeError, ValueError) as error:
            raise DataError(f"{place} is no JSON: {error}", code="bulkpost.value") from error
        return document


def _address(url):
    """An address, which must not have a password that every error would show."""
    if "@" in urllib.parse.urlsplit(url).netloc:
        raise ConnectError("index.url must not have a user or a password", code="bulkpost.url")
    return url
