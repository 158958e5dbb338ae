"""Sinks of rows that write several at once, and how they treat a partial success."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plugwright import RetriableError
from plugwright_conformance.reference.rows.codec import directory_of
from plugwright_conformance.reference.rows.sink import RowsSinkTask
from plugwright_conformance.reference.rows.testing import RowsEndpoint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord

__all__ = ["BulkEndpoint", "BulkTask", "IgnoresItemsTask"]

_ATTEMPTS = 3
_BUSY = "busy"


class BulkEndpoint(RowsEndpoint):
    """Tables of a service that takes several lines at once, and when it is busy only some."""

    def reject_some(self) -> Sequence[str]:
        """Be busy for one request of several lines."""
        (self._directory.parent / _BUSY).touch()
        return ()


class BulkTask(RowsSinkTask):
    """Sends again what was not taken."""

    def start(self, props: Mapping[str, str]) -> None:
        """Remember where the service is."""
        super().start(props)
        self._busy = Path(directory_of(props["rows.url"])).parent / _BUSY

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Send a batch until all of it is taken.

        Raises:
            RetriableError: if some of it is not.
        """
        lines = [self.line(record) for record in records if record.value is not None]
        for _ in range(_ATTEMPTS):
            taken = self._send(lines)
            lines = [line for line, was in zip(lines, taken, strict=True) if not was]
            if not lines:
                return
        raise RetriableError(f"{len(lines)} lines were not taken", code="rows.busy")

    def _send(self, lines: Sequence[str]) -> Sequence[bool]:
        """What the service answers for each line: whether it has taken it."""
        taken = [True] * len(lines)
        if len(lines) > 1 and self._busy.exists():
            self._busy.unlink()
            taken = [number % 2 == 0 for number in range(len(lines))]
        data = "".join(f"{line}\n" for line, was in zip(lines, taken, strict=True) if was)
        self._write(data.encode(), begun=False)
        return taken


class IgnoresItemsTask(BulkTask):
    """Takes the answer of a request for that of all its lines."""

    def _send(self, lines: Sequence[str]) -> Sequence[bool]:
        return [True for _ in super()._send(lines)]
