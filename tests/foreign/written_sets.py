"""Sets of good connectors and reported faults, written without a look at the suite."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.foreign.source_locations import read_written

from plugwright_conformance.controls.reported_trial import read_trials

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.foreign.source_locations import Written

    from plugwright_conformance.controls.reported_trial import Trial

__all__ = ["SETS", "WrittenSet", "read_set"]


@dataclass(frozen=True, slots=True)
class WrittenSet:
    """A directory with connectors, a table of faults, a journal and what the tests know of it.

    Attributes:
        name: in ``docs/explanation/reported-faults.md``.
        count: how many faults it has.
        faults: in the order of the table.
        good: the good connectors.
        blind: what the suite made of them before anybody had read it.
        found: checks that find faults which the suite had missed.
        left_alone: checks that had blamed a good connector.
    """

    name: str
    count: int
    faults: Sequence[Written]
    good: Sequence[Written]
    blind: Mapping[str, Trial]
    found: Mapping[str, str]
    left_alone: Mapping[str, Sequence[str]]


def read_set(home: Path) -> WrittenSet:
    """The set in a directory."""
    known = tomllib.loads((home / "set.toml").read_text("utf-8"))
    return WrittenSet(
        name=known["name"],
        count=known["faults"],
        faults=read_written(home, "fault"),
        good=read_written(home, "good"),
        blind=read_trials(home / "blind.jsonl"),
        found=known["found"],
        left_alone=known.get("left_alone", {}),
    )


SETS = [read_set(file.parent) for file in sorted(Path(__file__).parent.glob("*/set.toml"))]
"""Every set that has such a directory."""
