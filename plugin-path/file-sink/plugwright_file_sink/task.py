"""The task: appends lines, makes them durable on flush."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright import ConnectError, DataError, RetriableError, SinkTask
from plugwright_file_sink.settings import CONFIG, FILE, VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright import ErrantRecordReporter, SinkColumns, SinkRecord, TopicPartition

__all__ = ["FileStreamSinkTask"]


class FileStreamSinkTask(SinkTask):
    """Writes each value and a line feed, to a file or to standard output.

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
        file: str | None = CONFIG.parse(props)[FILE]
        self._path = Path(file or "standard output")
        self._prints = not file
        if not file:
            return
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
        """Append the values; those that are not strings are reported, if possible (KIP-610).

        Raises:
            DataError: if a value is not a string and no reporter exists.
            RetriableError: if nothing of the batch could be written.
            ConnectError: if only a part of the batch could be written.
        """
        self._append([record.value for record in records], lambda: records)

    def put_batch(self, batch: Sequence[SinkColumns]) -> None:
        """Append the values of columns; raises what `put` raises. Hot path."""
        self._append(
            [value for part in batch for value in part.values],
            lambda: [record for part in batch for record in part.records()],
        )

    def flush(self, offsets: Mapping[TopicPartition, int]) -> None:  # noqa: ARG002
        """Wait until the lines are on the disk.

        Raises:
            ConnectError: if that cannot be promised.
        """
        if self._descriptor is not None:
            try:
                os.fsync(self._descriptor)
            except OSError as error:
                raise ConnectError(
                    f"{self._path} cannot be made durable: {error.strerror}",
                    code="file-sink.sync-failed",
                    hint="check the disk; the records are delivered again",
                    facts={"file": str(self._path)},
                ) from error

    def stop(self) -> None:
        """Close the file."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _append(self, values: Sequence[Any], records: Callable[[], Sequence[SinkRecord]]) -> None:
        """Write values; their records are asked for if there may be bad ones among them."""
        if not values:
            return
        try:
            data = _lines(values).encode()
        except (TypeError, UnicodeEncodeError):
            data = self._good_lines(records())
        self._write(data)

    def _good_lines(self, records: Sequence[SinkRecord]) -> bytes:
        """The lines of the records that have one; the others are reported."""
        reporter = self._reporter()
        lines = []
        for record in records:
            try:
                lines.append(self._encoded(record))
            except DataError as error:
                if reporter is None:
                    raise
                reporter.report(record, error)
        return b"".join(lines)

    def _reporter(self) -> ErrantRecordReporter | None:
        """Takes records that cannot be written; ``None`` on runtimes older than KIP-610."""
        offer = getattr(getattr(self, "context", None), "errant_record_reporter", None)
        return None if offer is None else offer()

    def _encoded(self, record: SinkRecord) -> bytes:
        try:
            return _line(record).encode()
        except UnicodeEncodeError as error:
            raise DataError(
                f"a value cannot be written to {self._path} as UTF-8: {error}",
                code="file-sink.not-utf-8",
                facts={"file": str(self._path)},
            ) from error

    def _write(self, data: bytes) -> None:
        if self._prints:
            # The runtime takes what a plugin prints into its log.
            sys.stdout.write(data.decode())
            sys.stdout.flush()
            return
        assert self._descriptor is not None  # noqa: S101  # put comes after start
        rest = memoryview(data)
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
            hint="free some space on the disk"
            if whole
            else "make room on the disk, then restart the task: the last line may be cut",
            facts={"file": str(self._path)},
        )


def _lines(values: Sequence[Any]) -> str:
    """The lines of a batch. Hot path: nothing is called for each value if all are strings.

    Raises:
        TypeError: if a value is neither a string nor ``None``.
    """
    try:
        return "\n".join(values) + "\n"
    except TypeError:
        return "\n".join(["null" if value is None else value for value in values]) + "\n"


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
