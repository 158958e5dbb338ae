"""Check that the quickstart of the README runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks.documentation import readme_of
from plugwright_conformance.checks.quickstart_blocks import agrees, quickstart_of
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level
from plugwright_conformance.processes.isolated import run_isolated

if TYPE_CHECKING:
    from plugwright_conformance.catalogue.bench import Bench


@registered
class QuickstartRuns(Check):
    """The marked blocks of the README run, and the last one prints what is stated."""

    id = "CON-DOC-03"
    level = Level.C2
    wave = 2
    waivable = True
    title = "The quickstart runs, and prints what the README says"
    why = "A quickstart that fails at its third line is the last thing that a new user reads."
    mend = "Run the blocks one after the other in an empty directory, and correct code or output."
    origin = "G-Doc; CVI"

    def run(self, bench: Bench) -> Evidence:
        """Run the blocks in a new process, in an empty directory and without a network."""
        quickstart = quickstart_of(readme_of(bench))
        report = run_isolated(
            bench.subject,
            "run-blocks",
            "the quickstart of the README",
            directory=str(bench.directory()),
            blocks=list(quickstart.code),
        )
        count = len(quickstart.code)
        if "failed" in report:
            raise CheckFailedError(
                expected=f"{count} blocks of the quickstart that run",
                observed=str(report["error"]),
                scenario=f"block {report['failed']} of {count}, in an empty directory",
                likely="the code is of another version, or it needs a network",
            )
        if not agrees(quickstart.output, str(report["printed"])):
            raise CheckFailedError(
                expected=repr(quickstart.output),
                observed=repr(report["printed"]),
                scenario=f"the output of block {count} of {count}",
                likely="a name in the quickstart is misspelt, or the output is of another version",
            )
        return Evidence(count, figures={"blocks": count})
