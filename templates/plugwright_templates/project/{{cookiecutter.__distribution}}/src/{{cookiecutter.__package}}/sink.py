{% if cookiecutter.__ledger %}
"""The sink: one entry in a ledger for each record, exactly once."""
{% else %}
"""The sink: one entry in a journal for each record."""
{% endif %}

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plugwright import (
    ConfigDef,
    ConfigType,
    DataError,
    Importance,
    NonEmptyString,
{% if cookiecutter.__columns %}
    SinkColumns,
{% endif %}
    SinkConnector,
    SinkTask,
{% if cookiecutter.__ledger %}
    TopicPartition,
{% endif %}
)

from {{ cookiecutter.__package }}._version import __version__
{% if cookiecutter.__ledger %}
from {{ cookiecutter.__package }}.ledger import Entry, Ledger
{% else %}
from {{ cookiecutter.__package }}.journal import Journal
{% endif %}

if TYPE_CHECKING:
{% if cookiecutter.__ledger %}
    from collections.abc import Collection, Mapping, Sequence
{% else %}
    from collections.abc import Mapping, Sequence
{% endif %}

{% if cookiecutter.__ledger %}
    from plugwright import SinkRecord, Task
{% else %}
    from plugwright import SinkRecord, Task, TopicPartition
{% endif %}

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
    documentation="Path of the {{ cookiecutter.__store }} to append to; it is made if it does not exist.",
)
"""Every setting of the sink. The table in the README is made from it."""


class {{ cookiecutter.__prefix }}SinkConnector(SinkConnector):
    """Describes the job: any number of tasks may append to one {{ cookiecutter.__store }}."""

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

{% if cookiecutter.__ledger %}
    def alter_offsets(
        self,
        props: Mapping[str, str],
        offsets: Mapping[TopicPartition, int | None],
    ) -> bool:
        """Move the positions in the ledger: tasks resume at those, not at Kafka's offsets.

        Raises:
            ConfigError: if a setting is missing or wrong.
            ConnectError: if the ledger cannot be written.
        """
        ledger = Ledger(Path(CONFIG.parse(props)["file"]))
        ledger.create()
        ledger.move(offsets)
        return True


class {{ cookiecutter.__prefix }}SinkTask(SinkTask):
    """Appends values and their positions in one transaction, and resumes at these positions."""

    def version(self) -> str:
        """The version of this distribution."""
        return __version__

    def start(self, props: Mapping[str, str]) -> None:
        """Take the settings and make the ledger, if it does not exist.

        Raises:
            ConfigError: if a setting is missing or wrong.
            ConnectError: if the ledger cannot be opened.
        """
        self._ledger = Ledger(Path(CONFIG.parse(props)["file"]))
        self._ledger.create()

    def open(self, partitions: Collection[TopicPartition]) -> None:
        """Continue after the last entries, whatever offsets Kafka has.

        Raises:
            RetriableError: if the ledger cannot be read now.
        """
        known = self._ledger.positions()
        self.context.offset({each: known[each] for each in partitions if each in known})

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Append the values of a batch, all or none; they are durable afterwards.

        Raises:
            DataError: if a value is not text.
            RetriableError: if the ledger cannot be written now.
        """
{% if cookiecutter.__columns %}
        self.put_batch(SinkColumns.of(records))

    def put_batch(self, batch: Sequence[SinkColumns]) -> None:
        """The same for a batch by column, of which no record is built."""
        entries = [entry for part in batch for entry in _entries(part)]
{% else %}
        entries = [_entry(record) for record in records]
{% endif %}
        if entries:
            self._ledger.append(entries)

    def stop(self) -> None:
        """Nothing is held."""


{% if cookiecutter.__columns %}
def _entries(part: SinkColumns) -> list[Entry]:
    """The entries of records, by their original topic: a transformation may have renamed it."""
    partition = TopicPartition(part.original_topic, part.original_kafka_partition)
    texts = zip(part.original_kafka_offsets, _texts(part), strict=True)
    return [Entry(partition, offset, text) for offset, text in texts]
{% else %}
def _entry(record: SinkRecord) -> Entry:
    """The entry of a record, by its original topic: a transformation may have renamed it."""
    partition = TopicPartition(record.original_topic, record.original_kafka_partition)
    return Entry(partition, record.original_kafka_offset, _text(record))
{% endif %}


{% else %}
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
{% if cookiecutter.__columns %}
        self.put_batch(SinkColumns.of(records))

    def put_batch(self, batch: Sequence[SinkColumns]) -> None:
        """The same for a batch by column, of which no record is built."""
        texts = [text for part in batch for text in _texts(part)]
{% else %}
        texts = [_text(record) for record in records]
{% endif %}
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


{% endif %}
{% if cookiecutter.__columns %}
def _texts(part: SinkColumns) -> Sequence[str | None]:
    """The values of records; a tombstone has none."""
    for index, value in enumerate(part.values):
        if value is not None and not isinstance(value, str):
            raise _no_text(part.records()[index])
    return part.values


def _no_text(record: SinkRecord) -> DataError:
    value = record.value
    return DataError(
{% else %}
def _text(record: SinkRecord) -> str | None:
    """The value of a record; a tombstone has none."""
    value = record.value
    if value is None or isinstance(value, str):
        return value
    raise DataError(
{% endif %}
        f"a {{ cookiecutter.__store }} takes text, found {type(value).__name__} at {record.original_topic}-"
        f"{record.original_kafka_partition}@{record.original_kafka_offset}",
        code="{{ cookiecutter.__distribution }}.not-text",
        hint="set value.converter to StringConverter",
        facts={"type": type(value).__name__, "topic": record.original_topic},
    )
