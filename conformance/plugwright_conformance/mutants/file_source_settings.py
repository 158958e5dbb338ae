"""File sources with faults in definition or task configurations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import ConfigDef, ConfigType, Importance
from plugwright_conformance.mutants.mutant import mutant
from plugwright_file_source import FileStreamSourceConnector, FileStreamSourceTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import Task

__all__ = [
    "CountsTasks",
    "KeyWithoutDescription",
    "OneTaskTooMany",
    "ParsesNumberByHand",
    "TokenInPlainText",
]


@mutant(
    "M024",
    "key without description",
    killed_by="CON-CFG-02",
    failure="a description of read.ahead",
)
class KeyWithoutDescription(FileStreamSourceConnector):
    """Uses the name of a key as its documentation."""

    def config(self) -> ConfigDef:
        """The good keys and one without documentation."""
        return ConfigDef(super().config()).define(
            "read.ahead", ConfigType.INT, 4, Importance.LOW, "read.ahead"
        )


class ParsesNumberByHandTask(FileStreamSourceTask):
    """Parses a number without error handling."""

    def start(self, props: Mapping[str, str]) -> None:
        """Parse the number with int()."""
        size = int(props.get("batch.size", "2000"))
        super().start({**props, "batch.size": str(size)})


@mutant(
    "M027",
    "number parsed by hand, error escapes as ValueError",
    killed_by="CON-CFG-05",
    failure="ValueError",
)
class ParsesNumberByHand(FileStreamSourceConnector):
    """Defines a number as a string."""

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
        return ParsesNumberByHandTask


@mutant(
    "M144",
    "token key typed as plain string",
    killed_by="CON-SEC-01",
    failure="type PASSWORD for api.token",
)
class TokenInPlainText(FileStreamSourceConnector):
    """Defines a token as STRING."""

    def config(self) -> ConfigDef:
        """The good keys and a token of the wrong type."""
        return ConfigDef(super().config()).define(
            "api.token",
            ConfigType.STRING,
            "",
            Importance.LOW,
            "Access token of the file server.",
        )


@mutant(
    "M120",
    "task_configs(n) returns n + 1",
    killed_by="CON-PAR-01",
    failure="task_configs(1)",
)
class OneTaskTooMany(FileStreamSourceConnector):
    """Returns one task configuration too many."""

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """One configuration more than allowed."""
        return [self._props for _ in range(max_tasks + 1)]


class CountsTasksTask(FileStreamSourceTask):
    """Puts the number of tasks into the source partition."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start, and add the number of tasks to the partition."""
        super().start(props)
        self._partition = {"filename": self._path, "task": f"0 of {props['tasks']}"}


@mutant(
    "M076",
    "partition map contains the number of tasks",
    killed_by="SRC-OFF-06",
    failure="tasks.max 1 and 4",
)
class CountsTasks(FileStreamSourceConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return CountsTasksTask

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """The good configuration and the number of tasks."""
        (only,) = super().task_configs(max_tasks)
        return [{**only, "tasks": str(max_tasks)}]
