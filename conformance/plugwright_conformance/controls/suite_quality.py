"""The quality figures of the suite, taken from its kill matrix."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright_conformance.catalogue.check import Check

__all__ = ["matrix_figures"]


def matrix_figures(data: bytes | None, checks: Sequence[type[Check]]) -> Mapping[str, int | str]:
    """Mutants, kills, false alarms, flakes and the digest of a kill matrix.

    Empty without a readable matrix.
    """
    if data is None:
        return {}
    try:
        document = json.loads(data)
        mutants, benign = document["mutants"], document["benign"]
        flakes = document.get("flake_rate")
        figures: dict[str, int | str] = {
            "mutants": len(mutants),
            "killed": sum(row["killed"] is True for row in mutants),
            "survived": sum(row["killed"] is False for row in mutants),
            "not_tried": sum(row["killed"] is None for row in mutants),
            "benign_controls": len(benign),
            "benign_checks": sum(row["checks"] for row in benign),
            "false_alarms": sum(len(row["false_alarms"]) for row in benign),
            "seeds": len(document["seeds"]),
            "of_this_suite": "yes" if document["checks"] == _named(checks) else "no",
        }
        if flakes:  # missing in matrices of earlier releases
            figures |= {"flakes": flakes["unexpected"], "flake_verdicts": flakes["verdicts"]}
    except (ValueError, KeyError, TypeError):
        return {}
    return figures | {"sha256": hashlib.sha256(data).hexdigest()}


def _named(checks: Sequence[type[Check]]) -> list[str]:
    return sorted(f"{check.id} rev {check.revision}" for check in checks)
