"""Endpoints that are odd in what they keep where, for good sources and sinks."""

from __future__ import annotations

from random import SystemRandom
from typing import TYPE_CHECKING, Any

from plugwright_conformance.reference.rows.codec import encode
from plugwright_conformance.reference.rows.testing import RowsEndpoint

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ScatteringEndpoint", "SpreadingEndpoint"]


class ScatteringEndpoint(RowsEndpoint):
    """Takes what it is given in any order, and shows all of it in another one each time."""

    def seed(self, values: Sequence[Any]) -> None:
        """Append the values, the last one perhaps first."""
        super().seed(_scattered(values))

    def read_back(self) -> list[Any]:
        """Every row that is complete."""
        return _scattered(super().read_back())


class SpreadingEndpoint(RowsEndpoint):
    """Has text in each of its tables, as it has rows."""

    def seed(self, values: Sequence[Any]) -> None:
        """Append the values, to one table after the other."""
        tables = sorted(self._directory.iterdir())
        for value in values:
            table = tables[next(self._numbers) % len(tables)]
            with table.open("a", encoding="utf-8") as file:
                file.write(f"{encode(value)}\n")


def _scattered(values: Sequence[Any]) -> list[Any]:
    # The process has a random state of its own, which is looked at.
    return SystemRandom().sample(list(values), len(values))
