"""A thread of the task delivers to SQLite; offsets follow what it has confirmed."""

from __future__ import annotations

import sqlite3
import threading
from collections import deque

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
    TopicPartition,
)

VERSION = "3.1.4"
CONFIG = (
    ConfigDef()
    .define(
        "database",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Path of the SQLite database, which has a table deliveries.",
    )
    .define(
        "queue.capacity",
        ConfigType.INT,
        default=2000,
        validator=Range.at_least(1),
        documentation="Records that may wait; a batch that finds more is asked for again.",
    )
)


class CourierSinkConnector(SinkConnector):
    """Tasks share the database."""

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
        return CourierSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass

    def alter_offsets(self, props, offsets):
        return True


class CourierSinkTask(SinkTask):
    """Hands batches to its thread and says in pre_commit how far that has come."""

    def __init__(self):
        self._thread = None

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._path = config["database"]
        self._capacity = config["queue.capacity"]
        self._change = threading.Condition()
        self._queue = deque()
        self._waiting = 0
        self._confirmed = {}
        self._trouble = None
        self._ending = False
        self._thread = threading.Thread(target=self._deliver, name="courier", daemon=True)
        self._thread.start()

    def put(self, records):
        batch = [_row(record) for record in records]
        with self._change:
            self._raise_trouble()
            if not batch:
                return
            if self._waiting and self._waiting + len(batch) > self._capacity:
                raise RetriableError("the queue is full", code="courier.busy")
            self._queue.append(batch)
            self._waiting += len(batch)
            self._change.notify_all()

    def pre_commit(self, offsets):
        with self._change:
            self._raise_trouble()
            return {p: self._confirmed[p] for p in offsets if p in self._confirmed}

    def close(self, partitions):
        lost = set(partitions)
        with self._change:
            kept = deque()
            for batch in self._queue:
                rest = [row for row in batch if _place(row) not in lost]
                self._waiting -= len(batch) - len(rest)
                if rest:
                    kept.append(rest)
            self._queue = kept
            for place in lost:
                self._confirmed.pop(place, None)

    def stop(self):
        thread, self._thread = self._thread, None
        if thread is not None:
            with self._change:
                self._ending = True
                self._change.notify_all()
            thread.join()

    def _raise_trouble(self):
        if self._trouble is not None:
            raise ConnectError(
                f"cannot write to {self._path}: {self._trouble}", code="courier.write"
            ) from self._trouble

    def _deliver(self):
        database = None
        try:
            while True:
                with self._change:
                    while not self._queue and not self._ending:
                        self._change.wait()
                    if self._ending:
                        return
                    batch = self._queue.popleft()
                if database is None:
                    database = sqlite3.connect(self._path, timeout=30)
                with database:
                    database.executemany("INSERT INTO deliveries VALUES (?, ?, ?, ?, ?)", batch)
                with self._change:
                    self._waiting -= len(batch)
                    for row in batch:
                        self._confirmed[_place(row)] = row[2] + 1
        except Exception as error:
            with self._change:
                self._trouble = error
        finally:
            if database is not None:
                database.close()


def _place(row):
    return TopicPartition(row[0], row[1])


def _row(record):
    if record.value is not None and not isinstance(record.value, str):
        raise DataError(
            f"a delivery is text, found {type(record.value).__name__} at {record.original_topic}-"
            f"{record.original_kafka_partition}@{record.original_kafka_offset}",
            code="courier.value",
        )
    return (
        record.original_topic,
        record.original_kafka_partition,
        record.original_kafka_offset,
        record.value,
        record.timestamp,
    )
