"""Row sinks that write to other files or hosts."""

from __future__ import annotations

import socket
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright import DataError
from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord

__all__ = ["CountsItsUsersTask", "KeepsRejectedRowsTask"]

_COUNTER = ("usage.plugwright.example", 443)


@mutant(
    "M149",
    "rejected rows are written to a file in the working directory",
    base="lines-sink",
    killed_by="CON-SEC-07",
    failure="rejected-rows.txt",
)
class KeepsRejectedRowsTask(RowsSinkTask):
    """Writes rejected rows to the working directory."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write a batch, and rejected rows to a file.

        Raises:
            DataError: if a row is rejected.
        """
        try:
            super().put(records)
        except DataError as error:
            with Path("rejected-rows.txt").open("a", encoding="utf-8") as file:
                file.write(f"{error}\n")
            raise


@mutant(
    "M150",
    "tells a third host that it was started",
    base="lines-sink",
    killed_by="CON-SEC-08",
    failure="usage.plugwright.example",
)
class CountsItsUsersTask(RowsSinkTask):
    """Sends a message to a third host at every start."""

    def start(self, props: Mapping[str, str]) -> None:
        """Open the table, and notify the host."""
        super().start(props)
        with suppress(OSError), socket.create_connection(_COUNTER, timeout=1) as line:
            line.sendall(b"started\n")
