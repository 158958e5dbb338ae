"""One file for each topic partition, named after it, with one value a line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from plugwright import ConfigDef, ConfigType, Importance, NonNullValidator, SinkConnector, SinkTask

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from plugwright import SinkRecord, Task, TopicPartition

__all__ = ["LegacySinkConnector", "LegacySinkTask"]

_VERSION = "0.3.0"

_CONFIG = ConfigDef().define(
    "directory",
    ConfigType.STRING,
    importance=Importance.HIGH,
    validator=NonNullValidator(),
    documentation="Existing directory that receives one file for each topic partition.",
)


class LegacySinkConnector(SinkConnector):
    """Writes each topic partition to a file of its own."""

    def __init__(self) -> None:
        self._props: Mapping[str, str] = {}

    def version(self) -> str:
        """The version of this distribution."""
        return _VERSION

    def config(self) -> ConfigDef:
        """``directory``."""
        return _CONFIG

    def start(self, props: Mapping[str, str]) -> None:
        """Check the settings and keep them for the tasks."""
        _CONFIG.parse(props)
        self._props = dict(props)

    def task_class(self) -> type[Task]:
        """The class that writes."""
        return LegacySinkTask

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """The same configuration for every task."""
        return [self._props] * max_tasks

    def stop(self) -> None:
        """Nothing is held."""


class LegacySinkTask(SinkTask):
    """Holds one open file for each assigned partition."""

    def __init__(self) -> None:
        self._files: dict[tuple[str, int], BinaryIO] = {}

    def version(self) -> str:
        """The version of this distribution."""
        return _VERSION

    def start(self, props: Mapping[str, str]) -> None:
        """Remember the directory."""
        self._directory = Path(_CONFIG.parse(props)["directory"])

    def open(self, partitions: Collection[TopicPartition]) -> None:
        """Open the file of each partition for appending."""
        for topic, partition in partitions:
            path = self._directory / f"{topic}-{partition}.txt"
            self._files[topic, partition] = path.open("ab")

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Append the values to the files of their partitions."""
        for record in records:
            file = self._files[record.original_topic, record.original_kafka_partition]
            file.write(f"{record.value}\n".encode())

    def flush(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Wait until the named partitions are on the disk."""
        for partition in offsets:
            if (file := self._files.get((partition.topic, partition.partition))) is not None:
                file.flush()
                os.fsync(file.fileno())

    def close(self, partitions: Collection[TopicPartition]) -> None:
        """Close the files of partitions that leave."""
        for topic, partition in partitions:
            if (file := self._files.pop((topic, partition), None)) is not None:
                file.close()

    def stop(self) -> None:
        """Close what is still open."""
        for file in self._files.values():
            file.close()
        self._files.clear()
