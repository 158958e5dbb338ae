"""File sources that wait, retry or give up wrongly."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from plugwright import STRING_SCHEMA, RetriableError, SourceRecord
from plugwright_conformance.mutants.mutant import mutant
from plugwright_file_source import FileStreamSourceTask

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "ForgetsFailedReadTask",
    "HammersTask",
    "IdlePollBlocksTask",
    "IdlePollSpinsTask",
    "MarksIdlePollsTask",
    "NeverReconnectsTask",
    "ReadsMissingFileTask",
    "SharesStopEventTask",
    "StopBeforeStartRaisesTask",
]


@mutant(
    "M038",
    "stop() before start() raises",
    killed_by="CON-LIF-04",
    failure="stop() of StopBeforeStartRaisesTask",
)
class StopBeforeStartRaisesTask(FileStreamSourceTask):
    """Reads an attribute in stop() that start() sets."""

    last_path: str

    def stop(self) -> None:
        """Stop, and remember the path."""
        super().stop()
        self.last_path = self._path


@mutant(
    "M039",
    "poll() blocks without time limit",
    killed_by="CON-LIF-10",
    failure="return within",
)
class IdlePollBlocksTask(FileStreamSourceTask):
    """Does not return from poll() until there are records."""

    def poll(self) -> Sequence[SourceRecord]:
        """Poll until there are records."""
        while not (records := super().poll()):
            pass
        return records


@mutant(
    "M044",
    "idle poll() spins",
    killed_by="CON-LIF-10",
    failure="of a core",
)
class IdlePollSpinsTask(FileStreamSourceTask):
    """Returns from an idle poll() without a wait."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """Read only if the file has grown."""
        if Path(self._path).stat().st_size == self._position:
            return None
        return super().poll()


@mutant(
    "M334",
    "idle poll() spins after another task of the class was stopped",
    killed_by="CON-LIF-10",
    failure="of a core",
)
class SharesStopEventTask(FileStreamSourceTask):
    """Waits for an event of the class, which stop() of any task sets."""

    stopping: ClassVar[threading.Event] = threading.Event()

    def __init__(self) -> None:
        super().__init__()
        self._stopping = self.stopping


@mutant(
    "M291",
    "idle poll() returns a marker record",
    killed_by="CON-SPK-10",
    failure="values, first 'idle'",
)
class MarksIdlePollsTask(FileStreamSourceTask):
    """Returns a heartbeat record from an idle poll()."""

    def poll(self) -> Sequence[SourceRecord]:
        """The next records, or a marker."""
        here = {"filename": self._path}, {"position": self._position}
        return super().poll() or [
            SourceRecord(*here, self._topic, value_schema=STRING_SCHEMA, value="idle")
        ]


@mutant(
    "M109",
    "retries without pause during an outage",
    killed_by="SRC-ERR-01",
    failure="fewer than 90 attempts",
)
class HammersTask(FileStreamSourceTask):
    """Retries without a pause."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """Poll until it succeeds."""
        while True:
            try:
                return super().poll()
            except RetriableError:
                continue

    def _read_again_later(self, error: OSError) -> RetriableError:
        self._file = None
        return RetriableError(str(error))


@mutant(
    "M110",
    "client never reconnects after an error",
    killed_by="SRC-ERR-02",
    failure="lost",
)
class NeverReconnectsTask(FileStreamSourceTask):
    """Returns nothing after the first error, without failing."""

    _deaf = False

    def poll(self) -> Sequence[SourceRecord] | None:
        """The records up to the first error."""
        if self._deaf:
            self._stopping.wait(0.1)
            return None
        try:
            return super().poll()
        except RetriableError:
            self._deaf = True
            raise


@mutant(
    "M111",
    "position moved before the batch was fully read",
    killed_by="SRC-ERR-04",
    failure="reset after effect",
)
class ForgetsFailedReadTask(FileStreamSourceTask):
    """Moves its position before the records are returned."""

    def _read_again_later(self, error: OSError) -> RetriableError:
        self._stopping.wait(1)
        return RetriableError(str(error))


@mutant(
    "M333",
    "a file that could not be opened is read all the same",
    killed_by="SRC-ERR-05",
    failure="AssertionError",
)
class ReadsMissingFileTask(FileStreamSourceTask):
    """Passes over a failure that was noted, and uses what is not there.

    See https://github.com/Altinity/clickhouse-sink-connector/pull/1349.
    """

    def _open(self) -> bool:
        super()._open()
        return True
