"""Writes windows of records: a window is a file that is there whole or not at all."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from plugwright import (
    ConfigDef,
    ConfigType,
    DataError,
    Importance,
    NonEmptyString,
    Range,
    RetriableError,
    SinkConnector,
    SinkTask,
    TopicPartition,
)

VERSION = "0.1.7"
CONFIG = (
    ConfigDef()
    .define(
        "directory",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Existing directory that receives the windows.",
    )
    .define(
        "window.records",
        ConfigType.INT,
        default=5,
        validator=Range.at_least(1),
        documentation="Records of a full window.",
    )
)


class WindowSinkConnector(SinkConnector):
    """Each partition has windows of its own."""

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
        return WindowSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass

    def alter_offsets(self, props, offsets):
        return True


class WindowSinkTask(SinkTask):
    """Full windows are written by the next put or commit, others by the second commit."""

    def __init__(self):
        self._windows = {}
        self._old = set()
        self._written = {}

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._directory = Path(config["directory"])
        self._size = config["window.records"]
        self._windows, self._old, self._written = {}, set(), {}

    def put(self, records):
        self._write_full()  # what is left of it if the disk was full the last time
        entries = [(_place(record), record.original_kafka_offset, _text(record)) for record in records]
        for place, offset, text in entries:
            self._windows.setdefault(place, []).append((offset, text))

    def pre_commit(self, offsets):
        try:
            self._write_full()
            for place in list(self._windows):
                if place in self._old and self._windows[place]:
                    self._write(place, len(self._windows[place]))
        except RetriableError:  # the worker delivers everything since the last commit again
            self._windows, self._old = {}, set()
            raise
        self._old = {place for place, window in self._windows.items() if window}
        # Kafka's offsets of partitions that had no record of ours are not ours to move.
        return {place: self._written[place] for place in offsets if place in self._written}

    def close(self, partitions):
        for place in partitions:
            self._windows.pop(place, None)
            self._written.pop(place, None)
            self._old.discard(place)

    def stop(self):
        self._windows = {}

    def _write_full(self):
        for place in list(self._windows):
            while len(self._windows[place]) >= self._size:
                self._write(place, self._size)

    def _write(self, place, count):
        window = self._windows[place]
        name = f"{quote(place.topic, safe='')},{place.partition},{window[0][0]:020d}.json"
        temporary = self._directory / (name + ".tmp")
        try:
            with temporary.open("w", encoding="utf-8", errors="surrogatepass") as file:
                json.dump([text for _, text in window[:count]], file)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self._directory / name)
        except OSError as error:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            self.context.timeout(50)
            raise RetriableError(
                f"a window cannot be written to {self._directory}: {error}", code="windows.write"
            ) from error
        self._written[place] = window[count - 1][0] + 1
        self._old.discard(place)
        del window[:count]


def _place(record):
    return TopicPartition(record.original_topic, record.original_kafka_partition)


def _text(record):
    if record.value is not None and not isinstance(record.value, str):
        raise DataError(
            f"a window holds text, found {type(record.value).__name__} at {record.original_topic}-"
            f"{record.original_kafka_partition}@{record.original_kafka_offset}",
            code="windows.value",
        )
    return record.value
