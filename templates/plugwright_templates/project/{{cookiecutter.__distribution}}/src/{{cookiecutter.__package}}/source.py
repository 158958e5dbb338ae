"""The source: one record for each entry of a journal."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright import (
    OPTIONAL_STRING_SCHEMA,
    ConfigDef,
    ConfigType,
    ConnectError,
    ExactlyOnceSupport,
    Importance,
    NonEmptyString,
    Range,
    RetriableError,
{% if cookiecutter.__columns %}
    SourceColumns,
    SourceConnector,
{% else %}
    SourceConnector,
    SourceRecord,
{% endif %}
    SourceTask,
)

from {{ cookiecutter.__package }}._version import __version__
from {{ cookiecutter.__package }}.journal import Journal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import Task

__all__ = [
    "CONFIG",
    "{{ cookiecutter.__prefix }}SourceConnector",
    "{{ cookiecutter.__prefix }}SourceTask",
]

CONFIG = (
    ConfigDef()
    .define(
        "file",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Path of the journal to read; it may appear later than the connector.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Name of the topic that receives one record for each entry.",
    )
    .define(
        "batch.size",
        ConfigType.INT,
        default=1000,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most records that one poll returns.",
    )
)
"""Every setting of the source. The table in the README is made from it."""

_WAIT_S = 0.2


class {{ cookiecutter.__prefix }}SourceConnector(SourceConnector):
    """Describes the job: one journal, which cannot be divided, so one task."""

    def __init__(self) -> None:
        self._props: Mapping[str, str] = {}

    def version(self) -> str:
        """The version of this distribution."""
        return __version__

    def config(self) -> ConfigDef:
        """Every setting."""
        return CONFIG

    def start(self, props: Mapping[str, str]) -> None:
        """Check the settings and keep them for the task."""
        CONFIG.parse(props)
        self._props = dict(props)

    def task_class(self) -> type[Task]:
        """The class that reads."""
        return {{ cookiecutter.__prefix }}SourceTask

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:  # noqa: ARG002
        """One configuration, whatever the limit."""
        return [self._props]

    def stop(self) -> None:
        """Nothing is held."""

    def exactly_once_support(
        self,
        props: Mapping[str, str],  # noqa: ARG002
    ) -> ExactlyOnceSupport:
        """Supported: each record carries the exact position after its entry."""
        return ExactlyOnceSupport.SUPPORTED

    def alter_offsets(
        self,
        props: Mapping[str, str],  # noqa: ARG002
        offsets: Sequence[tuple[Mapping[str, Any], Mapping[str, Any] | None]],
    ) -> bool:
        """Accept positions of journals.

        Raises:
            ConnectError: if a partition does not name a journal, or an offset is not a position.
        """
        for partition, offset in offsets:
            if set(partition) != {"file"} or not isinstance(partition["file"], str):
                raise ConnectError(
                    f"a source partition must be {% raw %}{{'file': text}}{% endraw %}, found {dict(partition)!r}",
                    code="{{ cookiecutter.__distribution }}.bad-partition",
                )
            if offset is not None:
                _position(offset)
        return True


class {{ cookiecutter.__prefix }}SourceTask(SourceTask):
    """Reads one journal from the stored position on."""

    def __init__(self) -> None:
        self._stopping = threading.Event()

    def version(self) -> str:
        """The version of this distribution."""
        return __version__

    def start(self, props: Mapping[str, str]) -> None:
        """Ask where an earlier task stopped.

        Raises:
            ConfigError: if a setting is missing or wrong.
            ConnectError: if the stored offset is not a position.
        """
        settings = CONFIG.parse(props)
        self._stopping.clear()
        self._journal = Journal(Path(settings["file"]))
        self._topic: str = settings["topic"]
        self._batch_size: int = settings["batch.size"]
        self._partition = {"file": settings["file"]}
        stored = self.context.offset_storage_reader.offset(self._partition)
        self._next = 0 if stored is None else _position(stored)

{% if cookiecutter.__columns %}
    def poll(self) -> SourceColumns | None:
        """The next entries by column, or nothing after a short wait.
{% else %}
    def poll(self) -> Sequence[SourceRecord] | None:
        """The next entries, or nothing after a short wait.
{% endif %}

        Raises:
            RetriableError: if the journal cannot be read now.
            ConnectError: if it cannot be read at all.
        """
        try:
            entries = self._journal.read(self._next, self._batch_size)
        except RetriableError:
            self._stopping.wait(_WAIT_S)  # the runtime asks again at once
            raise
        if not entries:
            self._stopping.wait(_WAIT_S)
            return None
        self._next = entries[-1].end
{% if cookiecutter.__columns %}
        return SourceColumns(
            source_partition=self._partition,
            # Where to go on after a record; the runtime asks for few of them.
            offset_at=lambda index: {"position": entries[index].end},
            topic=self._topic,
            values=[entry.text for entry in entries],
            value_schema=OPTIONAL_STRING_SCHEMA,
        )
{% else %}
        return [
            SourceRecord(
                source_partition=self._partition,
                source_offset={"position": entry.end},  # where to go on after this record
                topic=self._topic,
                value=entry.text,
                value_schema=OPTIONAL_STRING_SCHEMA,
            )
            for entry in entries
        ]
{% endif %}

    def stop(self) -> None:
        """End a waiting poll; another thread may call this while ``poll`` runs."""
        self._stopping.set()


def _position(offset: Mapping[str, Any]) -> int:
    """The position in an offset, which may have been written by someone else."""
    position = offset.get("position")
    if set(offset) != {"position"} or type(position) is not int or position < 0:
        raise ConnectError(
            f"an offset must be {% raw %}{{'position': bytes from 0}}{% endraw %}, found {dict(offset)!r}",
            code="{{ cookiecutter.__distribution }}.bad-offset",
            hint="reset or alter the connector's offsets",
        )
    return position
