"""Row sources that return whole tables, or as much as they should."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.reference.rows.codec import decode
from plugwright_conformance.reference.rows.source import RowsSourceTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SourceRecord

__all__ = ["WholeTablesTask"]


class WholeTablesTask(RowsSourceTask):
    """Returns everything that a table has."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next rows, all of them."""
        for table, line in self._lines.items():
            if rows := self._read(table)[line:]:
                self._lines[table] = line + len(rows)
                return [self.record(table, line + n, decode(r)) for n, r in enumerate(rows, 1)]
        return super().poll()
