"""The suite's checks of a location, without Spark and Kafka."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.checks import CHECKS
from plugwright_conformance.execution.options import RunOptions
from plugwright_conformance.execution.runner import run_checks
from plugwright_conformance.report.silent_listener import SilentListener
from plugwright_conformance.subject.subject import open_subjects

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from plugwright_conformance.evidence.outcome import CheckResult

__all__ = ["offline_checks", "offline_results"]

_OF_PACKAGES = ("PLG-", "CON-DOC-", "CON-CAP-01")


def offline_checks(kind: str) -> list[str]:
    """The checks of a kind that need neither a package nor Spark and Kafka."""
    return [
        check.id
        for check in CHECKS
        if kind in check.kinds and not check.live and not check.id.startswith(_OF_PACKAGES)
    ]


def offline_results(
    location: Path,
    workspace: Path,
    ids: Iterable[str] = (),
    *,
    seed: str = "0001",
    records: int = 300,
) -> Sequence[CheckResult]:
    """Run checks of the first connector of a location.

    Args:
        location: of the connector.
        workspace: receives what the run needs.
        ids: the checks, by default all of `offline_checks`.
        seed: of the run.
        records: how many a scenario has.
    """
    subject = open_subjects(location, workspace)[0]
    chosen = tuple(ids) or tuple(offline_checks(subject.kind))
    options = RunOptions(seed=seed, records=records, selection=chosen)
    run = run_checks(
        subject, CHECKS, options, workspace=workspace, live=None, listener=SilentListener()
    )
    return run.results
