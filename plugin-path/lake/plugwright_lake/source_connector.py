"""The source connector: tasks share the files by their paths."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from plugwright import ConnectError, ExactlyOnceSupport, SourceConnector
from plugwright_lake.settings import VERSION
from plugwright_lake.source_offset import position_of
from plugwright_lake.source_settings import SOURCE_CONFIG, TASK, TASKS, SourceSettings, hidden
from plugwright_lake.source_task import LakeSourceTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import ConfigDef, ConfigValue, Task

__all__ = ["LakeSourceConnector"]


class LakeSourceConnector(SourceConnector):
    """Reads files of JSON lines, Avro or Parquet into topics."""

    def __init__(self) -> None:
        self._props: Mapping[str, str] = {}

    def version(self) -> str:
        """The version of this distribution."""
        return VERSION

    def config(self) -> ConfigDef:
        """The settings about the location of files, and the topics of their records."""
        return SOURCE_CONFIG

    def validate(self, props: Mapping[str, str]) -> Sequence[ConfigValue]:
        """Every setting with its problems, also those that it has with others."""
        problem = hidden(props)
        return [
            value.with_error(problem) if problem and value.name == "finished.dir" else value
            for value in super().validate(props)
        ]

    def start(self, props: Mapping[str, str]) -> None:
        """Check the settings and keep them for the tasks."""
        SourceSettings.parse(props)
        self._props = dict(props)

    def task_class(self) -> type[Task]:
        """The class that reads."""
        return LakeSourceTask

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """The number of each task, by which it knows its files."""
        count = str(max_tasks)
        return [{**self._props, TASK: str(n), TASKS: count} for n in range(max_tasks)]

    def stop(self) -> None:
        """Nothing is held."""

    def exactly_once_support(self, props: Mapping[str, str]) -> ExactlyOnceSupport:  # noqa: ARG002
        """Supported: the offset of every row is exact."""
        return ExactlyOnceSupport.SUPPORTED

    def alter_offsets(
        self,
        props: Mapping[str, str],  # noqa: ARG002  # any file may have a position
        offsets: Sequence[tuple[Mapping[str, Any], Mapping[str, Any] | None]],
    ) -> bool:
        """Accept positions in files, and that any is forgotten.

        Raises:
            ConnectError: if a partition does not name a file, or an offset is not a position.
        """
        for partition, offset in offsets:
            if offset is None:
                continue
            position_of(offset)
            if set(partition) != {"file"}:
                raise ConnectError(
                    "a source partition must have a file, found "
                    f"{json.dumps(dict(partition), ensure_ascii=False, default=str)}",
                    code="lake.bad-partition",
                )
        return True
