"""Row sinks with faults in their life cycle, or that leak resources."""

from __future__ import annotations

import decimal
import os
import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.codec import directory_of
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord, SinkTaskContext, TopicPartition

__all__ = [
    "ChangesProcessTask",
    "FailedStartLeaksTask",
    "HeartbeatGoesOnTask",
    "InitializesLateTask",
    "KeepsFileOpenTask",
    "MarksBatchFirstTask",
    "ShowsConfigurationTask",
    "StopsOnlyAfterStartTask",
]

_OPEN: list[int] = []


@mutant(
    "M047",
    "needs initialize() after start()",
    killed_by="CON-LIF-01",
    failure="initialize() to return",
)
class InitializesLateTask(RowsSinkTask):
    """Requires start() before initialize()."""

    def initialize(self, context: SinkTaskContext) -> None:
        """Initialize, or fail if start() was not called."""
        super().initialize(context)
        if self._descriptor is None:
            raise RuntimeError("not started")


@mutant(
    "M037",
    "stop() after a failed start() dereferences None",
    killed_by="CON-LIF-03",
    failure="TypeError",
    sentinel=True,
)
class StopsOnlyAfterStartTask(RowsSinkTask):
    """Closes a file in stop() that start() may not have opened."""

    def stop(self) -> None:
        """Close the file."""
        os.close(self._descriptor)  # type: ignore[arg-type]  # that is the fault


@mutant(
    "M136",
    "heartbeat thread is not joined",
    killed_by="CON-RES-01",
    failure="rows-heartbeat",
    sentinel=True,
)
class HeartbeatGoesOnTask(RowsSinkTask):
    """Does not end its thread."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start, and start the thread."""
        super().start(props)
        beat = threading.Event().wait
        threading.Thread(target=beat, name="rows-heartbeat", daemon=True).start()


@mutant(
    "M137",
    "file is not closed",
    killed_by="CON-RES-02",
    failure="3 more",
)
class KeepsFileOpenTask(RowsSinkTask):
    """Keeps a duplicate of its file open."""

    def stop(self) -> None:
        """Duplicate the file, then close it."""
        if self._descriptor is not None:
            _OPEN.append(os.dup(self._descriptor))
        super().stop()


@mutant(
    "M142",
    "failed start leaves the pool open",
    killed_by="CON-RES-08",
    failure="10 more",
)
class FailedStartLeaksTask(RowsSinkTask):
    """Does not close its pool if start() fails."""

    def __init__(self) -> None:
        super().__init__()
        self._started = False

    def start(self, props: Mapping[str, str]) -> None:
        """Open the pool, then the table."""
        self._pool = os.open(os.devnull, os.O_RDONLY)
        super().start(props)
        self._started = True

    def stop(self) -> None:
        """Close the pool if start() succeeded."""
        super().stop()
        if self._started:
            os.close(self._pool)
            self._started = False


@mutant(
    "M143",
    "sets socket timeout and decimal context of the process",
    killed_by="CON-RES-09",
    failure="the default timeout of sockets",
)
class ChangesProcessTask(RowsSinkTask):
    """Changes global settings of the process."""

    def start(self, props: Mapping[str, str]) -> None:
        """Set the socket timeout and the decimal context."""
        socket.setdefaulttimeout(60)
        decimal.getcontext().prec = 9
        super().start(props)


@mutant(
    "M146",
    "repr of the task shows the password",
    killed_by="CON-SEC-03",
    failure="when the task is printed",
    sentinel=True,
)
class ShowsConfigurationTask(RowsSinkTask):
    """Shows its settings in its ``repr``."""

    _props: Mapping[str, str] = {}  # replaced, never changed

    def start(self, props: Mapping[str, str]) -> None:
        """Remember all settings."""
        self._props = dict(props)
        super().start(props)

    def __repr__(self) -> str:
        return f"RowsSinkTask({self._props})"


@mutant(
    "M156",
    "marks a batch as done before its data is durable",
    killed_by="CON-SPK-03",
    failure="lost",
    sentinel=True,
)
class MarksBatchFirstTask(RowsSinkTask):
    """Marks a batch as written, and writes it in flush()."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start, and determine the marker file."""
        self._mark = Path(directory_of(props["rows.url"])).with_name("done")
        self._waiting: list[SinkRecord] = []
        super().start(props)

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Skip marked records, mark and buffer the others."""
        done = int(self._mark.read_text()) if self._mark.exists() else -1
        fresh = [record for record in records if record.kafka_offset > done]
        if fresh:
            self._mark.write_text(str(fresh[-1].kafka_offset))
            self._waiting += fresh

    def flush(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Write the buffer."""
        super().put(self._waiting)
        self._waiting = []
        super().flush(offsets)
