"""All checks of the suite and the profiles that award levels by them."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.profile import Profile
from plugwright_conformance.catalogue.register import collect

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CHECKS", "MUST_CHECKS", "PRESENT", "PROFILES", "WAVE_1", "WAVE_2"]

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
    tuple(check for check in CHECKS if check.wave == 1 or check.id in _CAME_WITH_WAVE_1),
)
"""The 108 checks of the first wave, and those of the second that were released with it.

Older certificates name this profile.
"""

WAVE_2 = Profile("wave-2", tuple(check for check in CHECKS if check.id != "CON-RES-04"))
"""The checks before the catalogue's must-checks were complete.

Older certificates name this profile.
"""

PRESENT = Profile("catalogue", CHECKS)
"""The profile of this release: every check counts towards its level."""

PROFILES: Mapping[str, Profile] = MappingProxyType(
    {each.name: each for each in (WAVE_1, WAVE_2, PRESENT)}
)
"""All profiles by name."""

MUST_CHECKS: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {kind: PRESENT.must_checks(kind) for kind in ("source", "sink")}
)
"""Must-checks of the current profile up to and including each level, by kind of plugin.

A run with fewer must-checks awards no level.
"""
