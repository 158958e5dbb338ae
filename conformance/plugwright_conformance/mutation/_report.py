"""The report of a mutation run: score, operators and survivors."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright_conformance.mutation._fate import Fate
    from plugwright_conformance.mutation._making import CodeMutant

__all__ = ["FORMAT", "MutationRun", "Tried", "render_runs"]

FORMAT = "plugwright-machine-mutants/1"


@dataclass(frozen=True, slots=True)
class Tried:
    """A mutant with its result.

    Attributes:
        excuse: why it is equivalent, as the table says; empty if it does not stand there.
    """

    mutant: CodeMutant
    fate: Fate
    excuse: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MutationRun:
    """The results for one connector.

    Attributes:
        location: name of its directory or wheel.
        plugin: name of its distribution.
        version: of the distribution.
        digest: of what was given.
        seed: of the sample and of the checks.
        made: how many mutants there are, of which these were tried.
        rows: in the order of the mutants.
    """

    location: str
    plugin: str
    version: str
    digest: str
    seed: str
    made: int
    rows: Sequence[Tried]

    @property
    def killed(self) -> Sequence[Tried]:
        """Those that did not pass a check."""
        return [row for row in self.rows if row.fate.killed]

    @property
    def equivalent(self) -> Sequence[Tried]:
        """Those that live and are no faults."""
        return [row for row in self.rows if not row.fate.killed and row.excuse]

    @property
    def survivors(self) -> Sequence[Tried]:
        """Those that live and ought not to."""
        return [row for row in self.rows if not row.fate.killed and not row.excuse]

    @property
    def stale(self) -> Sequence[Tried]:
        """Those that stand in the table and are killed."""
        return [row for row in self.killed if row.excuse]

    @property
    def score(self) -> str:
        """As in ``95.0 %, 95 of 100``."""
        of = len(self.rows) - len(self.equivalent)
        share = 100 * len(self.killed) / of if of else 100.0
        return f"{share:.1f} %, {len(self.killed)} of {of}"

    def by_operator(self) -> Mapping[str, Mapping[str, int]]:
        """How many were tried, killed and equivalent, by operators."""
        sorts = {"equivalent": self.equivalent, "killed": self.killed, "tried": self.rows}
        counts = {name: Counter(r.mutant.operator for r in rows) for name, rows in sorts.items()}
        return {
            operator: {name: count[operator] for name, count in counts.items()}
            for operator in sorted(counts["tried"])
        }

    def document(self) -> Mapping[str, object]:
        """The run as plain data."""
        return {
            "equivalent": [{**_plain(row), "reason": row.excuse} for row in self.equivalent],
            "how": dict(Counter(row.fate.how.value for row in self.rows)),
            "killed_by": dict(Counter(row.fate.by or "discovery" for row in self.killed)),
            "location": self.location,
            "operators": self.by_operator(),
            "plugin": self.plugin,
            "score": {
                "equivalent": len(self.equivalent),
                "killed": len(self.killed),
                "made": self.made,
                "survived": len(self.survivors),
                "tried": len(self.rows),
            },
            "seed": self.seed,
            "sha256": self.digest,
            "stale": [_plain(row) for row in self.stale],
            "survivors": [_plain(row) for row in self.survivors],
            "version": self.version,
        }

    def text(self) -> str:
        """The report of the run, with the diff of each survivor."""
        how = Counter(row.fate.how.value for row in self.killed)
        lines = [
            f"{self.location}: killed {self.score}, seed {self.seed}",
            f"  mutants     {self.made} made, {len(self.rows)} tried",
            f"  killed      {', '.join(f'{n} {name}' for name, n in how.most_common()) or 'none'}",
            f"  equivalent  {len(self.equivalent)}",
            f"  survived    {len(self.survivors)}",
            *(f"  stale       {_place(row)}" for row in self.stale),
            "  by operator (killed of tried, without equivalent ones)",
            *(
                f"    {name:28}{count['killed']} of {count['tried'] - count['equivalent']}"
                for name, count in self.by_operator().items()
            ),
        ]
        diffs = [f"\n{_place(row)}\n{row.mutant.diff}" for row in self.survivors]
        return "".join(f"{line}\n" for line in lines) + "".join(diffs)


def _place(row: Tried) -> str:
    mutant = row.mutant
    said = f": {row.excuse}, but killed by {row.fate.by}" if row.excuse else ""
    return f"{mutant.module}:{mutant.line} {mutant.operator}{said}"


def _plain(row: Tried) -> dict[str, object]:
    mutant = row.mutant
    return {
        "diff": mutant.diff,
        "line": mutant.line,
        "module": mutant.module,
        "operator": mutant.operator,
    }


def render_runs(checks: Sequence[str], runs: Sequence[MutationRun]) -> bytes:
    """Several runs as JSON; equal findings give equal bytes.

    Args:
        checks: id and revision of every check that mutants were put before.
        runs: its results.
    """
    document = {"checks": sorted(checks), "format": FORMAT, "runs": [r.document() for r in runs]}
    return (json.dumps(document, sort_keys=True, indent=1, ensure_ascii=False) + "\n").encode()
