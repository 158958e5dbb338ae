"""Badges: sets of checks about one subject."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright_conformance.evidence.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright_conformance.evidence.outcome import CheckResult
    from plugwright_conformance.subject.plugin_under_test import PluginUnderTest

__all__ = ["badges_of"]


@dataclass(frozen=True, slots=True)
class _Badge:
    """One badge.

    Attributes:
        checks: prefixes of ids; all matching checks of the run must be fulfilled.
        proof: prefixes of ids; at least one matching check must have passed.
        capability: the capability that must be declared, or an empty string.
    """

    name: str
    checks: tuple[str, ...]
    proof: tuple[str, ...]
    capability: str = ""


_BADGES = (
    _Badge("EVOL", ("SRC-SCH", "SNK-SCH"), ("SRC-SCH", "SNK-SCH"), "evolution"),
    _Badge("SCHEMALESS", ("SNK-TYP-04",), ("SNK-TYP-04",), "schemaless"),
    _Badge("DLQ", ("SNK-ERR-04", "SNK-ERR-07", "SNK-ERR-10"), ("SNK-ERR-04",), "dlq"),
    _Badge("PARALLEL", ("CON-PAR",), ("CON-PAR-02", "CON-PAR-03"), "parallel"),
    _Badge("ORDERED", ("CON-DLV-10",), ("CON-DLV-10",), "order"),
    _Badge("UPSERT", ("CON-DLV-11",), ("CON-DLV-11",), "upsert"),
    _Badge("SECURE", ("CON-SEC",), ("CON-SEC",)),
    _Badge("MEASURED", ("CON-PRF",), ("CON-PRF",)),
    _Badge("DOCS", ("CON-DOC",), ("CON-DOC",)),
    _Badge("SPARK", ("CON-SPK",), ("CON-SPK",)),
)


def badges_of(results: Sequence[CheckResult], plugin: PluginUnderTest) -> Sequence[str]:
    """The names of the badges that a complete run awards."""
    return tuple(badge.name for badge in _BADGES if _is_earned(badge, results, plugin))


def _is_earned(badge: _Badge, results: Sequence[CheckResult], plugin: PluginUnderTest) -> bool:
    if badge.capability and not plugin.capabilities.get(badge.capability):
        return False
    due = [result for result in results if result.id.startswith(badge.checks)]
    proofs = [result for result in results if result.id.startswith(badge.proof)]
    shown = any(result.outcome is Outcome.PASS for result in proofs)
    return shown and all(result.outcome.fulfils for result in due)
