"""Sources of files that are defined or divided wrongly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import ConfigDef, ConfigType, Importance
from plugwright_conformance.mutants._mutant import mutant
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
    says="a description of read.ahead",
)
class KeyWithoutDescription(FileStreamSourceConnector):
    """Says of one key only what it is called."""

    def config(self) -> ConfigDef:
        """The good keys and a silent one."""
        return ConfigDef(super().config()).define(
            "read.ahead", ConfigType.INT, 4, Importance.LOW, "read.ahead"
        )


class ParsesNumberByHandTask(FileStreamSourceTask):
    """Makes a number of the text."""

    def start(self, props: Mapping[str, str]) -> None:
        """Fail with whatever int() raises."""
        size = int(props.get("batch.size", "2000"))
        super().start({**props, "batch.size": str(size)})


@mutant(
    "M027",
    "number parsed by hand, error escapes as ValueError",
    killed_by="CON-CFG-05",
    says="ValueError",
)
class ParsesNumberByHand(FileStreamSourceConnector):
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
        return ParsesNumberByHandTask


@mutant(
    "M144",
    "token key typed as plain string",
    killed_by="CON-SEC-01",
    says="type PASSWORD for api.token",
)
class TokenInPlainText(FileStreamSourceConnector):
    """Wants a token as if it were any text."""

    def config(self) -> ConfigDef:
        """The good keys and one that everybody may read."""
        return ConfigDef(super().config()).define(
            "api.token",
            ConfigType.STRING,
            "",
            Importance.LOW,
            "What the file server asks for before it lets anyone read.",
        )


@mutant(
    "M120",
    "task_configs(n) returns n + 1",
    killed_by="CON-PAR-01",
    says="task_configs(1)",
)
class OneTaskTooMany(FileStreamSourceConnector):
    """Counts from nought to the limit, inclusive."""

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """One configuration for each number that it counts."""
        return [self._props for _ in range(max_tasks + 1)]


class CountsTasksTask(FileStreamSourceTask):
    """Stores offsets that nobody finds after ``tasks.max`` has changed."""

    def start(self, props: Mapping[str, str]) -> None:
        """Make the task a part of the partition."""
        super().start(props)
        self._partition = {"filename": self._path, "task": f"0 of {props['tasks']}"}


@mutant(
    "M076",
    "partition map contains the number of tasks",
    killed_by="SRC-OFF-06",
    says="tasks.max 1 and 4",
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
