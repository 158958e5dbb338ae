"""Sinks of rows whose life goes wrong, and what they leave behind."""

from __future__ import annotations

import decimal
import os
import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright_conformance.mutants._mutant import mutant
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
    says="initialize() to return",
)
class InitializesLateTask(RowsSinkTask):
    """Wants to be started before it is initialized."""

    def initialize(self, context: SinkTaskContext) -> None:
        """Look at what start() has opened."""
        super().initialize(context)
        if self._descriptor is None:
            raise RuntimeError("not started")


@mutant(
    "M037",
    "stop() after a failed start() dereferences None",
    killed_by="CON-LIF-03",
    says="TypeError",
    sentinel=True,
)
class StopsOnlyAfterStartTask(RowsSinkTask):
    """Takes it for granted that there is a file."""

    def stop(self) -> None:
        """Close it."""
        os.close(self._descriptor)  # type: ignore[arg-type]  # that is the fault


@mutant(
    "M136",
    "heartbeat thread is not joined",
    killed_by="CON-RES-01",
    says="rows-heartbeat",
    sentinel=True,
)
class HeartbeatGoesOnTask(RowsSinkTask):
    """Has a thread that nobody ends."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start the thread, too."""
        super().start(props)
        beat = threading.Event().wait
        threading.Thread(target=beat, name="rows-heartbeat", daemon=True).start()


@mutant(
    "M137",
    "file is not closed",
    killed_by="CON-RES-02",
    says="3 more",
)
class KeepsFileOpenTask(RowsSinkTask):
    """Pools its files."""

    def stop(self) -> None:
        """Keep the file for later."""
        if self._descriptor is not None:
            _OPEN.append(os.dup(self._descriptor))
        super().stop()


@mutant(
    "M142",
    "failed start leaves the pool open",
    killed_by="CON-RES-08",
    says="10 more",
)
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


@mutant(
    "M143",
    "sets socket timeout and decimal context of the process",
    killed_by="CON-RES-09",
    says="the default timeout of sockets",
)
class ChangesProcessTask(RowsSinkTask):
    """Sets things up for everybody."""

    def start(self, props: Mapping[str, str]) -> None:
        """Change what all plugins share."""
        socket.setdefaulttimeout(60)
        decimal.getcontext().prec = 9
        super().start(props)


@mutant(
    "M146",
    "repr of the task shows the password",
    killed_by="CON-SEC-03",
    says="when the task is printed",
    sentinel=True,
)
class ShowsConfigurationTask(RowsSinkTask):
    """Says what it works with."""

    _props: Mapping[str, str] = {}  # replaced, never changed

    def start(self, props: Mapping[str, str]) -> None:
        """Remember everything."""
        self._props = dict(props)
        super().start(props)

    def __repr__(self) -> str:
        return f"RowsSinkTask({self._props})"


@mutant(
    "M156",
    "marks a batch as done before its data is durable",
    killed_by="CON-SPK-03",
    says="lost",
    sentinel=True,
)
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
