"""The connector: as many tasks as allowed, all appending to one file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import SinkConnector
from plugwright_file_sink.settings import CONFIG, VERSION
from plugwright_file_sink.task import FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import ConfigDef, Task, TopicPartition

__all__ = ["FileStreamSinkConnector"]


class FileStreamSinkConnector(SinkConnector):
    """Appends the values of its topics to one text file."""

    def __init__(self) -> None:
        self._props: Mapping[str, str] = {}

    def version(self) -> str:
        """The version of this distribution."""
        return VERSION

    def config(self) -> ConfigDef:
        """``file``."""
        return CONFIG

    def start(self, props: Mapping[str, str]) -> None:
        """Check the settings and keep them for the tasks."""
        CONFIG.parse(props)
        self._props = dict(props)

    def task_class(self) -> type[Task]:
        """The class that writes."""
        return FileStreamSinkTask

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """The same configuration for every task."""
        return [self._props] * max_tasks

    def stop(self) -> None:
        """Nothing is held."""

    def alter_offsets(
        self,
        props: Mapping[str, str],  # noqa: ARG002  # the file keeps no offsets
        offsets: Mapping[TopicPartition, int | None],  # noqa: ARG002
    ) -> bool:
        """Accept: offsets are Kafka's alone, so there is nothing else to change."""
        return True
