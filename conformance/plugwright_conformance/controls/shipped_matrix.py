"""The kill matrix in a release of the suite, and the conditions that it must meet."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright_conformance.mutants import MUTANTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright_conformance.catalogue.check import Check

__all__ = ["require_matrix", "shipped_matrix"]

_FILE = "kill_matrix.json"


def shipped_matrix() -> bytes | None:
    """The matrix of this release of the suite, or ``None`` if it is not included."""
    file = resources.files("plugwright_conformance").joinpath(_FILE)
    return file.read_bytes() if file.is_file() else None


def require_matrix(data: bytes | None, checks: Sequence[type[Check]]) -> None:
    """Require a matrix of exactly this suite, without survivors and without false alarms.

    Raises:
        ConnectError: ``certificate.kill-matrix``.
    """
    if data is None:
        raise _refused("there is none")
    try:
        document = json.loads(data)
        said, mutants, benign = document["checks"], document["mutants"], document["benign"]
        alive = [row["id"] for row in mutants if row["killed"] is False]
        alarmed = [row["id"] for row in benign if row["false_alarms"]]
    except (ValueError, KeyError, TypeError) as error:
        raise _refused(f"it cannot be read: {type(error).__name__} {error}") from error
    if said != sorted(f"{check.id} rev {check.revision}" for check in checks):
        raise _refused("it is of another suite, with other checks or revisions")
    if [row["id"] for row in mutants] != [mutant.id for mutant in MUTANTS]:
        raise _refused("it is of another suite, with other mutants")
    if alive or alarmed:
        raise _refused(f"survivors or false alarms: {', '.join([*alive, *alarmed])}")


def _refused(reason: str) -> ConnectError:
    return ConnectError(
        f"the kill matrix does not prove the quality of this suite: {reason}",
        code="certificate.kill-matrix",
        hint="compute it again: plugwright kill-matrix --output FILE",
        facts={"reason": reason},
    )
