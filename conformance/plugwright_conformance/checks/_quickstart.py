"""Check that the quickstart of the README runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks.documentation import readme_of
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    Level,
    NotApplicableError,
)
from plugwright_conformance.processes.isolated import run_isolated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright_conformance.catalogue.bench import Bench

_BLOCK = re.compile(
    r"^```(?P<language>\w+) quickstart *\n(?P<text>.*?)^``` *$", re.MULTILINE | re.DOTALL
)
_HOW = (
    "mark Python code as ```python quickstart, and what the last block prints as ```text quickstart"
)
_ANYTHING = "..."


class _Quickstart(NamedTuple):
    """The marked blocks of a README.

    Attributes:
        code: Python, in order.
        output: what the last of it prints.
    """

    code: Sequence[str]
    output: str


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
        quickstart = _quickstart(readme_of(bench))
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
        if not _agrees(quickstart.output, str(report["printed"])):
            raise CheckFailedError(
                expected=repr(quickstart.output),
                observed=repr(report["printed"]),
                scenario=f"the output of block {count} of {count}",
                likely="a name in the quickstart is misspelt, or the output is of another version",
            )
        return Evidence(count, figures={"blocks": count})


def _quickstart(readme: str) -> _Quickstart:
    """The marked blocks.

    Raises:
        CheckFailedError: if the output of the last block is not stated.
        NotApplicableError: if there are none.
    """
    blocks = [(found["language"], found["text"]) for found in _BLOCK.finditer(readme)]
    if not blocks:
        raise NotApplicableError(f"no block of the README is marked as its quickstart: {_HOW}")
    code = [text for language, text in blocks if language == "python"]
    language, output = blocks[-1]
    if not code or language != "text" or not output.replace(_ANYTHING, "").strip():
        raise CheckFailedError(
            expected="blocks of Python, and after the last of them a block with what it prints",
            observed=", ".join(language for language, _ in blocks),
            scenario="the blocks that the README marks as its quickstart",
            likely=_HOW,
        )
    return _Quickstart(code, output)


def _agrees(stated: str, printed: str) -> bool:
    """Whether an output is the stated one, in which three dots stand for anything."""
    parts = [re.escape(part) for part in stated.strip().split(_ANYTHING)]
    return re.fullmatch(".*".join(parts), printed.strip(), re.DOTALL) is not None
