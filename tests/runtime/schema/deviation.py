"""A rule by which ours differs from Java on purpose."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Deviation", "expected_outcome"]


@dataclass(frozen=True, slots=True)
class Deviation:
    """One rule that differs.

    Attributes:
        name: short name of the rule.
        cases: pattern that matches the ids of exactly the golden cases that it concerns.
        outcome: ``error`` where Java gives a result, ``value`` where ours is another or Java fails,
            ``message`` where only the words of an error differ.
        reason: why.
    """

    name: str
    cases: str
    outcome: str
    reason: str

    def __str__(self) -> str:
        return self.name

    def concerns(self, case_id: str) -> bool:
        """Whether the rule is about the case with that id."""
        return re.fullmatch(self.cases, case_id) is not None


def expected_outcome(rules: Iterable[Deviation], case_id: str) -> str:
    """``same``, unless a rule says how the case differs."""
    return next((rule.outcome for rule in rules if rule.concerns(case_id)), "same")
