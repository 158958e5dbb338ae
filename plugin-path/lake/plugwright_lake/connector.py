"""The connector: as many tasks as allowed, each with partitions of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import ConfigValue, SinkConnector
from plugwright_lake.layout import Layout, problems
from plugwright_lake.settings import CONFIG, VERSION
from plugwright_lake.task import LakeSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import ConfigDef, Task, TopicPartition

__all__ = ["LakeSinkConnector"]


class LakeSinkConnector(SinkConnector):
    """Writes topics to files of JSON lines, Avro or Parquet."""

    def __init__(self) -> None:
        self._props: Mapping[str, str] = {}

    def version(self) -> str:
        """The version of this distribution."""
        return VERSION

    def config(self) -> ConfigDef:
        """The settings about the location, format and rotation of files."""
        return CONFIG

    def validate(self, props: Mapping[str, str]) -> Sequence[ConfigValue]:
        """Every setting with its problems, also those that it has with others."""
        values = {value.name: value for value in super().validate(props)}
        for key, text in problems(props):
            values[key] = values.get(key, ConfigValue(key)).with_error(text)
        return list(values.values())

    def start(self, props: Mapping[str, str]) -> None:
        """Check the settings and keep them for the tasks."""
        Layout.parse(props)
        self._props = dict(props)

    def task_class(self) -> type[Task]:
        """The class that writes."""
        return LakeSinkTask

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """The same configuration for every task."""
        return [self._props] * max_tasks

    def stop(self) -> None:
        """Nothing is held."""

    def alter_offsets(
        self,
        props: Mapping[str, str],  # noqa: ARG002  # the files are not changed
        offsets: Mapping[TopicPartition, int | None],  # noqa: ARG002
    ) -> bool:
        """Accept: records that come again meet the files that are there."""
        return True
