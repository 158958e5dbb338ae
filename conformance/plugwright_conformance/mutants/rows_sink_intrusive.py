"""Sinks of rows that write and speak where nobody asked them to."""

from __future__ import annotations

import socket
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright import DataError
from plugwright_conformance.mutants._mutant import mutant
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
    says="rejected-rows.txt",
)
class KeepsRejectedRowsTask(RowsSinkTask):
    """Throws nothing away."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write a batch; a row that has no line is kept where somebody may find it.

        Raises:
            DataError: if there is one.
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
    says="usage.plugwright.example",
)
class CountsItsUsersTask(RowsSinkTask):
    """Wants to know how many there are."""

    def start(self, props: Mapping[str, str]) -> None:
        """Open the table, and say so elsewhere."""
        super().start(props)
        with suppress(OSError), socket.create_connection(_COUNTER, timeout=1) as line:
            line.sendall(b"started\n")
