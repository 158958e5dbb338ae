"""Indexes records with the bulk requests that Elasticsearch and OpenSearch take.

A record is the document with its key in the index of its topic, or with its place in Kafka if it
has no key; a tombstone deletes the document of its key. The answer to a bulk request has an outcome
for every document: those that the service was too busy for are sent again, those that it does not
take are reported, and anything else fails the task.
"""

from __future__ import annotations

import http.client
import json
import logging
import math
import threading
import urllib.error
import urllib.request
from urllib.parse import urlsplit

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
    Struct,
    ValidString,
)

VERSION = "1.0.0"
BUSY = {408, 425, 429, 500, 502, 503, 504}
UNWANTED = {400, 409, 413}

_log = logging.getLogger(__name__)


def _check_url(name, value):
    try:
        parts = urlsplit(value)
        good = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        good = good and not (parts.query or parts.fragment or parts.username)
    except (ValueError, AttributeError, TypeError):
        good = False
    if not good:
        raise ConfigError(
            f"{name} must be an address such as https://host, without a user or a query",
            code="docrack.url",
        )


def _check_api_key(name, value):
    text = getattr(value, "value", None)
    if not isinstance(text, str) or not text or not all("!" <= each <= "~" for each in text):
        raise ConfigError(
            f"{name} must be of visible ASCII characters, without spaces", code="docrack.key"
        )


def _check_prefix(name, value):
    good = isinstance(value, str) and value.isascii()
    if not good or not all(each.isalnum() or each in "._-" for each in value):
        raise ConfigError(
            f"{name} may have letters, digits and the signs . _ -", code="docrack.prefix"
        )


CONFIG = (
    ConfigDef()
    .define(
        "rack.url",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(_check_url, lambda: "an address of HTTP or HTTPS"),
        documentation="Address of the service.",
    )
    .define(
        "rack.api.key",
        ConfigType.PASSWORD,
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(_check_api_key, lambda: "visible ASCII characters"),
        documentation="API key that the service asks for.",
    )
    .define(
        "index.prefix",
        ConfigType.STRING,
        default="kafka-",
        importance=Importance.MEDIUM,
        validator=LambdaValidator.with_(_check_prefix, lambda: "letters, digits, . _ -"),
        documentation="What the name of an index begins with; the name of the topic follows.",
    )
    .define(
        "refresh",
        ConfigType.STRING,
        default="false",
        importance=Importance.LOW,
        validator=ValidString(("false", "true", "wait_for")),
        documentation="Whether documents have to be visible when a request is answered.",
    )
    .define(
        "bulk.size",
        ConfigType.INT,
        default=1000,
        importance=Importance.MEDIUM,
        validator=Range.between(1, 10_000),
        documentation="How many documents a request has at most.",
    )
    .define(
        "bulk.tries",
        ConfigType.INT,
        default=5,
        importance=Importance.LOW,
        validator=Range.between(1, 20),
        documentation="How often documents are sent before the batch is given back.",
    )
    .define(
        "retry.backoff.ms",
        ConfigType.INT,
        default=200,
        importance=Importance.LOW,
        validator=Range.between(1, 10_000),
        documentation="How long to wait before the second try; twice as long before each other.",
    )
    .define(
        "request.timeout.ms",
        ConfigType.INT,
        default=20_000,
        importance=Importance.LOW,
        validator=Range.between(1, 120_000),
        documentation="How long to wait for the service.",
    )
)


class DocRackSinkConnector(SinkConnector):
    """Any number of tasks index."""

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
        return DocRackSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class DocRackSinkTask(SinkTask):
    """All documents of a batch are indexed when put returns."""

    def __init__(self):
        self._stopping = threading.Event()

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._reporter = self.context.errant_record_reporter()
        self._url = config["rack.url"].rstrip("/")
        self._bulk = f"{self._url}/_bulk?refresh={config['refresh']}"
        self._key = config["rack.api.key"].value
        self._prefix = config["index.prefix"]
        self._size = config["bulk.size"]
        self._tries = config["bulk.tries"]
        self._pause_s = config["retry.backoff.ms"] / 1000
        self._timeout_s = config["request.timeout.ms"] / 1000

    def put(self, records):
        operations, bad = [], []
        for record in records:
            try:
                operations.append(Operation(record, self._prefix))
            except DataError as error:
                if self._reporter is None:
                    raise
                bad.append((record, error))
        for request in _requests(operations, self._size):
            self._send(request, bad)
        for record, error in bad:
            self._reporter.report(record, error)

    def stop(self):
        self._stopping.set()

    def _send(self, operations, bad):
        """Send operations until each of them was applied, or is known to be bad."""
        for failures in range(self._tries):
            if failures and self._stopping.wait(self._pause_s * 2 ** (failures - 1)):
                break
            outcomes = self._outcomes(operations)
            left = []
            for operation, (status, reason) in zip(operations, outcomes, strict=True):
                if operation.is_done(status):
                    continue
                if status in BUSY:
                    left.append(operation)
                else:
                    bad.append((operation.record, self._error(operation, status, reason)))
            if not left:
                return
            _log.info("%s was too busy for %d documents", self._url, len(left))
            operations = left
        raise RetriableError(
            f"{self._url} was too busy for {len(operations)} documents",
            code="docrack.busy",
            facts={"url": self._url, "documents": len(operations)},
        )

    def _error(self, operation, status, reason):
        """What is wrong with a document; raised if that is not the document's fault."""
        message = (
            f"{self._url} answered {status} to {operation.name} of {operation.index} at"
            f" {_where(operation.record)}: {reason}"
        )
        facts = {"url": self._url, "status": status, "index": operation.index}
        if status not in UNWANTED:
            raise ConnectError(message, code="docrack.refused", facts=facts)
        error = DataError(message, code="docrack.document", facts=facts)
        if self._reporter is None:
            raise error
        return error

    def _outcomes(self, operations):
        """The status of each operation, with a reason if it failed."""
        data = "".join(operation.lines for operation in operations).encode("utf-8")
        answer = self._ask(data)
        items = answer.get("items") if isinstance(answer, dict) else None
        if not isinstance(items, list) or len(items) != len(operations):
            raise RetriableError(
                f"{self._url} answered without an outcome for each of {len(operations)} documents",
                code="docrack.answer",
            )
        outcomes = []
        for item in items:
            (outcome,) = item.values()
            error = outcome.get("error") or {}
            outcomes.append((outcome["status"], f"{error.get('type')}: {error.get('reason')}"))
        return outcomes

    def _ask(self, data):
        request = urllib.request.Request(
            self._bulk,
            data=data,
            headers={
                "Authorization": f"ApiKey {self._key}",
                "Content-Type": "application/x-ndjson",
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=self._timeout_s) as answer:
                return json.loads(answer.read().decode("utf-8"))
        except urllib.error.HTTPError as error:
            with error:
                kind = RetriableError if error.code in BUSY else ConnectError
                raise kind(
                    f"{self._url} answered {error.code} {error.reason}",
                    code="docrack.status",
                    facts={"url": self._url, "status": error.code},
                ) from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise RetriableError(
                f"{self._url} cannot be reached: {error!r}",
                code="docrack.unreachable",
                facts={"url": self._url},
            ) from error


class Operation:
    """What is to be done with the document of a record."""

    def __init__(self, record, prefix):
        self.record = record
        self.index = f"{prefix}{record.topic}"
        self.id = _id(record)
        self.name = "delete" if record.value is None else "index"
        action = {self.name: {"_index": self.index, "_id": self.id}}
        self.lines = json.dumps(action) + "\n"
        if record.value is not None:
            document = {"value": _plain(record.value, record), "at": record.timestamp}
            self.lines += json.dumps(document, allow_nan=False) + "\n"

    def is_done(self, status):
        """Whether this status means that it is done; what is not there needs no deletion."""
        return 200 <= status < 300 or (self.name == "delete" and status == 404)


def _requests(operations, size):
    """The operations by request, in order, and those of one document never in the same one.

    When some of a request are sent again, a later operation on their document must not have been
    done before.
    """
    request, documents = [], set()
    for operation in operations:
        document = operation.index, operation.id
        if len(request) == size or document in documents:
            yield request
            request, documents = [], set()
        request.append(operation)
        documents.add(document)
    if request:
        yield request


def _id(record):
    """The id of a record's document."""
    match record.key:
        case None:
            if record.value is None:
                raise DataError(
                    f"a tombstone needs a key at {_where(record)}", code="docrack.no-key"
                )
            return (
                f"p:{record.original_topic}:{record.original_kafka_partition}"
                f":{record.original_kafka_offset}"
            )
        case str():
            return f"s:{_plain(record.key, record)}"
        case key:
            return f"j:{json.dumps(_plain(key, record), sort_keys=True)}"


def _plain(value, record):
    """A value as JSON has it."""
    match value:
        case None | bool() | int():
            return value
        case float() if math.isfinite(value):
            return value
        case str():
            try:
                value.encode("utf-8")
            except UnicodeEncodeError as error:  # half of a surrogate pair
                raise DataError(
                    f"a text at {_where(record)} is none: {error}", code="docrack.text"
                ) from error
            return value
        case Struct():
            return {name: _plain(each, record) for name, each in dict(value).items()}
        case dict() if all(isinstance(name, str) for name in value):
            return {_plain(name, record): _plain(each, record) for name, each in value.items()}
        case list():
            return [_plain(each, record) for each in value]
    raise DataError(
        f"a document cannot have {type(value).__name__} {str(value)[:60]!r} at {_where(record)}",
        code="docrack.value",
    )


def _where(record):
    return (
        f"{record.original_topic}-{record.original_kafka_partition}@{record.original_kafka_offset}"
    )
