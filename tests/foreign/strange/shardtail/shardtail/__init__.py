"""Reads the shards of a stream store, whose number changes while the connector runs.

A shard is a file of entries: the length of an entry, a letter for its type, and its bytes. An entry
of length zero ends a shard for good. The store adds shards as it likes, and removes old ones. The
connector looks for them, and asks for its tasks to be configured again.
"""

# ruff: noqa: D102  # the methods are those of the contract

from __future__ import annotations

import logging
import os
import struct
import threading
from pathlib import Path

from plugwright import (
    BOOLEAN_SCHEMA,
    BYTES_SCHEMA,
    FLOAT64_SCHEMA,
    INT64_SCHEMA,
    STRING_SCHEMA,
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    Importance,
    NonEmptyString,
    Range,
    RetriableError,
    SourceConnector,
    SourceRecord,
    SourceTask,
    group_partitions,
)

VERSION = "1.4.1"
LOG = logging.getLogger(__name__)
LENGTH = struct.Struct(">I")
SUFFIX = ".shard"
READERS = {
    b"s": (STRING_SCHEMA, bytes.decode),
    b"i": (INT64_SCHEMA, lambda data: struct.unpack(">q", data)[0]),
    b"f": (FLOAT64_SCHEMA, lambda data: struct.unpack(">d", data)[0]),
    b"b": (BOOLEAN_SCHEMA, lambda data: data == b"\1"),
    b"x": (BYTES_SCHEMA, bytes),
}

CONFIG = (
    ConfigDef()
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives the entries.",
    )
    .define(
        "shard.directory",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Directory of the shards.",
    )
    .define(
        "shard.batch",
        ConfigType.INT,
        default=200,
        validator=Range.between(1, 10000),
        documentation="The most entries that one poll returns.",
    )
    .define(
        "shard.interval.ms",
        ConfigType.INT,
        default=500,
        importance=Importance.LOW,
        validator=Range.between(1, 10000),
        documentation="How long a task waits when there is nothing to read.",
    )
    .define(
        "shard.discovery.ms",
        ConfigType.INT,
        default=10000,
        validator=Range.between(10, 3600000),
        documentation="How often the connector looks for other shards.",
    )
)
TASK_CONFIG = ConfigDef(CONFIG).define(
    "shard.names",
    ConfigType.LIST,
    default="",
    internal=True,
    documentation="Shards of the task; set by the connector.",
)


class ShardSourceConnector(SourceConnector):
    """Looks for shards in a thread of its own, as long as it runs."""

    def __init__(self):
        self._props = {}
        self._thread = None
        self._stopping = threading.Event()

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        config = CONFIG.parse(props)
        self._props = dict(props)
        self._directory = Path(config["shard.directory"])
        self._every = config["shard.discovery.ms"] / 1000
        try:
            self._assigned = _shards(self._directory)
        except OSError as error:
            raise ConnectError(
                f"the shards in {self._directory} cannot be listed: {error}",
                code="shardtail.directory",
                facts={"directory": str(self._directory)},
            ) from error
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="shardtail", daemon=True)
        self._thread.start()

    def task_class(self):
        return ShardSourceTask

    def task_configs(self, max_tasks):
        """One group of shards for each task, and no task without a shard."""
        try:
            self._assigned = _shards(self._directory)
        except OSError as error:
            LOG.warning("the shards are as before, since they cannot be listed: %s", error)
        names = self._assigned
        groups = group_partitions(names, min(max_tasks, len(names))) if names else []
        return [{**self._props, "shard.names": ",".join(group)} for group in groups]

    def stop(self):
        self._stopping.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join(5)

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if set(partition) != {"shard"} or not isinstance(partition["shard"], str):
                raise ConnectError(
                    f"a partition is {{'shard': name}}, found {dict(partition)!r}",
                    code="shardtail.partition",
                )
            if offset is not None:
                _position(offset)
        return False

    def _watch(self):
        """Ask for other tasks when there are other shards than those that tasks have."""
        asked = self._assigned
        while not self._stopping.wait(self._every):
            try:
                found = _shards(self._directory)
            except OSError as error:
                LOG.warning("the shards cannot be listed now: %s", error)
                continue
            if found not in (self._assigned, asked):
                self.context.request_task_reconfiguration()
            asked = found


class ShardSourceTask(SourceTask):
    """Takes turns with its shards, so that a long one does not hold up the others."""

    def __init__(self):
        self._stopping = threading.Event()

    def version(self):
        return VERSION

    def start(self, props):
        config = TASK_CONFIG.parse(props)
        self._topic = config["topic"]
        self._directory = Path(config["shard.directory"])
        self._batch = config["shard.batch"]
        self._pause = config["shard.interval.ms"] / 1000
        self._stopping.clear()
        names = config["shard.names"]
        stored = self.context.offset_storage_reader.offsets([{"shard": name} for name in names])
        self._positions = {
            partition["shard"]: _position(offset) if offset else 0 for partition, offset in stored
        }

    def poll(self):
        records, problem = [], None
        for name in list(self._positions):
            if self._stopping.is_set() or len(records) >= self._batch:
                break
            try:
                records += self._read(name, self._batch - len(records))
            except FileNotFoundError as error:
                problem = error if not self._directory.is_dir() else None
            except (OSError, ConnectError) as error:
                problem = error
            self._positions[name] = self._positions.pop(name)
        if records:
            return records
        self._stopping.wait(self._pause)
        if isinstance(problem, OSError):
            raise RetriableError(
                f"the shards in {self._directory} cannot be read: {problem}",
                code="shardtail.read",
                facts={"directory": str(self._directory)},
            ) from problem
        if problem is not None:
            raise problem
        return None

    def stop(self):
        self._stopping.set()

    def _read(self, name, most):
        """Entries of a shard that are complete, up to the first that is not good."""
        records, position = [], self._positions[name]
        with (self._directory / (name + SUFFIX)).open("rb") as file:
            file.seek(position)
            while len(records) < most:
                entry = _entry(file)
                if entry is None:
                    break
                try:
                    schema, value = _decoded(entry, name, position)
                except DataError:
                    if records:
                        break
                    raise
                position += LENGTH.size + len(entry)
                offset = {"position": position}
                records.append(SourceRecord({"shard": name}, offset, self._topic, value, schema))
        self._positions[name] = position
        return records


def _shards(directory):
    """The names of all shards, in order."""
    names = os.listdir(directory)  # noqa: PTH208  # glob hides errors
    return sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX))


def _entry(file):
    """The next entry, ``None`` at the end of a shard and if the store is still writing it."""
    head = file.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (size,) = LENGTH.unpack(head)
    entry = file.read(size)
    return entry if size and len(entry) == size else None


def _decoded(entry, name, position):
    kind, data = entry[:1], entry[1:]
    try:
        schema, read = READERS[kind]
        return schema, read(data)
    except (KeyError, struct.error, UnicodeDecodeError) as error:
        raise DataError(
            f"the entry at byte {position} of shard {name} has type {kind.decode('latin-1')!r} and"
            f" cannot be read: {type(error).__name__}: {error}",
            code="shardtail.entry",
            facts={"shard": name, "position": position},
        ) from error


def _position(offset):
    """The position in an offset, which an operator may have changed."""
    position = offset.get("position")
    if set(offset) != {"position"} or type(position) is not int or position < 0:
        raise ConnectError(
            f"an offset is {{'position': number}} from 0 on, found {dict(offset)!r}",
            code="shardtail.offset",
        )
    return position
