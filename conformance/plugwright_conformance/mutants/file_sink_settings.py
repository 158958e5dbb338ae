"""Sinks of files that are defined, made or configured wrongly."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, ClassVar

from plugwright import ConfigDef, ConfigType, Importance
from plugwright_conformance.mutants._mutant import mutant
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
    says="missing 1 required positional argument: 'path'",
)
class ConstructorWantsPath(FileStreamSinkConnector):
    """Wants to know its file before it is started."""

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
    says="AttributeError",
)
class VersionNeedsStart(FileStreamSinkConnector):
    """Reads its version together with its settings."""

    _release: str

    def version(self) -> str:
        """What start() has found out."""
        return self._release

    def start(self, props: Mapping[str, str]) -> None:
        """Find out the version."""
        super().start(props)
        self._release = super().version()


class RequiredKeyIsOptionalTask(FileStreamSinkTask):
    """Needs its file."""

    def start(self, props: Mapping[str, str]) -> None:
        """Look it up, whether it is there or not."""
        super().start({**props, "file": props["file"]})


@mutant(
    "M026",
    "required key is marked optional and fails at run time",
    killed_by="CON-CFG-04",
    says="an error on file",
)
class RequiredKeyIsOptional(FileStreamSinkConnector):
    """Finds out in the task."""

    def config(self) -> ConfigDef:
        """``file``, with a default that is none."""
        return ConfigDef().define(
            "file", ConfigType.STRING, None, Importance.HIGH, "Path of the text file to append to."
        )

    def start(self, props: Mapping[str, str]) -> None:
        """Keep the settings."""
        self._props = dict(props)

    def task_class(self) -> type[Task]:
        """The one that needs it."""
        return RequiredKeyIsOptionalTask


@mutant(
    "M013",
    "put() has a renamed parameter",
    killed_by="PLG-PKG-16",
    says="parameters are self, batch",
)
class RenamesParameterTask(FileStreamSinkTask):
    """Cannot be called with ``records=``."""

    def put(self, batch: Sequence[SinkRecord]) -> None:
        """Write the batch."""
        super().put(batch)


def _task_class() -> type[Task]:
    lock = threading.Lock()

    class BrokenSinkTask(FileStreamSinkTask):
        """Cannot be found by its name, nor sent with what it holds."""

        def put(self, records: Sequence[SinkRecord]) -> None:
            """Write, one task at a time."""
            with lock:
                super().put(records)

    return BrokenSinkTask


@mutant(
    "M154",
    "task class made inside a function, around a lock",
    killed_by="CON-SPK-01",
    says="<locals>",
)
class TaskInsideFunction(FileStreamSinkConnector):
    """Makes the class when it is asked for it."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return _task_class()


class LeansOnDriverTask(FileStreamSinkTask):
    """Looks for its file where the connector has left it."""

    path: ClassVar[str]

    def start(self, props: Mapping[str, str]) -> None:
        """Take the path from the class."""
        super().start({**props, "file": self.path})


@mutant(
    "M154a",
    "task reads what the connector left in the driver's memory",
    killed_by="CON-SPK-01",
    says="no attribute 'path'",
)
class LeansOnDriver(FileStreamSinkConnector):
    """Tells the task class instead of the task."""

    def start(self, props: Mapping[str, str]) -> None:
        """Leave the path on the class."""
        super().start(props)
        LeansOnDriverTask.path = props["file"]

    def task_class(self) -> type[Task]:
        """The broken class."""
        return LeansOnDriverTask


@mutant(
    "M154b",
    "task configuration holds a lock",
    killed_by="CON-SPK-01",
    says="lock is not text",
)
class LockInConfig(FileStreamSinkConnector):
    """Hands over more than text."""

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, Any]]:
        """The settings and a lock to share."""
        lock = threading.Lock()
        return [{**config, "lock": lock} for config in super().task_configs(max_tasks)]
