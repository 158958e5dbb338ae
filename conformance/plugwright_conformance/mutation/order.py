"""Orders checks by their chance to kill a mutant in little time."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright_conformance.mutation._fate import Fate
    from plugwright_conformance.mutation._making import CodeMutant
    from plugwright_conformance.mutation.trial import Baseline

__all__ = ["KillOrder"]

_SAME_OPERATOR, _SAME_MODULE, _HOPE = 4.0, 2.0, 0.3
_OVERHEAD_S = 0.1


class KillOrder:
    """Learns from earlier results which checks kill mutants.

    Args:
        baseline: has the checks, and how long they take.
    """

    def __init__(self, baseline: Baseline) -> None:
        self._baseline = baseline
        self._all: Counter[str] = Counter()
        self._by_operator: Counter[tuple[str, str]] = Counter()
        self._by_module: Counter[tuple[str, str]] = Counter()

    def learn(self, mutant: CodeMutant, fate: Fate) -> None:
        """Take note of a kill."""
        if fate.by:
            self._all[fate.by] += 1
            self._by_operator[mutant.operator, fate.by] += 1
            self._by_module[mutant.module, fate.by] += 1

    def order(self, mutant: CodeMutant) -> Sequence[str]:
        """The checks for a mutant, best first."""
        return sorted(self._baseline.checks, key=lambda name: (-self._worth(mutant, name), name))

    def _worth(self, mutant: CodeMutant, check: str) -> float:
        kills = (
            _HOPE
            + self._all[check]
            + _SAME_OPERATOR * self._by_operator[mutant.operator, check]
            + _SAME_MODULE * self._by_module[mutant.module, check]
        )
        return kills / (_OVERHEAD_S + self._baseline.cost(check))
