"""The task: appends lines, makes them durable on flush."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright import ConnectError, DataError, RetriableError, SinkTask
from plugwright_file_sink.settings import CONFIG, FILE, VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord, TopicPartition

__all__ = ["FileStreamSinkTask"]


class FileStreamSinkTask(SinkTask):
    """Writes each value and a line feed.

    A batch is one write to a file opened for appending, so that the lines of several tasks do not
    mix. A tombstone is written as ``null``, as Kafka's own file sink does.
    """

    def __init__(self) -> None:
        self._descriptor: int | None = None

    def version(self) -> str:
        """The version of this distribution."""
        return VERSION

    def start(self, props: Mapping[str, str]) -> None:
        """Open the file for appending.

        Raises:
            ConfigError: if a setting is missing or wrong.
            ConnectError: if the file cannot be opened for writing.
        """
        self._path = Path(CONFIG.parse(props)[FILE])
        try:
            self._descriptor = os.open(
                self._path, os.O_APPEND | os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o666
            )
        except OSError as error:
            raise ConnectError(
                f"cannot write {self._path}: {error.strerror}",
                code="file-sink.unwritable",
                hint="check that the directory exists and may be written",
                facts={"file": str(self._path)},
            ) from error

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Append the values.

        Raises:
            DataError: if a value is not a string.
            RetriableError: if nothing of the batch could be written.
            ConnectError: if only a part of the batch could be written.
        """
        if records:
            self._write(_lines(records))

    def flush(self, offsets: Mapping[TopicPartition, int]) -> None:  # noqa: ARG002
        """Wait until the lines are on the disk."""
        if self._descriptor is not None:
            os.fsync(self._descriptor)

    def stop(self) -> None:
        """Close the file."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _write(self, lines: str) -> None:
        assert self._descriptor is not None  # noqa: S101  # put comes after start
        try:
            data = memoryview(lines.encode())
        except UnicodeEncodeError as error:
            raise DataError(
                f"a value cannot be written to {self._path} as UTF-8: {error}",
                code="file-sink.not-utf-8",
                facts={"file": str(self._path)},
            ) from error
        rest = data
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError as error:
            raise self._failure(error, whole=len(rest) == len(data)) from error

    def _failure(self, error: OSError, *, whole: bool) -> ConnectError:
        kind = RetriableError if whole else ConnectError
        return kind(
            f"cannot append to {self._path}: {error.strerror}",
            code="file-sink.write-failed",
            hint="make room on the disk"
            if whole
            else "make room on the disk, then restart the task: the last line may be cut",
            facts={"file": str(self._path)},
        )


def _lines(records: Sequence[SinkRecord]) -> str:
    """The lines of a batch. Hot path: nothing is called for each record if all are strings."""
    try:
        return "\n".join([record.value for record in records]) + "\n"
    except TypeError:
        return "".join([_line(record) for record in records])


def _line(record: SinkRecord) -> str:
    """The line of one record."""
    value = record.value
    if isinstance(value, str):
        return value + "\n"
    if value is None:
        return "null\n"
    raise DataError(
        f"the file sink writes strings, found {type(value).__name__} at "
        f"{record.original_topic}-{record.original_kafka_partition}"
        f"@{record.original_kafka_offset}",
        code="file-sink.not-a-string",
        hint="set value.converter to StringConverter",
        facts={"type": type(value).__name__, "topic": record.original_topic},
    )
