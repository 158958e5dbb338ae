"""Sources of files that wait, hurry or give up wrongly."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plugwright import STRING_SCHEMA, RetriableError, SourceRecord
from plugwright_conformance.mutants._mutant import mutant
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
    "StopBeforeStartRaisesTask",
]


@mutant(
    "M038",
    "stop() before start() raises",
    killed_by="CON-LIF-04",
    says="stop() of StopBeforeStartRaisesTask",
)
class StopBeforeStartRaisesTask(FileStreamSourceTask):
    """Reads in stop() what start() has to set."""

    last_path: str

    def stop(self) -> None:
        """Remember the path."""
        super().stop()
        self.last_path = self._path


@mutant(
    "M039",
    "poll() blocks without time limit",
    killed_by="CON-LIF-10",
    says="return within",
)
class IdlePollBlocksTask(FileStreamSourceTask):
    """Keeps its caller waiting."""

    def poll(self) -> Sequence[SourceRecord]:
        """Wait for as long as it takes."""
        while not (records := super().poll()):
            pass
        return records


@mutant(
    "M044",
    "idle poll() spins",
    killed_by="CON-LIF-10",
    says="of a core",
)
class IdlePollSpinsTask(FileStreamSourceTask):
    """Returns at once when there is nothing."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """Read only if the file has grown."""
        if Path(self._path).stat().st_size == self._position:
            return None
        return super().poll()


@mutant(
    "M291",
    "idle poll() returns a marker record",
    killed_by="CON-SPK-10",
    says="values, first 'idle'",
)
class MarksIdlePollsTask(FileStreamSourceTask):
    """Shows that it is alive with records that nobody wrote."""

    def poll(self) -> Sequence[SourceRecord]:
        """Read, and return a marker if there is nothing."""
        here = {"filename": self._path}, {"position": self._position}
        return super().poll() or [
            SourceRecord(*here, self._topic, value_schema=STRING_SCHEMA, value="idle")
        ]


@mutant(
    "M109",
    "retries without pause during an outage",
    killed_by="SRC-ERR-01",
    says="fewer than 50 attempts",
)
class HammersTask(FileStreamSourceTask):
    """Keeps an outage going."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """Try until it works."""
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
    says="lost",
)
class NeverReconnectsTask(FileStreamSourceTask):
    """Looks healthy and delivers nothing."""

    _deaf = False

    def poll(self) -> Sequence[SourceRecord] | None:
        """The good records, up to the first error."""
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
    says="reset after effect",
)
class ForgetsFailedReadTask(FileStreamSourceTask):
    """Its place in the file moves before the records are returned."""

    def _read_again_later(self, error: OSError) -> RetriableError:
        self._stopping.wait(1)
        return RetriableError(str(error))
