"""The checks of this suite. Adding one is one decorated class in a module here, and one mutant."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.profile import Profile
from plugwright_conformance.catalogue.register import collect

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CHECKS", "MUST_CHECKS", "PROFILES", "WAVE_1"]

CHECKS = collect(__name__, __path__)
"""Every check, in the order of a run."""

WAVE_1 = Profile("wave-1", "wave 1", CHECKS)
"""The 108 checks of the first wave of building, and those of the second that came with it."""

PROFILES: Mapping[str, Profile] = MappingProxyType({WAVE_1.name: WAVE_1})
"""Every profile by its name."""

MUST_CHECKS: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {kind: WAVE_1.must_checks(kind) for kind in ("source", "sink")}
)
"""Must-checks of the present profile up to and including each level, by kind of plugin.

A suite that has fewer of them awards no level: what was not looked for was not found.
"""
