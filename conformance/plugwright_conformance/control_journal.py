"""What came of the good but odd connectors, run by run, so that hours of them can be resumed."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from plugwright_conformance.check import Check

__all__ = ["ControlJournal"]


class ControlJournal:
    """Runs of controls in a file, a line each; those of another suite are not seen.

    Live checks do not count: no control is put before them.

    Args:
        path: of the file; ``None`` remembers for this process only.
        checks: the suite.
    """

    def __init__(self, path: Path | None, checks: Sequence[type[Check]]) -> None:
        met = (check for check in checks if not check.live)
        names = sorted(f"{check.id} rev {check.revision}" for check in met)
        self._suite = hashlib.sha256("\n".join(names).encode()).hexdigest()
        self._path = path
        self._runs: dict[tuple[str, str], tuple[int, Sequence[str]]] = {}
        if path is not None and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                self._take(line)

    def _take(self, line: str) -> None:
        """Remember a run; a line that was cut off, or is of another suite, is none."""
        try:
            row = json.loads(line)
            place, found = (row["control"], row["seed"]), (row["checks"], row["false_alarms"])
        except (ValueError, KeyError, TypeError):
            return
        if row.get("suite") == self._suite:
            self._runs[place] = found

    def find(self, control: str, seed: str) -> tuple[int, Sequence[str]] | None:
        """How many checks a run had and which of them gave a false alarm, if it was made."""
        return self._runs.get((control, seed))

    def enter(self, control: str, seed: str, checks: int, false_alarms: Sequence[str]) -> None:
        """Remember a run that is complete."""
        self._runs[control, seed] = (checks, false_alarms)
        if self._path is not None:
            row = {
                "control": control,
                "seed": seed,
                "checks": checks,
                "false_alarms": list(false_alarms),
                "suite": self._suite,
            }
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, sort_keys=True) + "\n")
