"""The result of a mutant."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from enum import Enum
from typing import TYPE_CHECKING, Self

from plugwright_conformance.evidence.outcome import CheckEnd, Outcome

if TYPE_CHECKING:
    from plugwright_conformance.evidence.outcome import CheckResult

__all__ = ["Fate", "How"]

_WORDS = 300


class How(Enum):
    """The possible results; all but the last count as killed."""

    FAILED = "failed"
    HUNG = "hung"
    ENDED = "ended its process"
    ERROR = "error"
    NOT_RUN = "could not be run"
    SURVIVED = "survived"


@dataclass(frozen=True, slots=True)
class Fate:
    """The result of a mutant.

    Attributes:
        how: in which way.
        by: id of the check that it did not pass; empty if no connector was found at all.
        words: what the check said.
    """

    how: How
    by: str = ""
    words: str = ""

    @property
    def killed(self) -> bool:
        """Whether a check noticed the mutant."""
        return self.how is not How.SURVIVED

    @classmethod
    def of(cls, result: CheckResult) -> Self:
        """The fate of who did not pass a check."""
        return cls(_how(result), result.id, f"{result.message} | {result.scenario}"[:_WORDS])

    def render(self) -> str:
        """The fate as JSON."""
        return json.dumps({**asdict(self), "how": self.how.value})

    @classmethod
    def parse(cls, text: str | bytes) -> Self:
        """Read a fate from JSON."""
        row = json.loads(text)
        return cls(How(row["how"]), row["by"], row["words"])


def _how(result: CheckResult) -> How:
    if result.ending is CheckEnd.HUNG:
        return How.HUNG
    if result.outcome is Outcome.FAIL:
        return How.FAILED
    if result.outcome is Outcome.NOT_RUN:
        return How.NOT_RUN
    return How.ENDED if result.ending is CheckEnd.ENDED else How.ERROR
