"""A source whose number is text to the definition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import ConfigDef, ConfigType, Importance
from plugwright_file_source import FileStreamSourceConnector, FileStreamSourceTask

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright import Task

__all__ = ["BrokenSourceConnector"]


class BrokenSourceTask(FileStreamSourceTask):
    """Makes a number of the text."""

    def start(self, props: Mapping[str, str]) -> None:
        """Fail with whatever int() raises."""
        size = int(props.get("batch.size", "2000"))
        super().start({**props, "batch.size": str(size)})


class BrokenSourceConnector(FileStreamSourceConnector):
    """Leaves the number to the task."""

    def config(self) -> ConfigDef:
        """The good keys, one of them mistyped."""
        good = super().config().keys
        definition = ConfigDef().add(good["file"]).add(good["topic"])
        return definition.define(
            "batch.size", ConfigType.STRING, "2000", Importance.LOW, "Most records of one poll."
        )

    def start(self, props: Mapping[str, str]) -> None:
        """Keep the settings."""
        self._props = dict(props)

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSourceTask
