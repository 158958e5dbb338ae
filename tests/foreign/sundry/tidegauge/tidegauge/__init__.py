"""Writes points to a time-series service, in lines; a point has the place of its record as tags."""

from __future__ import annotations

import gzip
import http.client
import json
import threading
import urllib.error
import urllib.parse
import urllib.request

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
TAG = str.maketrans({"\\": r"\\", ",": r"\,", "=": r"\=", " ": r"\ ", "\n": r"\n", "\r": r"\r"})
FIELD = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r"})
CONFIG = (
    ConfigDef()
    .define(
        "service.url",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Address of the service.",
    )
    .define(
        "service.token",
        ConfigType.PASSWORD,
        importance=Importance.HIGH,
        documentation="Token of the service.",
    )
    .define(
        "request.points",
        ConfigType.INT,
        default=50,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most points of one request.",
    )
    .define(
        "attempts",
        ConfigType.INT,
        default=4,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="How often points may be put off before the batch comes again.",
    )
)


class TideGaugeSinkConnector(SinkConnector):
    """Any number of tasks write to the service."""

    def __init__(self):
        self._props = {}

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        _address(CONFIG.parse(props)["service.url"])
        self._props = dict(props)

    def task_class(self):
        return TideGaugeSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class TideGaugeSinkTask(SinkTask):
    """Writes a batch before put returns; a point that is written again replaces itself."""

    def __init__(self):
        self._stopping = threading.Event()

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._url = _address(config["service.url"])
        self._token = config["service.token"]
        self._size = config["request.points"]
        self._attempts = config["attempts"]
        self._stopping.clear()

    def put(self, records):
        points = []
        for record in records:
            try:
                points.append((self._line(record), record))
            except DataError as error:
                self._report(record, error)
        for _ in range(self._attempts):
            if not points:
                return
            points = self._write(points)
            self._stopping.wait(0.01 if points else 0)
        if points:
            raise RetriableError(
                f"{self._url} put {len(points)} points off {self._attempts} times",
                code="tidegauge.busy",
                facts={"url": self._url},
            )

    def stop(self):
        self._stopping.set()

    def _write(self, points):
        """Write points; those that were put off come back."""
        again = []
        for first in range(0, len(points), self._size):
            part = points[first : first + self._size]
            for number, reason in self._post([line for line, _ in part]):
                if reason == "busy":
                    again.append(part[number])
                else:
                    error = DataError(f"{self._url} refused a point: {reason}", code="tidegauge.no")
                    self._report(part[number][1], error)
        return again

    def _report(self, record, error):
        reporter = self.context.errant_record_reporter()
        if reporter is None:
            raise error
        reporter.report(record, error)

    def _post(self, lines):
        """The lines of a request that were not written, by number, with the reason."""
        request = urllib.request.Request(
            f"{self._url}/write?precision=ns",
            data=gzip.compress("\n".join(lines).encode()),
            headers={
                "Authorization": f"Token {self._token.value}",
                "Content-Encoding": "gzip",
                "Content-Type": "text/plain; charset=utf-8",
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                said = error.read().decode("utf-8", "replace")
            kind = RetriableError if error.code in TRANSIENT else ConnectError
            raise self._failure(kind, f"{error.code}: {said}") from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise self._failure(RetriableError, error) from error

    def _failure(self, kind, reason):
        return kind(
            f"cannot write to {self._url}: {reason}",
            code="tidegauge.write",
            facts={"url": self._url},
        )

    def _line(self, record):
        where = (
            f"{record.original_topic}-{record.original_kafka_partition}"
            f"@{record.original_kafka_offset}"
        )
        if not isinstance(record.value, str):
            raise DataError(
                f"a point has text, found {type(record.value).__name__} at {where}",
                code="tidegauge.value",
            )
        tags = {
            "dated": "no" if record.timestamp is None else "yes",
            "partition": str(record.original_kafka_partition),
            "place": str(record.original_kafka_offset),
            "topic": record.original_topic,
        }
        if isinstance(record.key, str) and record.key:
            tags["key"] = record.key
        tags = ",".join(f"{name}={tag.translate(TAG)}" for name, tag in sorted(tags.items()))
        nanoseconds = (record.timestamp or 0) * 1_000_000
        text = record.value.translate(FIELD)
        line = f'{record.topic.translate(TAG)},{tags} value="{text}" {nanoseconds}'
        try:
            line.encode()
        except UnicodeEncodeError as error:
            raise DataError(f"{where} is no UTF-8: {error}", code="tidegauge.text") from error
        return line


def _address(url):
    """An address, which must not have a password that every error would show."""
    if "@" in urllib.parse.urlsplit(url).netloc:
        raise ConnectError(
            "service.url must not have a user or a password, set service.token",
            code="tidegauge.url",
        )
    return url
