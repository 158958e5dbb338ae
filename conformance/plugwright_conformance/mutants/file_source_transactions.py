"""File sources that declare exactly-once delivery, and do not understand transactions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plugwright import ConnectorTransactionBoundaries, Task
from plugwright_conformance.mutants.mutant import mutant
from plugwright_file_source import FileStreamSourceConnector, FileStreamSourceTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SourceRecord

__all__ = ["CommitsFullTransactions", "ContinuesFromBookmarkTask"]

_FULL = 10


@mutant(
    "M134",
    "continues from a bookmark of its own, and not from the committed position",
    killed_by="CON-BRK-09",
    failure="lost",
)
class ContinuesFromBookmarkTask(FileStreamSourceTask):
    """Writes down the position after each poll."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start at the bookmark, if there is one."""
        super().start(props)
        self._bookmark = Path(f"{props['file']}.bookmark")
        if self._bookmark.exists():
            self._position = int(self._bookmark.read_text())

    def poll(self) -> Sequence[SourceRecord] | None:
        """Poll, and move the bookmark."""
        records = super().poll()
        self._bookmark.write_text(str(self._position))
        return records


class _CommitsFullTransactionsTask(FileStreamSourceTask):
    """Commits a transaction when it has enough records."""

    def __init__(self) -> None:
        super().__init__()
        self._size = 0

    def poll(self) -> Sequence[SourceRecord] | None:
        """Poll, and end each full transaction."""
        records = super().poll()
        transaction = self.context.transaction_context
        for record in records or ():
            self._size += 1
            if transaction is not None and self._size % _FULL == 0:
                transaction.commit_transaction(record)
        return records


@mutant(
    "M306",
    "ends a transaction only when it is full, and never the last one",
    killed_by="CON-DLV-07",
    failure="lost",
)
class CommitsFullTransactions(FileStreamSourceConnector):
    """Ends transactions itself."""

    def task_class(self) -> type[Task]:
        """The class that ends them."""
        return _CommitsFullTransactionsTask

    def can_define_transaction_boundaries(
        self,
        props: Mapping[str, str],  # noqa: ARG002
    ) -> ConnectorTransactionBoundaries:
        """Supported."""
        return ConnectorTransactionBoundaries.SUPPORTED
