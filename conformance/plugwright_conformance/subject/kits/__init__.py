"""Endpoint kits: ready endpoint drivers that ``conformance.toml`` names.

Every kit has its own module, whose libraries are imported only when the kit is used.
"""

from __future__ import annotations

from plugwright_conformance.subject.kits._catalogue import KITS, Kit, kit_driver, kit_problems
from plugwright_conformance.subject.kits._options import COMMON_KEYS

__all__ = ["COMMON_KEYS", "KITS", "Kit", "kit_driver", "kit_problems"]
