"""``plugwright kill-matrix``: run the checks on every broken connector."""

from __future__ import annotations

import hashlib
import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.cli import Command, ExitCode, add_json, write_json
from plugwright_conformance.commands._options import add_number, show_progress
from plugwright_conformance.processes.temporary import temporary_directory

if TYPE_CHECKING:
    import argparse

    from plugwright_conformance.controls.kill_matrix import KillMatrix
    from plugwright_conformance.live.system import LiveSystem

__all__ = ["KILL_MATRIX", "summary"]

_FORMAT = "plugwright-kill-matrix-run/1"
_EXAMPLES = """\
examples:
  plugwright kill-matrix --designated
  plugwright kill-matrix --controls --seeds 20 --workers 2 --journal controls.jsonl
  plugwright kill-matrix --live --output kill_matrix.json
  plugwright kill-matrix --reported trials.jsonl
  plugwright kill-matrix --reported second.jsonl --set second

exit status: 0 all mutants killed and no false alarms, 4 a mutant survived or a good one failed
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--output", metavar="FILE", type=Path, help="write the matrix as JSON")
    parser.add_argument(
        "--plugin-path",
        metavar="DIR",
        type=Path,
        default=Path("plugin-path"),
        help="where file-source and file-sink are (default: %(default)s)",
    )
    _add_choice(parser)
    _add_run(parser)
    add_json(parser)


def _add_choice(parser: argparse.ArgumentParser) -> None:
    """Options that choose connectors and checks."""
    add_number(
        parser,
        "--seeds",
        default=1,
        most=100,
        explained="number of seeds for the unusual but correct connectors (default: %(default)s)",
    )
    parser.add_argument(
        "--designated",
        action="store_true",
        help="run only the designated check of each mutant",
    )
    parser.add_argument(
        "--controls",
        action="store_true",
        help="run only the unusual but correct connectors, no mutants",
    )
    parser.add_argument(
        "--reported",
        metavar="FILE",
        type=Path,
        help="instead run the checks on faults that public projects reported, on their correct "
        "versions and on unusual correct connectors; skip those in FILE, and add the others to it",
    )
    parser.add_argument(
        "--set",
        choices=("first", "second"),
        default="first",
        help="which set of reported faults (default: %(default)s)",
    )


def _add_run(parser: argparse.ArgumentParser) -> None:
    """Options for running checks."""
    parser.add_argument(
        "--journal",
        metavar="FILE",
        type=Path,
        help="results of earlier control runs; only missing and revised checks are run, and "
        "added to FILE",
    )
    add_number(
        parser,
        "-j",
        "--workers",
        default=1,
        most=100,
        explained="number of correct connectors run in parallel (default: %(default)s)",
    )
    parser.add_argument(
        "--live",
        action="store_true",
        help="start Spark and Kafka for the checks that need them",
    )


def _run(arguments: argparse.Namespace) -> int:
    if arguments.reported is not None:
        return _run_reported(arguments.reported, arguments.set)
    from plugwright_conformance.checks import CHECKS  # noqa: PLC0415  # after --help
    from plugwright_conformance.controls.journal import ControlJournal  # noqa: PLC0415  # the same
    from plugwright_conformance.controls.kill_matrix import (  # noqa: PLC0415  # after --help
        MatrixOptions,
        compute_matrix,
    )
    from plugwright_conformance.report.silent_listener import SilentListener  # noqa: PLC0415  # after --help

    with ExitStack() as stack:
        options = MatrixOptions(
            plugin_path=arguments.plugin_path,
            seeds=[f"{number:04x}" for number in range(1, arguments.seeds + 1)],
            live=_live(stack) if arguments.live else None,
            whole=not arguments.designated,
            controls_only=arguments.controls,
            workers=arguments.workers,
        )
        matrix = compute_matrix(
            CHECKS,
            options,
            listener=SilentListener(),
            progress=show_progress,
            journal=ControlJournal(arguments.journal, CHECKS),
        )
    data = matrix.render()
    if arguments.output is not None:
        arguments.output.write_bytes(data)
    digest = hashlib.sha256(data).hexdigest()
    if arguments.json:
        write_json({"format": _FORMAT, "matrix": json.loads(data), "sha256": digest}, sys.stdout)
    else:
        sys.stdout.write(summary(matrix, digest))
    return ExitCode.FOUND if matrix.survivors or matrix.false_alarms else ExitCode.DONE


def _run_reported(journal: Path, name: str) -> int:
    from plugwright_conformance.checks import CHECKS  # noqa: PLC0415  # after --help
    from plugwright_conformance.controls.reported_trial import (  # noqa: PLC0415  # the same
        FAULTS,
        control_table,
        fault_table,
        run_trials,
        score,
    )

    trials = run_trials(CHECKS, name, journal, "0001", show_progress)
    found = score(trials, FAULTS[name])
    sys.stdout.write(f"{fault_table(trials, FAULTS[name])}\n{control_table(trials)}\n")
    sys.stdout.write("".join(f"{name:8} {number}\n" for name, number in found.items()))
    return ExitCode.FOUND if found["wrong"] or found["nothing"] else ExitCode.DONE


def _live(stack: ExitStack) -> LiveSystem:
    from plugwright_conformance.live.system import LiveSystem  # noqa: PLC0415  # after --help

    log = stack.enter_context(temporary_directory()) / "spark.log"
    return stack.enter_context(LiveSystem.open(None, "kill-matrix", log, show_progress))


def summary(matrix: KillMatrix, digest: str) -> str:
    """A summary of a matrix in a few lines.

    Args:
        matrix: the matrix.
        digest: SHA-256 of its file.
    """
    alive = [f"{row.id} ({row.killed_by})" for row in matrix.survivors]
    waiting = [row.id for row in matrix.mutants if row.killed is None]
    lines = [
        f"killed by the designated check  {matrix.score}",
        f"not run, need --live            {', '.join(waiting) or 'none'}",
        f"survivors                       {', '.join(alive) or 'none'}",
        f"good connectors                 {len(matrix.benign)}, over {len(matrix.seeds)} seeds",
        f"false alarms                    {', '.join(matrix.false_alarms) or 'none'}",
        f"flake rate                      {_rate(*matrix.flakes)}",
        f"sha256                          {digest}",
    ]
    return "".join(f"{line}\n" for line in lines)


def _rate(unexpected: int, verdicts: int) -> str:
    """As in ``0.02 %, 2 of 10000 verdicts``."""
    share = 100 * unexpected / verdicts if verdicts else 0.0
    return f"{share:.2g} %, {unexpected} of {verdicts} verdicts"


KILL_MATRIX = Command(
    name="kill-matrix",
    summary="run the checks on every broken connector",
    epilog=_EXAMPLES,
    configure=_configure,
    run=_run,
    supervised=True,
)
"""The command."""
