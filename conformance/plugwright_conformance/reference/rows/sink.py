"""A sink of typed rows: structs and schemaless values become lines of one table."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright import ConnectError, DataError, RetriableError, SinkConnector, SinkTask, Struct
from plugwright_conformance.reference.rows.codec import VERSION, directory_of, encode, settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import ConfigDef, SinkRecord, Task, TopicPartition

__all__ = ["RowsSinkConnector", "RowsSinkTask"]


class RowsSinkConnector(SinkConnector):
    """Appends rows to a table."""

    def __init__(self) -> None:
        self._props: Mapping[str, str] = {}

    def version(self) -> str:
        """The version of this distribution."""
        return VERSION

    def config(self) -> ConfigDef:
        """``rows.url`` and ``rows.password``."""
        return settings()

    def start(self, props: Mapping[str, str]) -> None:
        """Check the settings and keep them."""
        self.config().parse(props)
        self._props = dict(props)

    def task_class(self) -> type[Task]:
        """The class that writes."""
        return RowsSinkTask

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """The same configuration for every task."""
        return [self._props] * max_tasks

    def stop(self) -> None:
        """Nothing is held."""


class RowsSinkTask(SinkTask):
    """Writes a line for each value; a tombstone is left out."""

    def __init__(self) -> None:
        self._descriptor: int | None = None

    def version(self) -> str:
        """The version of this distribution."""
        return VERSION

    def start(self, props: Mapping[str, str]) -> None:
        """Open the table.

        Raises:
            ConnectError: if it cannot be opened.
        """
        found = settings().parse(props)
        self._text: bool = found["rows.text"]
        self._batch: int = found["rows.batch"]
        path = Path(directory_of(props["rows.url"])) / "table0.jsonl"
        try:
            self._descriptor = os.open(path, os.O_APPEND | os.O_CREAT | os.O_WRONLY, 0o666)
        except OSError as error:
            raise ConnectError(
                f"cannot open the table: {error.strerror}", code="rows.gone"
            ) from error

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the rows of a batch, at most ``rows.batch`` at a time.

        Raises:
            DataError: if a value has no column.
            RetriableError: if nothing of the batch could be written.
            ConnectError: if only a part of it could be written.
        """
        lines = [self.line(record) for record in records if record.value is not None]
        for begin in range(0, len(lines) if self._descriptor is not None else 0, self._batch):
            part = "".join(f"{line}\n" for line in lines[begin : begin + self._batch])
            self._write(part.encode(), begun=begin > 0)

    def _write(self, data: bytes, *, begun: bool) -> None:
        assert self._descriptor is not None  # noqa: S101  # put looks
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError as error:
            kind = ConnectError if begun or len(rest) < len(data) else RetriableError
            raise kind(f"cannot write: {error.strerror}", code="rows.write") from error

    def line(self, record: SinkRecord) -> str:
        """The line of one record."""
        try:
            if self._text and not isinstance(record.value, str):
                raise TypeError(f"no line of text takes {type(record.value).__name__}")  # noqa: TRY301
            return encode(self.plain(record.value))
        except TypeError as error:
            place = f"{record.topic}-{record.kafka_partition}@{record.kafka_offset}"
            raise DataError(f"{place}: {error}", code="rows.type") from error

    def plain(self, value: Any) -> Any:
        """A struct as a row, wherever it is; anything else as it is."""
        if isinstance(value, Struct):
            return {name: self.field(value, name) for name in tuple(value.keys())}
        if isinstance(value, list):
            return [self.plain(each) for each in value]
        if isinstance(value, dict):
            return {key: self.plain(each) for key, each in value.items()}
        return value

    def field(self, value: Struct, name: str) -> Any:
        """The plain value of one field."""
        unset = self.is_unset(value, name)
        return self.plain(value[name] if unset else value.get_without_default(name))

    @staticmethod
    def is_unset(value: Struct, name: str) -> bool:
        """Whether the field is required and has a default, which replaces an absent value."""
        field = value.schema.field(name)
        return field is not None and not field.schema.optional and field.schema.has_default

    def flush(self, offsets: Mapping[TopicPartition, int]) -> None:  # noqa: ARG002
        """Wait until the rows are on the disk.

        Raises:
            ConnectError: if that cannot be promised.
        """
        if self._descriptor is not None:
            try:
                os.fsync(self._descriptor)
            except OSError as error:
                raise ConnectError(
                    f"cannot be made durable: {error.strerror}", code="rows.sync"
                ) from error

    def stop(self) -> None:
        """Close the table."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
