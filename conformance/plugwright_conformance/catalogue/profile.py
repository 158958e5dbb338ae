"""Profiles: the checks that each level requires, in this release and in the whole catalogue."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from plugwright_conformance.evidence.outcome import Level, Severity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright_conformance.catalogue.check import Check

__all__ = ["WHOLE_CATALOGUE", "Profile"]

WHOLE_CATALOGUE: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "source": MappingProxyType({"C1": 30, "C2": 76, "C3": 112, "C4": 128, "C5": 134}),
        "sink": MappingProxyType({"C1": 30, "C2": 82, "C3": 125, "C4": 143, "C5": 148}),
    }
)
"""Must-checks up to and including each level, of all planned releases, by kind of plugin."""


@dataclass(frozen=True, slots=True)
class Profile:
    """The frozen list of checks that decide which level is awarded."""

    name: str
    entries: Sequence[type[Check]]

    def must_checks(self, kind: str) -> Mapping[str, int]:
        """How many must-checks each level requires of a kind of plugin, lower levels included."""
        levels = [
            entry.level.value
            for entry in self.entries
            if entry.severity is Severity.MUST and kind in entry.kinds
        ]
        return MappingProxyType(
            {level.name: sum(n <= level.value for n in levels) for level in Level}
        )

    @property
    def waivable(self) -> frozenset[str]:
        """Ids of must-checks that may be waived without losing the level."""
        return frozenset(entry.id for entry in self.entries if entry.waivable)
