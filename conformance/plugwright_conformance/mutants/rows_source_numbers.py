"""A row source whose page size has no validator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import ConfigDef, ConfigType
from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.source import RowsSourceConnector, RowsSourceTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import Task

__all__ = ["AcceptsAnyPage"]


class PagesTask(RowsSourceTask):
    """Reads ``page.rows`` rows at once."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start, and read the page size."""
        super().start(props)
        self._page = int(props.get("page.rows", "100"))

    def _read(self, table: str) -> Sequence[str]:
        """The rows up to the end of the next page."""
        return super()._read(table)[: self._lines[table] + self._page]


@mutant(
    "M224",
    "a page of no rows is accepted, and nothing is ever read",
    base="lines-source",
    killed_by="CON-CFG-19",
    failure="page.rows = 0",
)
class AcceptsAnyPage(RowsSourceConnector):
    """Defines a page size without a validator."""

    def config(self) -> ConfigDef:
        """The settings, and the size of a page."""
        return ConfigDef(super().config()).define(
            "page.rows",
            ConfigType.INT,
            default=100,
            documentation="How many rows of a table are read at once.",
        )

    def task_class(self) -> type[Task]:
        """The class that reads pages."""
        return PagesTask
