"""File sinks that handle failures wrongly."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from plugwright import (
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    RetriableError,
    SinkRecord,
)
from plugwright_conformance.mutants.mutant import mutant
from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from concurrent.futures import Future

    from plugwright import Task, TopicPartition

__all__ = [
    "ForgetsReportsTask",
    "HidesHost",
    "LeaksKeyErrorTask",
    "NeedsReporterTask",
    "ReportsCopiesTask",
    "ReportsInFlushTask",
    "ReportsLaterTask",
    "ReportsOutageTask",
    "ReportsWholeBatchTask",
    "ShowsPassword",
    "StopTwiceRaisesTask",
    "SwallowsFailedSyncTask",
    "SwallowsPassingErrorsTask",
    "SwallowsPoisonTask",
    "WaitsForEverTask",
    "WritesNeighboursTwiceTask",
]

_HOST = "127.0.0.1"
_CONFIG = (
    ConfigDef()
    .define("file", ConfigType.STRING, documentation="The file to append to.")
    .define("host", ConfigType.STRING, default=_HOST, documentation="Where to report to.")
    .define("password", ConfigType.PASSWORD, default="", documentation="For the report.")
)


@mutant(
    "M036",
    "second stop() raises",
    killed_by="CON-LIF-02",
    failure="stop() number 2 of StopTwiceRaisesTask",
)
class StopTwiceRaisesTask(FileStreamSinkTask):
    """Fails in stop() if it is already stopped."""

    def __init__(self) -> None:
        super().__init__()
        self._closed = False

    def stop(self) -> None:
        """Close the file, or raise if it is closed."""
        if self._closed:
            raise ValueError("the file is closed")
        super().stop()
        self._closed = True


@mutant(
    "M290",
    "promises offsets although the disk refused to sync",
    base="file-sink",
    killed_by="SNK-OFF-03",
    failure="nothing could be made durable",
)
class SwallowsFailedSyncTask(FileStreamSinkTask):
    """Ignores that fsync failed."""

    def flush(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Sync the file and ignore errors."""
        with suppress(ConnectError):
            super().flush(offsets)


@mutant(
    "M105",
    "KeyError leaks from put() on an answer that it does not know",
    killed_by="CON-ERR-01",
    failure="KeyError",
)
class LeaksKeyErrorTask(FileStreamSinkTask):
    """Maps error numbers with an incomplete dict."""

    def _failure(self, error: OSError, *, whole: bool) -> ConnectError:
        return {28: ConnectError("disk full")}[error.errno or 0] if whole else ConnectError("cut")


class ShowsPasswordTask(FileStreamSinkTask):
    """Puts the password into the error of a failed connection."""

    def start(self, props: Mapping[str, str]) -> None:
        """Connect, then open the file."""
        self._props = props
        self._connect()
        super().start(props)

    def _connect(self) -> None:
        password = self._props.get("password", "")
        try:
            socket.create_connection((_HOST, 9), timeout=1).close()
        except OSError as error:
            raise ConnectError(f"cannot log in to {_HOST} as admin:{password}") from error


@mutant(
    "M106",
    "error about an unreachable endpoint shows the password",
    killed_by="CON-ERR-03",
    failure="no part of password",
)
class ShowsPassword(FileStreamSinkConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return ShowsPasswordTask

    def config(self) -> ConfigDef:
        """``file``, ``host`` and ``password``."""
        return _CONFIG


class HidesHostTask(FileStreamSinkTask):
    """Omits the host from the error of a failed connection."""

    def start(self, props: Mapping[str, str]) -> None:
        """Connect, then open the file."""
        self._props = props
        self._connect()
        super().start(props)

    def _connect(self) -> None:
        try:
            socket.create_connection((_HOST, 9), timeout=1).close()
        except OSError as error:
            raise ConnectError("cannot connect") from error


@mutant(
    "M106a",
    "error about an unreachable endpoint hides the host",
    killed_by="CON-ERR-03",
    failure="the host that was tried",
)
class HidesHost(FileStreamSinkConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return HidesHostTask

    def config(self) -> ConfigDef:
        """``file``, ``host`` and ``password``."""
        return _CONFIG


@mutant(
    "M108",
    "waits for ever on a half-open connection",
    killed_by="CON-ERR-05",
    failure="a task that hangs",
)
class WaitsForEverTask(FileStreamSinkTask):
    """Waits in put() after an error instead of raising it."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the batch, or wait forever after a failure."""
        try:
            super().put(records)
        except RetriableError:
            threading.Event().wait()


@mutant(
    "M112",
    "catches the transient error and returns normally",
    killed_by="SNK-ERR-01",
    failure="lost",
)
class SwallowsPassingErrorsTask(FileStreamSinkTask):
    """Ignores retriable errors."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the batch and ignore retriable errors."""
        with suppress(RetriableError):
            super().put(records)


@mutant(
    "M115",
    "poison record swallowed with tolerance none",
    killed_by="SNK-ERR-05",
    failure="a task that stopped",
)
class SwallowsPoisonTask(FileStreamSinkTask):
    """Drops records that it cannot write."""

    def _good_lines(self, records: Sequence[SinkRecord]) -> bytes:
        return super()._good_lines([r for r in records if isinstance(r.value, str)])


@mutant(
    "M114",
    "one poison record discards the whole batch to the DLQ",
    killed_by="SNK-ERR-04",
    failure="lost",
)
class ReportsWholeBatchTask(FileStreamSinkTask):
    """Reports all records of a batch instead of the bad one."""

    def _good_lines(self, records: Sequence[SinkRecord]) -> bytes:
        reporter = self._reporter()
        if reporter is None:
            return super()._good_lines(records)
        for record in records:
            reporter.report(record, DataError("a record of this batch is bad"))
        return b""


@mutant(
    "M332",
    "a batch with a bad record is gone through twice",
    killed_by="SNK-ERR-13",
    failure="more, and 0 missing",
)
class WritesNeighboursTwiceTask(FileStreamSinkTask):
    """Writes what is good of such a batch, and then the whole batch again."""

    def _good_lines(self, records: Sequence[SinkRecord]) -> bytes:
        good = [record for record in records if isinstance(record.value, str | None)]
        return super()._good_lines(good) + super()._good_lines(records)


@mutant(
    "M119",
    "outage sends every record to the DLQ",
    killed_by="SNK-ERR-10",
    failure="good records in it",
)
class ReportsOutageTask(FileStreamSinkTask):
    """Reports all records while the file cannot be written."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the batch, or report all of its records."""
        try:
            super().put(records)
        except RetriableError as error:
            if (reporter := self._reporter()) is None:
                raise
            for record in records:
                reporter.report(record, error)


@mutant(
    "M116",
    "assumes an error reporter is always present",
    killed_by="SNK-ERR-06",
    failure="AttributeError",
)
class NeedsReporterTask(FileStreamSinkTask):
    """Fails without a reporter, that is with ``errors.tolerance=none``."""

    def _good_lines(self, records: Sequence[SinkRecord]) -> bytes:
        reporter: Any = self.context.errant_record_reporter()
        for record in records:
            if not isinstance(record.value, str):
                reporter.report(record, DataError("no text"))
        return super()._good_lines([r for r in records if isinstance(r.value, str)])


class ReportsInFlushTask(FileStreamSinkTask):
    """Keeps bad records until flush(), and waits until their reports are stored."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start without bad records."""
        super().start(props)
        self._bad: list[tuple[SinkRecord, DataError]] = []

    def _good_lines(self, records: Sequence[SinkRecord]) -> bytes:
        if self._reporter() is None:
            return super()._good_lines(records)
        bad = [record for record in records if not isinstance(record.value, str)]
        self._bad += [(record, DataError("no text")) for record in bad]
        return super()._good_lines([record for record in records if isinstance(record.value, str)])

    def flush(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Sync the file, and report."""
        super().flush(offsets)
        self._await(self._report())

    def _report(self) -> Sequence[Future[None]]:
        """Report all bad records that are kept."""
        bad, self._bad = self._bad, []
        reporter = self._reporter()
        return [reporter.report(*each) for each in bad] if reporter else []

    def _await(self, reports: Sequence[Future[None]]) -> None:
        for report in reports:
            report.result()


@mutant(
    "M117",
    "does not wait for the dead-letter queue",
    killed_by="SNK-ERR-07",
    failure="of the bad records lost",
)
class ForgetsReportsTask(ReportsInFlushTask):
    """Reports in flush(), and returns at once."""

    def _await(self, reports: Sequence[Future[None]]) -> None:
        """Do nothing."""


@mutant(
    "M117b",
    "bad records are reported with the next batch, after their offset",
    killed_by="SNK-ERR-07",
    failure="of the bad records lost",
)
class ReportsLaterTask(ReportsInFlushTask):
    """Reports what was bad in the batch before.

    Offsets are committed of records that are in neither place, as reported at
    https://github.com/confluentinc/kafka-connect-jdbc/issues/1597.
    """

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Report, then write."""
        self._report()
        super().put(records)

    def flush(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Sync the file."""
        FileStreamSinkTask.flush(self, offsets)


@mutant(
    "M316",
    "copies of bad records are reported, with a number of the batch as their offset",
    killed_by="SNK-ERR-09",
    failure="the record at the place that the headers name",
)
class ReportsCopiesTask(FileStreamSinkTask):
    """Reports records that it has made itself."""

    def _good_lines(self, records: Sequence[SinkRecord]) -> bytes:
        copies = [
            SinkRecord(r.topic, r.kafka_partition, r.key_schema, r.key, None, r.value, number)
            for number, r in enumerate(records)
        ]
        return super()._good_lines(copies)
