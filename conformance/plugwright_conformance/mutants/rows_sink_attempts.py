"""Row sinks that leak a resource at every failed attempt."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.codec import directory_of
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord

__all__ = [
    "KeepsConnectionTask",
    "LeavesBegunFileTask",
    "LeavesFailedStartOpenTask",
    "LeavesScratchTask",
]


@mutant(
    "M208",
    "a connection is opened for every attempt and closed where it succeeds",
    base="lines-sink",
    killed_by="CON-RES-11",
    failure="descriptors left",
)
class KeepsConnectionTask(RowsSinkTask):
    """Does not close its connection after a failure.

    Reported at https://github.com/Altinity/clickhouse-sink-connector/issues/1258.
    """

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Open a connection, write, and close it."""
        connection = os.open(os.devnull, os.O_RDONLY)
        super().put(records)
        os.close(connection)


@mutant(
    "M208b",
    "a temporary file is removed where the attempt succeeds",
    base="lines-sink",
    killed_by="CON-RES-11",
    failure="temporary files left",
)
class LeavesScratchTask(RowsSinkTask):
    """Does not remove its temporary file after a failure.

    After https://github.com/wix-incubator/kafka-connect-s3/issues/13.
    """

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Create a temporary file, write, and remove it."""
        handle, name = tempfile.mkstemp()
        os.close(handle)
        super().put(records)
        Path(name).unlink()


@mutant(
    "M208c",
    "a file begun stays at the endpoint where the attempt fails",
    base="lines-sink",
    killed_by="CON-RES-11",
    failure="dead files at the endpoint left",
)
class LeavesBegunFileTask(RowsSinkTask):
    """Does not remove its file at the endpoint after a failure.

    Reported at https://github.com/confluentinc/kafka-connect-bigquery/issues/412.
    """

    _attempts = 0

    def start(self, props: Mapping[str, str]) -> None:
        """Start, and determine the directory."""
        super().start(props)
        self._beside = Path(directory_of(props["rows.url"])).parent

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Create a file, write, and remove it."""
        self._attempts += 1
        begun = self._beside / f"begun{self._attempts}"
        begun.touch()
        super().put(records)
        begun.unlink()


@mutant(
    "M208d",
    "what start() has opened stays open where start() fails",
    base="lines-sink",
    killed_by="CON-RES-11",
    failure="in start()",
)
class LeavesFailedStartOpenTask(RowsSinkTask):
    """Does not close its connection if start() fails.

    Reported at https://github.com/microsoft/kafka-connect-cosmosdb/issues/190.
    """

    _connection: int | None = None

    def start(self, props: Mapping[str, str]) -> None:
        """Open a connection, then start."""
        connection = os.open(os.devnull, os.O_RDONLY)
        super().start(props)
        self._connection = connection

    def stop(self) -> None:
        """Stop, and close the connection."""
        super().stop()
        if self._connection is not None:
            os.close(self._connection)
            self._connection = None
