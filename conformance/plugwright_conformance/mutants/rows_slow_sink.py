"""A sink whose calls take most of their time budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.reference.rows.sink import RowsSinkConnector, RowsSinkTask
from plugwright_conformance.subject.call_budgets import unhurried

if TYPE_CHECKING:
    from plugwright import Task

__all__ = ["TakesItsTime"]


@unhurried
class TakesItsTimeTask(RowsSinkTask):
    """Slow in every call."""


@unhurried
class TakesItsTime(RowsSinkConnector):
    """G01, as a sink."""

    def task_class(self) -> type[Task]:
        """The slow class."""
        return TakesItsTimeTask
