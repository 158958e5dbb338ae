"""An endpoint driver whose values are rows, used with texts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from plugwright_conformance.subject.declaration import Declaration
    from plugwright_conformance.subject.endpoint import Endpoint
    from plugwright_conformance.subject.text_rows import TextRows

__all__ = ["RowDriver", "with_rows"]


def with_rows(
    kind: Callable[[Path], Endpoint], declaration: Declaration
) -> Callable[[Path], Endpoint]:
    """A driver that is given rows, if the plugin's values are rows alone.

    A driver with a method ``seeded`` is given texts: it puts them into rows itself.

    Args:
        kind: makes the author's driver.
        declaration: of its plugin.
    """
    rows = declaration.text_rows
    if rows is None or hasattr(kind, "seeded"):
        return kind
    return lambda directory: RowDriver(kind(directory), rows)


class RowDriver:
    """Puts texts into rows before they are seeded, and takes them from rows.

    Args:
        driver: the author's.
        rows: with a field for texts.
    """

    def __init__(self, driver: Endpoint, rows: TextRows) -> None:
        self._driver, self._rows = driver, rows

    def __getattr__(self, name: str) -> Any:
        """What the author's driver has: its other methods, of which some are optional."""
        found = getattr(self._driver, name)
        return partial(self._seed, found) if name == "seed_at_once" else found

    def seed(self, values: Sequence[Any]) -> None:
        """Add rows: those that are given, which may lack optional fields, and one for each text."""
        self._seed(self._driver.seed, values)

    def read_back(self) -> Sequence[Any]:
        """The text of every row."""
        return [self._rows.text(value) for value in self._driver.read_back()]

    def read_rows(self) -> Sequence[Any]:
        """Every row."""
        return self._driver.read_back()

    def seeded(self, value: Any) -> Any:
        """The text of a row."""
        return self._rows.text(value)

    def _seed(self, seed: Callable[[Sequence[Any]], Any], values: Sequence[Any]) -> Any:
        return seed([self._row(value) for value in values])

    def _row(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._rows.row(value)
        if isinstance(value, dict):
            return dict.fromkeys(self._rows.others) | value
        return value
