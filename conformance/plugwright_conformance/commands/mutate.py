"""``plugwright mutate``: run the checks on machine-made mutants of a connector."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.cli import Command, ExitCode, add_json, write_json
from plugwright_conformance.commands._options import add_number, show_progress
from plugwright_conformance.processes.temporary import kept_in, temporary_directory

if TYPE_CHECKING:
    import argparse

    from plugwright_conformance.mutation import MutationPlan, MutationRun

__all__ = ["MUTATE"]

_EXAMPLES = """\
examples:
  plugwright mutate plugin-path/file-sink --sample 60
  plugwright mutate dist/orders_sink-1.2.0-py3-none-any.whl --jobs 4 --journal fates.jsonl
  plugwright mutate plugin-path/file-source --operators drop-first,place-too-high --dry-run

exit status: 0 no mutant survived, 4 one survived or the table of equivalent ones is stale
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "locations",
        metavar="LOCATION_OR_WHEEL",
        nargs="+",
        type=Path,
        help="a plugin location (directory) or a wheel, which must pass every check",
    )
    _add_choice(parser)
    _add_run(parser)
    add_json(parser)


def _add_choice(parser: argparse.ArgumentParser) -> None:
    """Options that choose mutants."""
    add_number(
        parser,
        "--sample",
        most=100_000,
        explained="run only N mutants of each connector, sampled with the seed",
    )
    parser.add_argument(
        "--seed",
        metavar="HEX",
        default="0001",
        help="seed of the sample and of the checks (default: %(default)s)",
    )
    parser.add_argument(
        "--operators",
        metavar="NAMES",
        default="",
        help="run only these operators, separated by commas",
    )
    parser.add_argument(
        "--equivalents",
        metavar="FILE",
        type=Path,
        help="TOML file of [[equivalent]] tables: mutants that are no faults, each with its reason "
        "(default: those of the bundled connectors)",
    )


def _add_run(parser: argparse.ArgumentParser) -> None:
    """Options for running checks, and for the output."""
    add_number(
        parser,
        "-j",
        "--jobs",
        default=1,
        most=100_000,
        explained="number of mutants run in parallel (default: %(default)s)",
    )
    parser.add_argument(
        "--journal",
        metavar="FILE",
        type=Path,
        help="results of earlier runs; only missing mutants are run, and added to FILE",
    )
    parser.add_argument("--output", metavar="FILE", type=Path, help="write the results as JSON")
    parser.add_argument(
        "--dry-run", action="store_true", help="show the mutants as diffs without running checks"
    )


def _run(arguments: argparse.Namespace) -> int:
    from plugwright_conformance.checks import CHECKS  # noqa: PLC0415  # after --help
    from plugwright_conformance.mutation import offline, render_runs  # noqa: PLC0415  # the same

    plan = _plan(arguments)
    if arguments.dry_run:
        return _show(arguments, plan)
    runs = []
    for given in arguments.locations:
        with temporary_directory("mutants") as own, kept_in(own) as scratch:
            runs.append(plan.run(given, scratch))
        if not arguments.json:
            sys.stdout.write(runs[-1].text())
            sys.stdout.flush()
    suite = [f"{check.id} rev {check.revision}" for check in offline(CHECKS)]
    data = render_runs(suite, runs)
    if arguments.output is not None:
        arguments.output.write_bytes(data)
    if arguments.json:
        write_json(json.loads(data), sys.stdout)
    return ExitCode.FOUND if any(map(_found, runs)) else ExitCode.DONE


def _found(run: MutationRun) -> bool:
    return bool(run.survivors or run.stale)


def _plan(arguments: argparse.Namespace) -> MutationPlan:
    from plugwright_conformance.checks import CHECKS  # noqa: PLC0415  # after --help
    from plugwright_conformance.mutation import (  # noqa: PLC0415  # the same
        Equivalents,
        MutationPlan,
        find_operators,
    )

    table = arguments.equivalents
    return MutationPlan(
        checks=CHECKS,
        operators=find_operators([name for name in arguments.operators.split(",") if name]),
        seed=arguments.seed,
        sample=arguments.sample,
        jobs=arguments.jobs,
        equivalents=Equivalents.read(table) if table else Equivalents.shipped(),
        journal=arguments.journal,
        progress=show_progress,
    )


def _show(arguments: argparse.Namespace, plan: MutationPlan) -> int:
    """Print the mutants instead of testing them."""
    shown = []
    for given in arguments.locations:
        with temporary_directory("mutants") as own, kept_in(own) as scratch:
            mutants, _ = plan.made(given, scratch)
        shown += [(given.name, mutant) for mutant in mutants]
    if arguments.json:
        rows = [
            {"diff": m.diff, "line": m.line, "location": name, "module": m.module}
            | {"operator": m.operator}
            for name, m in shown
        ]
        write_json({"format": "plugwright-mutants/1", "mutants": rows}, sys.stdout)
    else:
        for name, mutant in shown:
            sys.stdout.write(f"{name} {mutant.operator}\n{mutant.diff}\n")
    return ExitCode.DONE


MUTATE = Command(
    name="mutate",
    summary="run the checks on machine-made mutants of a connector",
    epilog=_EXAMPLES,
    configure=_configure,
    run=_run,
    supervised=True,
)
"""The command."""
