"""Unusual endpoints for good sources and sinks."""

from __future__ import annotations

from random import SystemRandom
from typing import TYPE_CHECKING, Any

from plugwright_conformance.reference.rows.codec import encode
from plugwright_conformance.reference.rows.testing import RowsEndpoint

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ScatteringEndpoint", "SpreadingEndpoint"]


class ScatteringEndpoint(RowsEndpoint):
    """Writes and returns rows in random order."""

    def seed(self, values: Sequence[Any]) -> None:
        """Append the values in random order."""
        super().seed(_scattered(values))

    def read_back(self) -> list[Any]:
        """The complete rows, in random order."""
        return _scattered(super().read_back())


class SpreadingEndpoint(RowsEndpoint):
    """Spreads text over its tables, as it does with rows."""

    def seed(self, values: Sequence[Any]) -> None:
        """Append the values to the tables in turn."""
        tables = sorted(self._directory.iterdir())
        for value in values:
            table = tables[next(self._numbers) % len(tables)]
            with table.open("a", encoding="utf-8") as file:
                file.write(f"{encode(value)}\n")


def _scattered(values: Sequence[Any]) -> list[Any]:
    # The suite checks the state of the process's own random generator.
    return SystemRandom().sample(list(values), len(values))
