"""Collects the observations of a check for the tables of the report."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright_conformance.evidence.outcome import CheckFailedError, TableCell

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plugwright_conformance.evidence.ledger import Reconciliation

_COLUMNS = ("in", "out", "lost", "duplicated")


class Places:
    """The cells of one table.

    Args:
        table: its name, as in `Cell.table`.
        word: the text of a cell without failures.
        counted: whether the number of observations stands before it.
    """

    def __init__(self, table: str, word: str = "held", *, counted: bool = True) -> None:
        self._table = table
        self._word = word
        self._counted = counted
        self._seen: dict[tuple[str, str], list[int]] = {}
        self._sums: dict[str, Counter[str]] = {}

    @contextmanager
    def at(self, row: str, column: str, count: int = 1) -> Iterator[None]:
        """Make observations for one cell; a failure carries all that was seen until then."""
        cell = self._seen.setdefault((row, column), [0, 0])
        try:
            yield
        except CheckFailedError as failure:
            cell[1] += count
            failure.evidence = replace(failure.evidence, cells=self.cells())
            raise
        cell[0] += count

    def reconciled(self, scenario: str, found: Reconciliation) -> None:
        """Add one comparison to what a scenario comes to."""
        sums = self._sums.setdefault(scenario, Counter())
        sums.update({name: int(found.figures()[name]) for name in _COLUMNS})

    def cells(self) -> Sequence[TableCell]:
        """Everything that was seen so far."""
        seen = [
            TableCell(self._table, row, column, self._shown(good, bad), not bad)
            for (row, column), (good, bad) in self._seen.items()
        ]
        sums = [
            TableCell(
                "scenarios", scenario, name, str(sums[name]), name != "lost" or not sums[name]
            )
            for scenario, sums in self._sums.items()
            for name in _COLUMNS
        ]
        return (*seen, *sums)

    def _shown(self, good: int, bad: int) -> str:
        if bad:
            return f"{bad} of {good + bad} failed" if self._counted else "failed"
        return f"{good} {self._word}" if self._counted else self._word
