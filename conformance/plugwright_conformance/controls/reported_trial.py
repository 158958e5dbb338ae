"""Runs the checks on reported faults, and on unusual but correct connectors."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from plugwright.errors import DiscoveryError
from plugwright_conformance.catalogue.check import PROOF_OF_CAPABILITIES
from plugwright_conformance.evidence.journal_file import JournalFile
from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.execution.options import RunOptions
from plugwright_conformance.execution.runner import run_checks
from plugwright_conformance.mutants.reported import (
    BASES,
    REPORTED,
    SECOND_SET,
    UNUSUAL,
    good,
    materialise,
)
from plugwright_conformance.processes.temporary import temporary_directory
from plugwright_conformance.report.silent_listener import SilentListener
from plugwright_conformance.subject.subject import open_subjects

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from plugwright_conformance.catalogue.check import Check
    from plugwright_conformance.mutants.reported import Reported

__all__ = [
    "FAULTS",
    "GOOD",
    "Trial",
    "control_table",
    "fault_table",
    "found",
    "put_before_checks",
    "read_trials",
    "run_trials",
    "score",
]

_RECORDS = 300
_WORDS = 500
_OF_PACKAGES = ("PLG-", "CON-DOC-")


@dataclass(frozen=True, slots=True)
class Trial:
    """The results of one connector.

    Attributes:
        id: of the connector.
        checks: how many checks ran on it.
        failed: messages of the failed checks, by id.
        unmeasured: messages of checks with the outcome ERROR, most of which exceeded their time.
    """

    id: str
    checks: int
    failed: Mapping[str, str]
    unmeasured: Mapping[str, str]


def read_trials(journal: Path) -> Mapping[str, Trial]:
    """The trials of a journal, by the ids of their connectors."""
    return {row["id"]: Trial(**row) for row in JournalFile(journal).rows() if "id" in row}


FAULTS = {"first": REPORTED, "second": SECOND_SET}
"""The reported faults, by the names of their sets."""

GOOD = {"first": (*map(good, BASES), *UNUSUAL), "second": ()}
"""The good connectors of a set, apart from the correct versions of its faulty ones."""


def run_trials(
    checks: Sequence[type[Check]],
    name: str,
    journal: Path,
    seed: str,
    progress: Callable[[str], None],
) -> Mapping[str, Trial]:
    """Run the checks on a set of faults, except those in the journal, and record the results there.

    Args:
        checks: the suite.
        name: of the set.
        journal: its first line has the checks with their revisions at its start.
        seed: of the runs.
        progress: called with the name of each connector before it runs.

    Returns:
        Every trial in the journal.
    """
    if not journal.exists():
        suite = sorted(f"{check.id} rev {check.revision}" for check in checks)
        JournalFile(journal).append({"checks": suite, "seed": seed})
    done, faults = read_trials(journal), FAULTS[name]
    due = {each.id: each for each in (*GOOD[name], *(fault.twin for fault in faults), *faults)}
    for one in due.keys() - done.keys():
        progress(one)
        with temporary_directory("reported") as scratch:
            trial = put_before_checks(due[one], checks, scratch, seed)
        JournalFile(journal).append(asdict(trial))
    return read_trials(journal)


def score(trials: Mapping[str, Trial], faults: Sequence[Reported]) -> Mapping[str, int]:
    """How many faults were found for the right reason, for a wrong one, and not at all."""
    reasons = [found(each, trials[each.id], trials[each.twin.id])[0] for each in faults]
    return {name: reasons.count(name) for name in ("right", "wrong", "nothing")}


def put_before_checks(
    reported: Reported,
    checks: Sequence[type[Check]],
    workspace: Path,
    seed: str,
) -> Trial:
    """Run every check of its kind that needs no live system on a connector.

    Its package is generated, so checks of packages run only on faults of packages.

    Args:
        reported: the connector.
        checks: the suite.
        workspace: an empty directory.
        seed: of the run.
    """
    location = materialise(reported, workspace)
    try:
        subject = open_subjects(location, workspace)[0]
    except DiscoveryError as error:
        return Trial(reported.id, 0, {"discovery": str(error)}, {})
    ids = tuple(
        check.id
        for check in checks
        if subject.kind in check.kinds
        and not check.live
        and check.id != PROOF_OF_CAPABILITIES
        and (not check.id.startswith(_OF_PACKAGES) or reported.packaging)
    )
    options = RunOptions(seed=seed, records=_RECORDS, selection=ids)
    run = run_checks(
        subject, checks, options, workspace=workspace, live=None, listener=SilentListener()
    )
    results = run.results
    ends = {r.id: (r.outcome, f"{r.message} | {r.scenario}"[:_WORDS]) for r in results}
    failed = {name: words for name, (out, words) in ends.items() if out is Outcome.FAIL}
    errors = {name: words for name, (out, words) in ends.items() if out is Outcome.ERROR}
    return Trial(reported.id, len(results), failed, errors)


def found(reported: Reported, trial: Trial, twin: Trial) -> tuple[str, Sequence[str]]:
    """The failed checks of a reported fault.

    A check that also fails the correct version of the connector does not count.

    Returns:
        ``right``, ``wrong`` or ``nothing``, with the checks whose messages point to the fault, or
        those that failed for another reason.
    """
    failed = {name: said for name, said in trial.failed.items() if name not in twin.failed}
    right = [
        name
        for name, said in failed.items()
        if any(re.search(pattern, said) for pattern in reported.points_to)
    ]
    return ("right", right) if right else ("wrong" if failed else "nothing", list(failed))


def fault_table(trials: Mapping[str, Trial], faults: Sequence[Reported]) -> str:
    """A Markdown table of the results for every tested fault."""
    lines = ["| id | fault | reported at | found | by |", "|---|---|---|---|---|"]
    for each in faults:
        if each.id not in trials:
            continue
        reason, checks = found(each, trials[each.id], trials[each.twin.id])
        where = each.origin.removeprefix("https://github.com/")
        where = re.sub(r"/(issues|pull)/", "#", where)
        words = {"right": "yes", "wrong": "for another reason", "nothing": "no"}[reason]
        shown = ", ".join(checks[:3])
        lines.append(f"| {each.id} | {each.fault} | [{where}]({each.origin}) | {words} | {shown} |")
    return "".join(f"{line}\n" for line in lines)


def control_table(trials: Mapping[str, Trial]) -> str:
    """A Markdown table of the checks with FAIL or ERROR on good connectors."""
    lines = ["| id | what is unusual | FAIL | ERROR |", "|---|---|---|---|"]
    for each in GOOD["first"]:
        if each.id in trials:
            trial = trials[each.id]
            failed, errors = ", ".join(trial.failed), ", ".join(trial.unmeasured)
            lines.append(f"| {each.id} | {each.fault} | {failed} | {errors} |")
    return "".join(f"{line}\n" for line in lines)
