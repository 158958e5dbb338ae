"""The checks of this suite. Adding one is one decorated class in a module here, and one mutant."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.profile import Profile
from plugwright_conformance.catalogue.register import collect

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CHECKS", "MUST_CHECKS", "PRESENT", "PROFILES", "WAVE_1"]

CHECKS = collect(__name__, __path__)
"""Every check, in the order of a run."""

_CAME_WITH_WAVE_1 = frozenset(
    {
        "CON-DLV-04",
        "CON-DLV-05",
        "CON-ERR-05",
        "CON-REB-02",
        "CON-SPK-11",
        "SNK-OFF-08",
        "SNK-REB-03",
        "SNK-TYP-07",
        "SNK-TYP-08",
        "SRC-OFF-09",
        "SRC-TYP-11",
    }
)

WAVE_1 = Profile(
    "wave-1",
    "wave 1",
    tuple(check for check in CHECKS if check.wave == 1 or check.id in _CAME_WITH_WAVE_1),
)
"""The 108 checks of the first wave of building, and those of the second that came with it.

Certificates name it that were made before there was another one.
"""

PRESENT = Profile("wave-2", "the first two waves", CHECKS)
"""What levels are awarded by now: a new check joins its level here."""

PROFILES: Mapping[str, Profile] = MappingProxyType({each.name: each for each in (WAVE_1, PRESENT)})
"""Every profile by its name."""

MUST_CHECKS: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {kind: PRESENT.must_checks(kind) for kind in ("source", "sink")}
)
"""Must-checks of the present profile up to and including each level, by kind of plugin.

A suite that has fewer of them awards no level: what was not looked for was not found.
"""
