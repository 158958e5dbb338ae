"""The fates of mutants in a file, so that hours of trials can be resumed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from plugwright_conformance.mutation._fate import Fate

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["FateJournal"]


class FateJournal:
    """A line for each mutant; lines of another run are left alone.

    Args:
        path: of the file; ``None`` remembers nothing.
        run: tells which suite, connector and seed the fates are of.
    """

    def __init__(self, path: Path | None, run: str) -> None:
        self._path, self._run = path, run
        self._fates: dict[str, Fate] = {}
        text = path.read_text("utf-8") if path is not None and path.exists() else ""
        self._cut_off = bool(text) and not text.endswith("\n")
        for line in text.splitlines():
            self._take(line)

    def _take(self, line: str) -> None:
        """Remember a fate; a line that was cut off is none."""
        try:
            row = json.loads(line)
        except ValueError:
            return
        match row:
            case {"fate": dict(fate), "mutant": str(mutant), "run": self._run}:
                self._fates[mutant] = Fate.parse(json.dumps(fate))

    def find(self, mutant: str) -> Fate | None:
        """The fate of a mutant, if it is on record."""
        return self._fates.get(mutant)

    def enter(self, mutant: str, fate: Fate) -> None:
        """Write a fate down."""
        self._fates[mutant] = fate
        if self._path is None:
            return
        row = {"fate": json.loads(fate.render()), "mutant": mutant, "run": self._run}
        with self._path.open("a", encoding="utf-8") as file:
            file.write("\n" * self._cut_off + json.dumps(row, sort_keys=True) + "\n")
        self._cut_off = False
