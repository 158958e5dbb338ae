"""The connector: shards are shared out among tasks."""

from __future__ import annotations

from pathlib import Path

from plugwright import (
    ConfigDef,
    ConfigType,
    ConnectError,
    ExactlyOnceSupport,
    Importance,
    NonEmptyString,
    Range,
    SourceConnector,
    group_partitions,
)

VERSION = "1.0.0"

CONFIG = (
    ConfigDef()
    .define(
        "log.directory",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Directory with one directory for each shard.",
    )
    .define(
        "shards",
        ConfigType.LIST,
        default="",
        importance=Importance.MEDIUM,
        documentation="Names of the shards to read; all of them if it is empty.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives a record for each change.",
    )
    .define(
        "batch.changes",
        ConfigType.INT,
        default=250,
        importance=Importance.LOW,
        validator=Range.between(1, 50_000),
        documentation="The most changes of one poll.",
    )
    .define(
        "emit.deletes",
        ConfigType.BOOLEAN,
        default=True,
        importance=Importance.MEDIUM,
        documentation="Whether a deleted key becomes a record without a value.",
    )
    .define(
        "poll.interval.ms",
        ConfigType.LONG,
        default=100,
        importance=Importance.LOW,
        validator=Range.between(1, 600_000),
        documentation="Milliseconds to wait when there was no change.",
    )
)
TASK_CONFIG = ConfigDef(CONFIG).define(
    "task.shards",
    ConfigType.LIST,
    importance=Importance.HIGH,
    documentation="The shards of one task.",
)


def place_of(offset):
    """Segment and position of a stored offset."""
    segment, position = offset.get("segment"), offset.get("position")
    if (
        set(offset) != {"segment", "position"}
        or type(segment) is not int
        or type(position) is not int
        or segment < 1
        or position < 0
    ):
        raise ConnectError(
            "an offset must be {'segment': from 1, 'position': bytes from 0}, found "
            f"{dict(offset)!r}",
            code="changelog.bad-offset",
        )
    return segment, position


class ChangeLogConnector(SourceConnector):
    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        config = CONFIG.parse(props)
        self._props = dict(props)
        self._directory = Path(config["log.directory"])
        self._shards = list(config["shards"])

    def task_class(self):
        from changelog.task import ChangeLogTask

        return ChangeLogTask

    def task_configs(self, max_tasks):
        shards = self._shards or sorted(
            path.name for path in self._directory.glob("*") if path.is_dir()
        )
        if not shards:
            return []
        return [
            {**self._props, "task.shards": ",".join(group)}
            for group in group_partitions(shards, min(max_tasks, len(shards)))
        ]

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if offset is None:
                continue
            if set(partition) != {"shard"} or not isinstance(partition["shard"], str):
                raise ConnectError(
                    f"a source partition must be {{'shard': name}}, found {dict(partition)!r}"
                )
            place_of(offset)
        return True
