"""A source whose calls take most of their time budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.reference.rows.source import RowsSourceConnector, RowsSourceTask
from plugwright_conformance.subject.call_budgets import unhurried

if TYPE_CHECKING:
    from plugwright import Task

__all__ = ["TakesItsTime"]


@unhurried
class TakesItsTimeTask(RowsSourceTask):
    """Slow in every call."""


@unhurried
class TakesItsTime(RowsSourceConnector):
    """G01, as a source."""

    def task_class(self) -> type[Task]:
        """The slow class."""
        return TakesItsTimeTask
