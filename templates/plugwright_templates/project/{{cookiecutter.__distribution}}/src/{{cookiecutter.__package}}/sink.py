"""The sink: one entry in a journal for each record."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plugwright import (
    ConfigDef,
    ConfigType,
    DataError,
    Importance,
    NonEmptyString,
    SinkConnector,
    SinkTask,
)

from {{ cookiecutter.__package }}._version import __version__
from {{ cookiecutter.__package }}.journal import Journal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord, Task, TopicPartition

__all__ = [
    "CONFIG",
    "{{ cookiecutter.__prefix }}SinkConnector",
    "{{ cookiecutter.__prefix }}SinkTask",
]

CONFIG = ConfigDef().define(
    "file",
    ConfigType.STRING,
    importance=Importance.HIGH,
    validator=NonEmptyString(),
    documentation="Path of the journal to append to; it is made if it does not exist.",
)
"""Every setting of the sink. The table in the README is made from it."""


class {{ cookiecutter.__prefix }}SinkConnector(SinkConnector):
    """Describes the job: any number of tasks may append to one journal."""

    def __init__(self) -> None:
        self._props: Mapping[str, str] = {}

    def version(self) -> str:
        """The version of this distribution."""
        return __version__

    def config(self) -> ConfigDef:
        """Every setting."""
        return CONFIG

    def start(self, props: Mapping[str, str]) -> None:
        """Check the settings and keep them for the tasks."""
        CONFIG.parse(props)
        self._props = dict(props)

    def task_class(self) -> type[Task]:
        """The class that writes."""
        return {{ cookiecutter.__prefix }}SinkTask

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """The same configuration for every task; Kafka divides the partitions among them."""
        return [self._props] * max_tasks

    def stop(self) -> None:
        """Nothing is held."""

    def alter_offsets(
        self,
        props: Mapping[str, str],  # noqa: ARG002
        offsets: Mapping[TopicPartition, int | None],  # noqa: ARG002
    ) -> bool:
        """Accept: the journal keeps no offsets, so there is nothing else to change."""
        return True


class {{ cookiecutter.__prefix }}SinkTask(SinkTask):
    """Appends values as they come and makes them durable before offsets are committed."""

    def __init__(self) -> None:
        self._journal: Journal | None = None

    def version(self) -> str:
        """The version of this distribution."""
        return __version__

    def start(self, props: Mapping[str, str]) -> None:
        """Take the settings.

        Raises:
            ConfigError: if a setting is missing or wrong.
        """
        self._journal = Journal(Path(CONFIG.parse(props)["file"]))

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Append the values of a batch, all or none.

        Raises:
            DataError: if a value is not text.
            ConnectError: if the journal cannot be written.
        """
        texts = [_text(record) for record in records]
        if texts and self._journal is not None:
            self._journal.append(texts)

    def flush(self, offsets: Mapping[TopicPartition, int]) -> None:  # noqa: ARG002
        """Return when everything that was put is durable: its offsets are committed next."""
        if self._journal is not None:
            self._journal.make_durable()

    def stop(self) -> None:
        """Release the journal."""
        if self._journal is not None:
            self._journal.close()
            self._journal = None


def _text(record: SinkRecord) -> str | None:
    """The value of a record; a tombstone has none."""
    value = record.value
    if value is None or isinstance(value, str):
        return value
    raise DataError(
        f"a journal takes text, found {type(value).__name__} at {record.original_topic}-"
        f"{record.original_kafka_partition}@{record.original_kafka_offset}",
        code="{{ cookiecutter.__distribution }}.not-text",
        hint="set value.converter to StringConverter",
        facts={"type": type(value).__name__, "topic": record.original_topic},
    )
