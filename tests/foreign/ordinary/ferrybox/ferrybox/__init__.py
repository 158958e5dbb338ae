"""Uploads records to an FTP server, as CSV files by topic and day.

A file is uploaded under a name of its own kind and renamed when it is complete, so whoever fetches
the files never sees half a one. Its name has the first and the last offset of its records. Texts
are always in quotation marks, which tells an empty one from a missing value. Keys and headers are
left out.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import ftplib
import io
import re
import threading
import uuid
from urllib.parse import quote

from plugwright import (
    ConfigDef,
    ConfigError,
    ConfigType,
    ConnectError,
    DataError,
    Importance,
    LambdaValidator,
    NonEmptyStringWithoutControlChars,
    Range,
    RetriableError,
    SinkConnector,
    SinkTask,
    TopicPartition,
)

VERSION = "1.0.0"
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
DIRECTORY = re.compile(r"/?[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*")
HEAD = "time,value\n"


def _check_host(name, value):
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z0-9_.:-]+", value):
        raise ConfigError(f"{name} must be a name or an address of a host", code="ferrybox.host")


def _check_password(name, value):
    text = getattr(value, "value", None)
    if not isinstance(text, str) or not text or not text.isprintable():
        raise ConfigError(f"{name} must be printable text", code="ferrybox.password")


def _check_directory(name, value):
    if not isinstance(value, str) or not DIRECTORY.fullmatch(value):
        raise ConfigError(
            f"{name} must be a path of letters, digits and the signs . _ - /",
            code="ferrybox.directory",
        )


CONFIG = (
    ConfigDef()
    .define(
        "ferry.host",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(_check_host, lambda: "a name or an address"),
        documentation="Host of the server.",
    )
    .define(
        "ferry.port",
        ConfigType.INT,
        default=21,
        importance=Importance.HIGH,
        validator=Range.between(1, 65535),
        documentation="Port of the server.",
    )
    .define(
        "ferry.user",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyStringWithoutControlChars(),
        documentation="User that uploads.",
    )
    .define(
        "ferry.password",
        ConfigType.PASSWORD,
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(_check_password, lambda: "printable text"),
        documentation="Password of the user.",
    )
    .define(
        "ferry.directory",
        ConfigType.STRING,
        default="kafka",
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(_check_directory, lambda: "a path"),
        documentation="Directory to upload to; it is made if it does not exist.",
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
        "timeout.ms",
        ConfigType.INT,
        default=20_000,
        importance=Importance.LOW,
        validator=Range.between(1, 120_000),
        documentation="How long to wait for the server.",
    )
)


class FerryBoxSinkConnector(SinkConnector):
    """Any number of tasks upload; each partition has files of its own."""

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
        return FerryBoxSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class FerryBoxSinkTask(SinkTask):
    """Collects rows by partition, and uploads them when there are many or offsets are committed."""

    def __init__(self):
        self._parts = {}
        self._server = None

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._most = config["flush.size"]
        self._server = Server(config)

    def open(self, partitions):
        for partition in partitions:
            self._parts[partition] = Part()

    def close(self, partitions):
        for partition in partitions:
            self._parts.pop(partition, None)

    def put(self, records):
        for record in records:
            partition = TopicPartition(record.original_topic, record.original_kafka_partition)
            part = self._parts.setdefault(partition, Part())
            offset = record.original_kafka_offset
            if not part.is_new(offset):
                continue  # collected before this batch was given again
            try:
                place, row = _place(record), _row(record)
            except DataError as error:
                reporter = self.context.errant_record_reporter()
                if reporter is None:
                    raise
                reporter.report(record, error)
                part.pass_by(offset)
                continue
            if part.count >= self._most:
                self._upload(partition, part)
            part.add(place, offset, row)

    def pre_commit(self, offsets):
        known = {each: offset for each, offset in offsets.items() if each in self._parts}
        for partition in known:
            self._upload(partition, self._parts[partition])
        return known

    def stop(self):
        if self._server is not None:
            self._server.leave()

    def _upload(self, partition, part):
        """Upload what was collected of a partition, file by file; what fails stays for later."""
        for place in list(part.rows):
            offsets, rows = zip(*part.rows[place], strict=True)
            begin = f"{partition.topic}-{partition.partition}-{offsets[0]:020d}"
            name = f"{begin}-{offsets[-1]:020d}.csv"
            self._server.put(place, begin, name, (HEAD + "".join(rows)).encode("utf-8"))
            part.count -= len(rows)
            del part.rows[place]


class Part:
    """What was collected of a partition and is not uploaded yet."""

    def __init__(self):
        self.rows = {}
        self.count = 0
        self._next = None

    def is_new(self, offset):
        return self._next is None or offset >= self._next

    def add(self, place, offset, row):
        self.rows.setdefault(place, []).append((offset, row))
        self.count += 1
        self.pass_by(offset)

    def pass_by(self, offset):
        self._next = offset + 1


class Server:
    """An FTP server, with one connection that is made anew after any error."""

    def __init__(self, config):
        self._config = config
        self._shown = f"{config['ferry.host']}:{config['ferry.port']}"
        self._timeout_s = config["timeout.ms"] / 1000
        self._writer = uuid.uuid4().hex
        self._lock = threading.Lock()
        self._link = None
        self._made = set()

    def put(self, place, begin, name, data):
        """Make a file of this name in a directory; the same name means the same content.

        The draft of an attempt that has failed is replaced by the next, which begins alike.
        """
        path = f"{self._config['ferry.directory']}/{place}"
        with self._lock:
            try:
                link = self._connected()
                self._make(link, path)
                draft = f"{path}/.{begin}.{self._writer}"
                link.storbinary(f"STOR {draft}", io.BytesIO(data))
                link.rename(draft, f"{path}/{name}")
            except ftplib.error_perm as error:
                self._drop()
                raise ConnectError(
                    f"{self._shown} does not take {path}/{name}: {error}",
                    code="ferrybox.refused",
                    facts={"server": self._shown, "file": f"{path}/{name}"},
                ) from error
            except ftplib.all_errors as error:
                self._drop()
                raise RetriableError(
                    f"{path}/{name} cannot be uploaded to {self._shown}: {error!r}",
                    code="ferrybox.connection",
                    facts={"server": self._shown, "file": f"{path}/{name}"},
                ) from error
            except BaseException:
                self._drop()
                raise

    def leave(self):
        with self._lock:
            if self._link is not None:
                with contextlib.suppress(*ftplib.all_errors):
                    self._link.quit()
            self._drop()

    def _connected(self):
        if self._link is None:
            config = self._config
            link = ftplib.FTP(timeout=self._timeout_s, encoding="utf-8")
            self._link = link
            link.connect(config["ferry.host"], config["ferry.port"])
            link.login(config["ferry.user"], config["ferry.password"].value)
        return self._link

    def _make(self, link, path):
        """Make a directory with those above it, unless this connection has."""
        if path in self._made:
            return
        above = "/" if path.startswith("/") else ""
        for each in path.strip("/").split("/"):
            above += f"{each}/"
            with contextlib.suppress(ftplib.error_perm):  # it exists; if not, the upload tells
                link.mkd(above.rstrip("/"))
        self._made.add(path)

    def _drop(self):
        self._made.clear()
        if self._link is not None:
            self._link.close()
            self._link = None


def _place(record):
    """The directory of a record, by its topic and the day of its time in UTC."""
    topic = quote(record.topic, safe="")
    if record.timestamp is None:
        return f"topic={topic}/day=none"
    try:
        day = (EPOCH + dt.timedelta(milliseconds=record.timestamp)).date()
    except OverflowError as error:
        raise DataError(
            f"no day has the time {record.timestamp} of {_where(record)}", code="ferrybox.day"
        ) from error
    return f"topic={topic}/day={day.isoformat()}"


def _row(record):
    """The row of a record: its time in milliseconds, and its value in quotation marks."""
    time = "" if record.timestamp is None else str(record.timestamp)
    value = record.value
    if value is not None and not isinstance(value, str):
        raise DataError(
            f"a value must be text, found {type(value).__name__} at {_where(record)}",
            code="ferrybox.value",
        )
    try:
        (value or "").encode("utf-8")
    except UnicodeEncodeError as error:  # half of a surrogate pair
        raise DataError(
            f"the value at {_where(record)} is no text: {error}", code="ferrybox.value"
        ) from error
    return f"{time},{_cell(value)}\n"


def _cell(text):
    """A text in quotation marks; nothing if it is missing."""
    if text is None:
        return ""
    return '"' + text.replace('"', '""') + '"'


def _where(record):
    return (
        f"{record.original_topic}-{record.original_kafka_partition}@{record.original_kafka_offset}"
    )
