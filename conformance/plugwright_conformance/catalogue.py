"""The catalogue: which checks each level asks for, in this wave of building and in the end."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from plugwright_conformance.outcome import Level, Severity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["MUST_CHECKS", "PROFILES", "WAVE_1", "WHOLE_CATALOGUE", "Profile", "ProfileEntry"]

WHOLE_CATALOGUE: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "source": MappingProxyType({"C1": 30, "C2": 76, "C3": 106, "C4": 121, "C5": 129}),
        "sink": MappingProxyType({"C1": 30, "C2": 79, "C3": 113, "C4": 131, "C5": 139}),
    }
)
"""Must-checks of all waves up to and including each level, by kind of plugin."""


@dataclass(frozen=True, slots=True)
class ProfileEntry:
    """One check as a profile weighs it.

    Attributes:
        kinds: the plugins that it applies to.
        waivable: whether a level stands while the check is waived.
    """

    id: str
    severity: Severity
    level: Level
    kinds: frozenset[str]
    waivable: bool


@dataclass(frozen=True, slots=True)
class Profile:
    """A frozen list of checks by which levels are awarded.

    Attributes:
        spoken: its name in the middle of a sentence.
    """

    name: str
    spoken: str
    entries: Sequence[ProfileEntry]

    def must_checks(self, kind: str) -> Mapping[str, int]:
        """How many must-checks each level asks for of a kind of plugin, lower levels included."""
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


_KINDS = {
    "SRC": frozenset({"source"}),
    "SNK": frozenset({"sink"}),
    "CON-LIF-10": frozenset({"source"}),
    "CON-LIF-11": frozenset({"sink"}),
}
_BOTH = frozenset({"source", "sink"})
_WAIVABLE = frozenset({"CON-CFG-02", "CON-DOC-01", "CON-DOC-02", "CON-SEC-01"})
"""Heuristics and matters of documentation; never what loses data."""

_WAVE_1 = (
    ("PLG-PKG", "must", "C1", "01 02 03 04 05 06 08 10 11 14 16"),
    ("PLG-PKG", "should", "C1", "09"),
    ("PLG-DSC", "must", "C1", "01 02 03 04 05 06 07 08 09 13 14"),
    ("CON-CAP", "must", "C2", "01 02 03"),
    ("CON-CFG", "must", "C1", "01 02 03 14"),
    ("CON-CFG", "must", "C2", "04 05 06 08 09"),
    ("CON-CFG", "should", "C2", "07"),
    ("CON-DOC", "must", "C1", "01 02"),
    ("CON-LIF", "must", "C2", "01 02 03 04 05 06 07 09 10 11"),
    ("SRC-TYP", "must", "C2", "01 02 03 04 06 07 09"),
    ("SNK-TYP", "must", "C2", "01 02 03 04 05 06 09 10 12"),
    ("SRC-OFF", "must", "C3", "01 02 03 04 05 06 10"),
    ("SNK-OFF", "must", "C3", "01 02 03 04 05"),
    ("CON-DLV", "must", "C3", "01 02 03 13"),
    ("CON-ERR", "must", "C2", "01 03"),
    ("SRC-ERR", "must", "C3", "01 02 04"),
    ("SNK-ERR", "must", "C3", "01 04 05 06 10"),
    ("CON-PAR", "must", "C2", "01"),
    ("CON-PAR", "must", "C3", "02 03"),
    ("CON-REB", "must", "C4", "01"),
    ("CON-RES", "must", "C2", "01 02 08 09"),
    ("CON-SEC", "must", "C1", "01"),
    ("CON-SEC", "must", "C2", "02 03 04"),
    ("CON-SEC", "must", "C3", "09"),
    ("CON-OBS", "must", "C2", "04"),
    ("CON-SPK", "must", "C2", "01 10"),
    ("CON-SPK", "must", "C3", "03"),
    ("CON-SPK", "must", "C4", "05"),
)
"""Group, severity, level and numbers: what wave 1 builds, see column W of the catalogue."""

_AHEAD = (
    ("CON-DLV", "must", "C5", "05"),
    ("CON-ERR", "must", "C4", "05"),
    ("CON-REB", "should", "C4", "02"),
    ("SNK-TYP", "should", "C2", "08"),
)
"""Checks of wave 2 that are there already, written as above."""


def _entries(rows: Sequence[tuple[str, str, str, str]]) -> Sequence[ProfileEntry]:
    return tuple(
        ProfileEntry(
            id=(check := f"{group}-{number}"),
            severity=Severity(severity),
            level=Level[level],
            kinds=_KINDS.get(check) or _KINDS.get(group[:3], _BOTH),
            waivable=check in _WAIVABLE,
        )
        for group, severity, level, numbers in rows
        for number in numbers.split()
    )


WAVE_1 = Profile("wave-1", "wave 1", _entries((*_WAVE_1, *_AHEAD)))
"""The 108 checks of the first wave of building, and those of the second that came with it."""

PROFILES: Mapping[str, Profile] = MappingProxyType({WAVE_1.name: WAVE_1})
"""Every profile by its name."""

MUST_CHECKS: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {kind: WAVE_1.must_checks(kind) for kind in ("source", "sink")}
)
"""Must-checks of the present profile up to and including each level, by kind of plugin.

A suite that has fewer of them awards no level: what was not looked for was not found.
"""
