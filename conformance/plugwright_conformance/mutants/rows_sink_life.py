"""Sinks of rows whose life goes wrong, and what they leave behind."""

from __future__ import annotations

import decimal
import os
import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright_conformance.reference.rows.codec import directory_of
from plugwright_conformance.reference.rows.sink import RowsSinkConnector, RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord, SinkTaskContext, Task, TopicPartition

__all__ = [
    "ChangesProcess",
    "FailedStartLeaks",
    "HeartbeatGoesOn",
    "InitializesLate",
    "KeepsFileOpen",
    "MarksBatchFirst",
    "ShowsConfiguration",
    "StopsOnlyAfterStart",
]

_OPEN: list[int] = []


class InitializesLateTask(RowsSinkTask):
    """Wants to be started before it is initialized."""

    def initialize(self, context: SinkTaskContext) -> None:
        """Look at what start() has opened."""
        super().initialize(context)
        if self._descriptor is None:
            raise RuntimeError("not started")


class InitializesLate(RowsSinkConnector):
    """Has the order of the calls wrong."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return InitializesLateTask


class StopsOnlyAfterStartTask(RowsSinkTask):
    """Takes it for granted that there is a file."""

    def stop(self) -> None:
        """Close it."""
        os.close(self._descriptor)  # type: ignore[arg-type]  # that is the fault


class StopsOnlyAfterStart(RowsSinkConnector):
    """Cannot stop half a start."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return StopsOnlyAfterStartTask


class HeartbeatGoesOnTask(RowsSinkTask):
    """Has a thread that nobody ends."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start the thread, too."""
        super().start(props)
        beat = threading.Event().wait
        threading.Thread(target=beat, name="rows-heartbeat", daemon=True).start()


class HeartbeatGoesOn(RowsSinkConnector):
    """Leaves a thread."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return HeartbeatGoesOnTask


class KeepsFileOpenTask(RowsSinkTask):
    """Pools its files."""

    def stop(self) -> None:
        """Keep the file for later."""
        if self._descriptor is not None:
            _OPEN.append(os.dup(self._descriptor))
        super().stop()


class KeepsFileOpen(RowsSinkConnector):
    """Leaves a descriptor."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return KeepsFileOpenTask


class FailedStartLeaksTask(RowsSinkTask):
    """Opens a pool, then the table."""

    def __init__(self) -> None:
        super().__init__()
        self._started = False

    def start(self, props: Mapping[str, str]) -> None:
        """The pool stays if the table cannot be opened."""
        self._pool = os.open(os.devnull, os.O_RDONLY)
        super().start(props)
        self._started = True

    def stop(self) -> None:
        """Close the pool of a start that succeeded."""
        super().stop()
        if self._started:
            os.close(self._pool)
            self._started = False


class FailedStartLeaks(RowsSinkConnector):
    """Leaves a pool with every failure."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return FailedStartLeaksTask


class ChangesProcessTask(RowsSinkTask):
    """Sets things up for everybody."""

    def start(self, props: Mapping[str, str]) -> None:
        """Change what all plugins share."""
        socket.setdefaulttimeout(60)
        decimal.getcontext().prec = 9
        super().start(props)


class ChangesProcess(RowsSinkConnector):
    """Thinks that it is alone."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return ChangesProcessTask


class ShowsConfigurationTask(RowsSinkTask):
    """Says what it works with."""

    _props: Mapping[str, str] = {}  # replaced, never changed

    def start(self, props: Mapping[str, str]) -> None:
        """Remember everything."""
        self._props = dict(props)
        super().start(props)

    def __repr__(self) -> str:
        return f"RowsSinkTask({self._props})"


class ShowsConfiguration(RowsSinkConnector):
    """Its task prints the password."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return ShowsConfigurationTask


class MarksBatchFirstTask(RowsSinkTask):
    """Remembers a batch as done, then writes it on flush."""

    def start(self, props: Mapping[str, str]) -> None:
        """Look up which batches are done."""
        self._mark = Path(directory_of(props["rows.url"])).with_name("done")
        self._waiting: list[SinkRecord] = []
        super().start(props)

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Skip what is marked, mark and keep the rest."""
        done = int(self._mark.read_text()) if self._mark.exists() else -1
        fresh = [record for record in records if record.kafka_offset > done]
        if fresh:
            self._mark.write_text(str(fresh[-1].kafka_offset))
            self._waiting += fresh

    def flush(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Write what was kept."""
        super().put(self._waiting)
        self._waiting = []
        super().flush(offsets)


class MarksBatchFirst(RowsSinkConnector):
    """A replay finds its mark and no data."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return MarksBatchFirstTask
