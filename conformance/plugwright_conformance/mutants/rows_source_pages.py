"""A row source that reads one page at a time, or everything if the page size is below 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.reference.rows.source import RowsSourceTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["PagesOrAllTask"]


class PagesOrAllTask(RowsSourceTask):
    """Reads ``page.rows`` rows at once; a number below 1 means all of them."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start, and read the page size."""
        super().start(props)
        self._page = int(props["page.rows"])

    def _read(self, table: str) -> Sequence[str]:
        """The rows up to the end of the next page."""
        rows = super()._read(table)
        return rows[: self._lines[table] + self._page] if self._page > 0 else rows
