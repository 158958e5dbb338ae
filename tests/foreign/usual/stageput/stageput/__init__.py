"""Uploads records to an object store over HTTP, as compressed lines by day, exactly once.

The objects of a commit are uploaded first, and count only when a marker names them. Markers of a
partition are numbered without gaps, and the store makes each of them at most once. A marker has
the offset at which to continue, so a task that was replaced finds the next number taken, and the
task that replaced it continues where the last marker ends.
"""

from __future__ import annotations

import datetime as dt
import gzip
import http.client
import json
import threading
import urllib.error
import urllib.request
import uuid
from urllib.parse import quote, urlsplit

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
    TopicPartition,
)

VERSION = "1.0.0"
BUSY = {408, 425, 429, 500, 502, 503, 504}
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def _check_url(name, value):
    try:
        parts = urlsplit(value)
        good = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        good = good and not (parts.query or parts.fragment or parts.username)
    except (ValueError, AttributeError, TypeError):
        good = False
    if not good:
        raise ConfigError(
            f"{name} must be an address such as https://host/bucket, without a user or a query",
            code="stageput.url",
        )


def _check_token(name, value):
    text = getattr(value, "value", None)
    if not isinstance(text, str) or not text or not all("!" <= each <= "~" for each in text):
        raise ConfigError(
            f"{name} must be of visible ASCII characters, without spaces", code="stageput.token"
        )


CONFIG = (
    ConfigDef()
    .define(
        "store.url",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(_check_url, lambda: "an address of HTTP or HTTPS"),
        documentation="Address of the bucket.",
    )
    .define(
        "store.token",
        ConfigType.PASSWORD,
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(_check_token, lambda: "visible ASCII characters"),
        documentation="Token that the store asks for.",
    )
    .define(
        "flush.size",
        ConfigType.INT,
        default=10_000,
        importance=Importance.MEDIUM,
        validator=Range.between(1, 100_000),
        documentation="How many records of a partition to collect at most before an upload.",
    )
    .define(
        "request.tries",
        ConfigType.INT,
        default=4,
        importance=Importance.LOW,
        validator=Range.between(1, 10),
        documentation="How often to make a request before the batch is given back.",
    )
    .define(
        "retry.backoff.ms",
        ConfigType.INT,
        default=250,
        importance=Importance.LOW,
        validator=Range.between(1, 10_000),
        documentation="How long to wait before the second try; twice as long before each other.",
    )
    .define(
        "request.timeout.ms",
        ConfigType.INT,
        default=30_000,
        importance=Importance.LOW,
        validator=Range.between(1, 240_000),
        documentation="How long to wait for the store.",
    )
)


class StagePutSinkConnector(SinkConnector):
    """Any number of tasks write; each partition has objects and markers of its own."""

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
        return StagePutSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass

    def alter_offsets(self, props, offsets):
        store = Store(CONFIG.parse(props), threading.Event())
        for partition, offset in offsets.items():
            if offset is not None and (type(offset) is not int or offset < 0):
                raise ConnectError(
                    f"an offset must be a number from 0 on, found {offset!r}",
                    code="stageput.offset",
                )
            chain = Chain(store, partition)
            if chain.next is not None or offset is not None:
                chain.commit({"next": offset, "objects": []})
        return True


class StagePutSinkTask(SinkTask):
    """Collects lines by partition; what the store has confirmed may be committed."""

    def __init__(self):
        self._chains = {}
        self._parts = {}
        self._pending = {}
        self._stopping = threading.Event()

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._store = Store(config, self._stopping)
        self._most = config["flush.size"]

    def open(self, partitions):
        resume = {}
        for partition in partitions:
            chain = Chain(self._store, partition)
            self._chains[partition] = chain
            self._pending.pop(partition, None)
            self._parts[partition] = Part(chain.next)
            if chain.next is not None:
                resume[partition] = chain.next
        if resume:
            self.context.offset(resume)

    def close(self, partitions):
        for partition in partitions:
            self._chains.pop(partition, None)
            self._pending.pop(partition, None)
            self._parts.pop(partition, None)

    def put(self, records):
        for record in records:
            partition = TopicPartition(record.original_topic, record.original_kafka_partition)
            part = self._parts[partition]
            if not part.is_new(record.original_kafka_offset):
                continue  # collected before this batch was given again, or stored
            if part.count >= self._most:
                self._upload(partition)
                part = self._parts[partition]
            try:
                day, line = _day(record), _line(record)
            except DataError as error:
                reporter = self.context.errant_record_reporter()
                if reporter is None:
                    raise
                part.skip(record.original_kafka_offset, reporter.report(record, error))
            else:
                part.add(record.original_kafka_offset, day, line)

    def pre_commit(self, offsets):
        for partition in [each for each in offsets if each in self._parts]:
            if partition in self._pending or self._parts[partition].changed:
                self._upload(partition)
        return {
            partition: offset for partition, offset in offsets.items() if partition in self._parts
        }

    def stop(self):
        self._stopping.set()

    def _upload(self, partition):
        """Store what was collected of a partition.

        An upload that fails may have been done all the same. So what it has stays as it is until
        it succeeds, and new records are collected behind it.
        """
        if partition in self._pending:
            self._finish(partition)
        if self._parts[partition].changed:
            self._pending[partition] = self._parts[partition]
            self._parts[partition] = Part(self._pending[partition].next)
            self._finish(partition)

    def _finish(self, partition):
        part, chain = self._pending[partition], self._chains[partition]
        for report in part.reports:
            report.result()
        names = []
        for day, lines in sorted(part.days.items()):
            name = (
                f"data/{day}/{partition.topic}/{partition.partition}"
                f"/{chain.number:012d}-{chain.writer}.jsonl.gz"
            )
            self._store.put(name, gzip.compress("".join(lines).encode("utf-8"), mtime=0))
            names.append(name)
        chain.commit({"next": part.next, "objects": names})
        del self._pending[partition]


class Part:
    """What was collected of a partition since the last commit."""

    def __init__(self, begin):
        self.next = begin
        self.changed = False
        self.count = 0
        self.days = {}
        self.reports = []

    def is_new(self, offset):
        return self.next is None or offset >= self.next

    def add(self, offset, day, line):
        self.days.setdefault(day, []).append(line)
        self._pass(offset)

    def skip(self, offset, report):
        self.reports.append(report)
        self._pass(offset)

    def _pass(self, offset):
        self.next, self.changed, self.count = offset + 1, True, self.count + 1


class Chain:
    """The markers of a partition, of which this writer makes the next one."""

    def __init__(self, store, partition):
        self._store = store
        self._prefix = f"commits/{partition.topic}/{partition.partition}/"
        self.writer = uuid.uuid4().hex
        names = store.names(self._prefix)
        self.number = len(names)
        last = json.loads(store.get(max(names))) if names else {"next": None}
        self.next = last["next"]

    def commit(self, content):
        """Make the next marker; that of another writer in its place means to give up."""
        name = f"{self._prefix}{self.number:012d}"
        data = json.dumps({**content, "writer": self.writer}, sort_keys=True).encode("utf-8")
        if not self._store.put(name, data, only_new=True) and self._store.get(name) != data:
            raise ConnectError(
                f"another task has written {name}; this one has been replaced",
                code="stageput.fenced",
                facts={"marker": name},
            )
        self.number += 1
        self.next = content["next"]


class Store:
    """A bucket of objects."""

    def __init__(self, config, stopping):
        self._stopping = stopping
        self._tries = config["request.tries"]
        self._pause_s = config["retry.backoff.ms"] / 1000
        self._url = config["store.url"].rstrip("/")
        self._token = config["store.token"].value
        self._timeout_s = config["request.timeout.ms"] / 1000

    def names(self, prefix):
        """The names that begin so, sorted."""
        found, after = [], ""
        while True:
            query = f"?prefix={quote(prefix, safe='')}&after={quote(after, safe='')}"
            page = json.loads(self._ask("GET", query))
            found += page["names"]
            if not page["more"]:
                return sorted(found)
            after = found[-1]

    def get(self, name):
        return self._ask("GET", f"/{quote(name)}")

    def put(self, name, data, *, only_new=False):
        """Store an object; false if it has to be new but is not."""
        headers = {"If-None-Match": "*"} if only_new else {}
        try:
            self._ask("PUT", f"/{quote(name)}", data, headers)
        except AlreadyThereError:
            return False
        return True

    def _ask(self, method, where, data=None, headers=()):
        """Make a request, again if that may help: every one of them can be repeated."""
        for failures in range(self._tries):
            try:
                return self._try(method, where, data, headers)
            except RetriableError:
                if failures + 1 == self._tries:
                    raise
                if self._stopping.wait(self._pause_s * 2**failures):
                    raise
        return None

    def _try(self, method, where, data, headers):
        request = urllib.request.Request(
            f"{self._url}{where}",
            data=data,
            method=method,
            headers={
                "Authorization": f"Bearer {self._token}",
                "Content-Type": "application/octet-stream",
                **dict(headers),
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=self._timeout_s) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            with error:
                raise self._refused(method, where, error) from error
        except (OSError, http.client.HTTPException) as error:
            raise RetriableError(
                f"the store at {self._url} cannot be reached: {error!r}",
                code="stageput.unreachable",
                facts={"url": self._url},
            ) from error

    def _refused(self, method, where, error):
        if error.code == 412:
            return AlreadyThereError(f"{where} is already there")
        kind = RetriableError if error.code in BUSY else ConnectError
        return kind(
            f"the store at {self._url} answered {error.code} {error.reason} to {method} {where}",
            code="stageput.status",
            facts={"url": self._url, "status": error.code},
        )


class AlreadyThereError(ConnectError):
    """The object that has to be new is already there."""


def _day(record):
    if record.timestamp is None:
        return "undated"
    try:
        return (EPOCH + dt.timedelta(milliseconds=record.timestamp)).date().isoformat()
    except OverflowError as error:
        raise DataError(
            f"no day has the time {record.timestamp} of {_where(record)}", code="stageput.day"
        ) from error


def _line(record):
    """A record as a line, without key and headers; a missing value is null."""
    if record.value is not None and not isinstance(record.value, str):
        raise DataError(
            f"a value must be text, found {type(record.value).__name__} at {_where(record)}",
            code="stageput.value",
        )
    entry = {
        "topic": record.topic,
        "at": record.timestamp,
        "value": record.value,
    }
    return json.dumps(entry) + "\n"


def _where(record):
    return (
        f"{record.original_topic}-{record.original_kafka_partition}@{record.original_kafka_offset}"
    )
