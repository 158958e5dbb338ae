"""How large the catalogue is: the must-checks that each level asks for, built or not."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MUST_CHECKS"]

MUST_CHECKS: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "source": MappingProxyType({"C1": 30, "C2": 76, "C3": 106, "C4": 121, "C5": 129}),
        "sink": MappingProxyType({"C1": 30, "C2": 79, "C3": 113, "C4": 131, "C5": 139}),
    }
)
"""Must-checks up to and including each level, by kind of plugin.

A suite that has fewer of them awards no level: what was not looked for was not found.
"""
