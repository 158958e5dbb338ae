"""Reported faults of sources: waiting, stopping, and what is left behind."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from typing import TYPE_CHECKING, Any, BinaryIO

from plugwright import ConfigDef, ConfigType, Importance, RetriableError
from plugwright_conformance.mutants.reported.lines_source import LinesSource, LinesSourceTask
from plugwright_conformance.mutants.reported.table_sources import (
    EventsSource,
    EventsSourceTask,
    PagesSourceTask,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from plugwright import SourceRecord

__all__ = [
    "ClosesInItsOwnThreadTask",
    "ConnectionForEachEmptyPollTask",
    "FailsSilentlyAtStartTask",
    "NeverComesBackTask",
    "NeverReturnsTask",
    "ReturnsAtOnceTask",
    "StopsNullTask",
    "ThreadPollsOnTask",
    "WaitsByTheOtherSetting",
    "WaitsByTheOtherSettingTask",
]

_LOG = logging.getLogger(__name__)


class ReturnsAtOnceTask(EventsSourceTask):
    """Returns without waiting when there is nothing.

    https://github.com/confluentinc/kafka-connect-jdbc/pull/1691: poll() returned null with no
    backoff, and the task's thread took a whole core.
    """

    def idle(self) -> None:
        """No wait."""


class NeverReturnsTask(EventsSourceTask):
    """Stays in poll until there is something.

    https://github.com/confluentinc/kafka-connect-jdbc/pull/947: poll() did not return while the
    query had no results, so a pause was not heeded.
    """

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next rows, however long that takes."""
        while not (records := super().poll()):
            if self._stopping.is_set():
                return None
        return records


class FailsSilentlyAtStartTask(LinesSourceTask):
    """Stops itself when it cannot start, and does not say so.

    https://github.com/SolaceProducts/pubsubplus-connector-kafka-source/issues/32: an error in
    start() led to stop(), and the task was taken for a running one.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Begin, or log why not."""
        self._positions = {}
        try:
            super().start(props)
            for path in self._positions:
                path.open("rb").close()
        except Exception:  # noqa: BLE001  # the fault
            _LOG.exception("cannot start")
            self._positions = {}
            self.stop()

    def poll(self) -> Sequence[SourceRecord] | None:
        """Nothing, if it has not started."""
        if not self._positions:
            time.sleep(0.05)
            return None
        return super().poll()


class ClosesInItsOwnThreadTask(LinesSourceTask):
    """Leaves it to the next poll to close what is open.

    https://github.com/confluentinc/kafka-connect-jdbc/pull/1107: stop() only set a flag for the
    polling thread; since it is called by that very thread nobody closed the connection.
    """

    def __init__(self) -> None:
        super().__init__()
        self._file: BinaryIO | None = None

    def read(self, path: Path, position: int) -> bytes:
        """What the file has behind a position; it stays open."""
        if self._file is None:
            self._file = path.open("rb")
        self._file.seek(position)
        return self._file.read()

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next lines, or the end."""
        if self._stopping.is_set() and self._file is not None:
            self._file.close()
            self._file = None
            return None
        return super().poll()


class ConnectionForEachEmptyPollTask(EventsSourceTask):
    """Gives its connection back with a batch, and never if there is none.

    https://github.com/redpanda-data/connect/issues/1967: for an empty batch the acknowledgement was
    never called, the transaction not closed, and connections leaked until there were no more.
    """

    def __init__(self) -> None:
        super().__init__()
        self._open: list[sqlite3.Connection] = []

    def rows(self) -> list[Any]:
        """The next rows, by a connection of their own."""
        self._open.append(sqlite3.connect(self._place))
        rows = super().rows()
        if rows:
            self._open.pop().close()
        return rows


class NeverComesBackTask(EventsSourceTask):
    """After an outage it never asks again.

    https://github.com/redpanda-data/connect/issues/919: consumption did not resume when the other
    side was well again, until somebody restarted the process.
    """

    def __init__(self) -> None:
        super().__init__()
        self._broken = False

    def rows(self) -> list[Any]:
        """The next rows, as long as nothing has gone wrong.

        Raises:
            RetriableError: from the first failure on.
        """
        if self._broken:
            return []
        try:
            return super().rows()
        except RetriableError:
            self._broken = True
            raise


class StopsNullTask(LinesSourceTask):
    """Stops what a failed start has not made.

    https://github.com/apache/camel-kafka-connector/issues/376: if the start failed for any reason,
    stop() dereferenced a null pointer, which hid the reason.
    """

    def __init__(self) -> None:
        self._stopping: threading.Event = None  # type: ignore[assignment]  # the fault

    def start(self, props: Mapping[str, str]) -> None:
        """Check the settings, then make what stop needs."""
        LinesSource().config().parse(props)
        self._stopping = threading.Event()
        super().start(props)


class ThreadPollsOnTask(PagesSourceTask):
    """Fetches ahead by a thread that nobody ends.

    https://github.com/GoogleCloudPlatform/pubsub/pull/204: threads leaked at each update of the
    configuration, 120 at first and two thousand after a few hours.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Begin, with a thread that looks ahead."""
        super().start(props)
        threading.Thread(target=self._look, daemon=True).start()

    @staticmethod
    def _look() -> None:
        while True:
            time.sleep(0.2)


class WaitsByTheOtherSettingTask(EventsSourceTask):
    """Waits, when idle, by another setting than the one that is for it.

    https://github.com/confluentinc/kafka-connect-jdbc/pull/1694: the idle wait was taken from
    poll.interval.ms, though poll.linger.ms is what says how long to wait.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Keep the settings."""
        super().start(props)
        self._wait_s = int(props.get("interval.ms", "50")) / 1000

    def idle(self) -> None:
        """Wait as long as the setting says; ``linger.ms`` is what it should be."""
        self._stopping.wait(self._wait_s)


class WaitsByTheOtherSetting(EventsSource):
    """Has a setting that does nothing.

    https://github.com/confluentinc/kafka-connect-jdbc/pull/1694: the idle wait was taken from
    poll.interval.ms, though poll.linger.ms is what says how long to wait.
    """

    TASK = WaitsByTheOtherSettingTask

    def config(self) -> ConfigDef:
        """With both settings."""
        found = super().config()
        for name in ("interval.ms", "linger.ms"):
            found = found.define(
                name,
                ConfigType.INT,
                default=50,
                importance=Importance.LOW,
                documentation=f"Milliseconds, {name.partition('.')[0]}.",
            )
        return found
