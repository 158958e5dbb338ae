"""File sinks with faults in definition, construction or configuration."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, ClassVar

from plugwright import ConfigDef, ConfigType, Importance
from plugwright_conformance.mutants.mutant import mutant
from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord, Task

__all__ = [
    "ConstructorWantsPath",
    "LeansOnDriver",
    "LockInConfig",
    "RenamesParameterTask",
    "RequiredKeyIsOptional",
    "TaskInsideFunction",
    "VersionNeedsStart",
]


@mutant(
    "M017",
    "constructor requires an argument",
    killed_by="PLG-DSC-13",
    failure="missing 1 required positional argument: 'path'",
)
class ConstructorWantsPath(FileStreamSinkConnector):
    """Requires the file in its constructor."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path

    def start(self, props: Mapping[str, str]) -> None:
        """Add the path to the settings."""
        super().start({"file": self._path, **props})


@mutant(
    "M019",
    "version() raises until start() was called",
    killed_by="PLG-DSC-14",
    failure="AttributeError",
)
class VersionNeedsStart(FileStreamSinkConnector):
    """Determines its version in start()."""

    _release: str

    def version(self) -> str:
        """The version that start() determined."""
        return self._release

    def start(self, props: Mapping[str, str]) -> None:
        """Start, and determine the version."""
        super().start(props)
        self._release = super().version()


class RequiredKeyIsOptionalTask(FileStreamSinkTask):
    """Requires a setting that is defined as optional."""

    def start(self, props: Mapping[str, str]) -> None:
        """Read the setting without a check."""
        super().start({**props, "file": props["file"]})


@mutant(
    "M026",
    "required key is marked optional and fails at run time",
    killed_by="CON-CFG-04",
    failure="an error on file",
)
class RequiredKeyIsOptional(FileStreamSinkConnector):
    """Defines a required setting as optional."""

    def config(self) -> ConfigDef:
        """``file``, with the default ``None``."""
        return ConfigDef().define(
            "file", ConfigType.STRING, None, Importance.HIGH, "Path of the text file to append to."
        )

    def start(self, props: Mapping[str, str]) -> None:
        """Keep the settings."""
        self._props = dict(props)

    def task_class(self) -> type[Task]:
        """The broken class."""
        return RequiredKeyIsOptionalTask


@mutant(
    "M013",
    "put() has a renamed parameter",
    killed_by="PLG-PKG-16",
    failure="parameters are self, batch",
)
class RenamesParameterTask(FileStreamSinkTask):
    """Renames the parameter ``records`` of put()."""

    def put(self, batch: Sequence[SinkRecord]) -> None:
        """Write the batch."""
        super().put(batch)


def _task_class() -> type[Task]:
    lock = threading.Lock()

    class BrokenSinkTask(FileStreamSinkTask):
        """Is defined in a function and refers to a lock, so it cannot be pickled."""

        def put(self, records: Sequence[SinkRecord]) -> None:
            """Write, one task at a time."""
            with lock:
                super().put(records)

    return BrokenSinkTask


@mutant(
    "M154",
    "task class made inside a function, around a lock",
    killed_by="CON-SPK-01",
    failure="<locals>",
)
class TaskInsideFunction(FileStreamSinkConnector):
    """Creates the task class in a function."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return _task_class()


class LeansOnDriverTask(FileStreamSinkTask):
    """Reads a class attribute that the connector sets."""

    path: ClassVar[str]

    def start(self, props: Mapping[str, str]) -> None:
        """Take the path from the class."""
        super().start({**props, "file": self.path})


@mutant(
    "M154a",
    "task reads what the connector left in the driver's memory",
    killed_by="CON-SPK-01",
    failure="no attribute 'path'",
)
class LeansOnDriver(FileStreamSinkConnector):
    """Sets an attribute of the task class instead of a task setting."""

    def start(self, props: Mapping[str, str]) -> None:
        """Store the path in the task class."""
        super().start(props)
        LeansOnDriverTask.path = props["file"]

    def task_class(self) -> type[Task]:
        """The broken class."""
        return LeansOnDriverTask


@mutant(
    "M154b",
    "task configuration holds a lock",
    killed_by="CON-SPK-01",
    failure="lock is not text",
)
class LockInConfig(FileStreamSinkConnector):
    """Puts an object into the task configuration."""

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, Any]]:
        """The settings and a lock."""
        lock = threading.Lock()
        return [{**config, "lock": lock} for config in super().task_configs(max_tasks)]
