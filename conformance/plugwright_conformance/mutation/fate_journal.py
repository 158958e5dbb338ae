"""A journal of mutant results, so that long runs can be resumed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from plugwright_conformance.evidence.journal_file import JournalFile
from plugwright_conformance.mutation._fate import Fate

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["FateJournal"]


class FateJournal:
    """One line per mutant; lines of other runs are kept unchanged.

    Args:
        path: of the file; ``None`` remembers nothing.
        run: identifies the suite, connector and seed that the fates belong to.
    """

    def __init__(self, path: Path | None, run: str) -> None:
        self._file, self._run = JournalFile(path), run
        self._fates: dict[str, Fate] = {}
        for row in self._file.rows():
            match row:
                case {"fate": dict(fate), "mutant": str(mutant), "run": self._run}:
                    self._fates[mutant] = Fate.parse(json.dumps(fate))

    def find(self, mutant: str) -> Fate | None:
        """The fate of a mutant, if it is on record."""
        return self._fates.get(mutant)

    def enter(self, mutant: str, fate: Fate) -> None:
        """Write a fate down."""
        self._fates[mutant] = fate
        self._file.append({"fate": json.loads(fate.render()), "mutant": mutant, "run": self._run})
