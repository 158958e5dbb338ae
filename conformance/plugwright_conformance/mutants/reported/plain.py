"""The common base classes and settings of the small connectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from plugwright import (
    ConfigDef,
    ConfigType,
    Importance,
    NonEmptyString,
    Range,
    SinkConnector,
    SinkTask,
    SourceConnector,
    SourceTask,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import Task

__all__ = ["VERSION", "PlainSink", "PlainSinkTask", "PlainSource", "PlainSourceTask", "settings"]

VERSION = "1.0.0"


def settings() -> ConfigDef:
    """The settings of both sources and sinks."""
    return (
        ConfigDef()
        .define(
            "place",
            ConfigType.STRING,
            importance=Importance.HIGH,
            validator=NonEmptyString(),
            documentation="Path of the file, database or directory.",
        )
        .define(
            "batch.size",
            ConfigType.INT,
            default=50,
            importance=Importance.LOW,
            validator=Range.between(1, 1000),
            documentation="The most records that are handled at once.",
        )
    )


class PlainSource(SourceConnector):
    """A source with one task, which gets the settings as they are."""

    TASK: ClassVar[type[SourceTask]]

    def __init__(self) -> None:
        self._props: Mapping[str, str] = {}

    def version(self) -> str:
        """The version of this distribution."""
        return VERSION

    def config(self) -> ConfigDef:
        """``place``, ``batch.size`` and ``topic``."""
        return settings().define(
            "topic",
            ConfigType.STRING,
            importance=Importance.HIGH,
            validator=NonEmptyString(),
            documentation="Name of the topic that receives the records.",
        )

    def start(self, props: Mapping[str, str]) -> None:
        """Check the settings and keep them."""
        self.config().parse(props)
        self._props = dict(props)

    def task_class(self) -> type[Task]:
        """The class that reads."""
        return self.TASK

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:  # noqa: ARG002
        """One configuration, whatever the limit."""
        return [self._props]

    def stop(self) -> None:
        """Nothing is held."""


class PlainSink(SinkConnector):
    """A sink whose tasks all get the settings as they are."""

    TASK: ClassVar[type[SinkTask]]

    def __init__(self) -> None:
        self._props: Mapping[str, str] = {}

    def version(self) -> str:
        """The version of this distribution."""
        return VERSION

    def config(self) -> ConfigDef:
        """``place`` and ``batch.size``."""
        return settings()

    def start(self, props: Mapping[str, str]) -> None:
        """Check the settings and keep them."""
        self.config().parse(props)
        self._props = dict(props)

    def task_class(self) -> type[Task]:
        """The class that writes."""
        return self.TASK

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """The same configuration for every task."""
        return [self._props] * max_tasks

    def stop(self) -> None:
        """Nothing is held."""


class PlainSourceTask(SourceTask):
    """A task with the version of this distribution."""

    def version(self) -> str:
        """The version of this distribution."""
        return VERSION


class PlainSinkTask(SinkTask):
    """A task with the version of this distribution."""

    def version(self) -> str:
        """The version of this distribution."""
        return VERSION
