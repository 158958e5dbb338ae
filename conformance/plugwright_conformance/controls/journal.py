"""A journal of control results, check by check, so that long runs can be resumed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright_conformance.evidence.journal_file import JournalFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from plugwright_conformance.catalogue.check import Check

__all__ = ["ControlJournal"]


class ControlJournal:
    """Control runs in a file, one per line; lines of the same control and seed are merged.

    A recorded result is valid while the suite has the check in the same revision.

    Args:
        path: of the file; ``None`` keeps results for this process only.
        checks: the suite.
    """

    def __init__(self, path: Path | None, checks: Sequence[type[Check]]) -> None:
        self._revisions = {check.id: check.revision for check in checks}
        self._file = JournalFile(path)
        self._met: dict[tuple[str, str], dict[str, bool]] = {}  # whether it was a false alarm
        for row in self._file.rows():
            self._take(row)

    def _take(self, row: Mapping[str, Any]) -> None:
        """Read one row; rows of another form are ignored."""
        match row:
            case {
                "control": str(control),
                "seed": str(seed),
                "checks": dict(checks),
                "false_alarms": dict(alarms),
            }:
                present = self._revisions.items()
                ran = [name for name, revision in present if checks.get(name) == revision]
                self._remember(control, seed, ran, alarms)

    def _remember(
        self, control: str, seed: str, ran: Sequence[str], false_alarms: Mapping[str, str]
    ) -> None:
        """Add a run; a later run of a check does not remove its false alarm."""
        met = self._met.setdefault((control, seed), {})
        for name in ran:
            met[name] = met.get(name, False) or name in false_alarms

    def missing(
        self, control: str, seed: str, checks: Sequence[type[Check]]
    ) -> Sequence[type[Check]]:
        """The checks without a recorded result in their current revision."""
        met = self._met.get((control, seed), {})
        return [check for check in checks if check.id not in met]

    def find(self, control: str, seed: str) -> tuple[int, Sequence[str]]:
        """The number of recorded checks, and those with a false alarm, in suite order."""
        met = self._met.get((control, seed), {})
        return len(met), [name for name in self._revisions if met.get(name)]

    def enter(
        self, control: str, seed: str, ran: Sequence[str], false_alarms: Mapping[str, str]
    ) -> None:
        """Record a complete run.

        Args:
            control: its id.
            seed: of the run.
            ran: ids of the checks in the run.
            false_alarms: messages of the failed checks, by id.
        """
        self._remember(control, seed, ran, false_alarms)
        self._file.append(
            {
                "checks": {name: self._revisions[name] for name in ran},
                "control": control,
                "false_alarms": dict(false_alarms),
                "seed": seed,
            }
        )
