"""``plugwright replay``: repeat checks of a recorded run and compare the results."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.cli import Command, ExitCode, add_json, completed_by, write_json
from plugwright.errors import ConnectError
from plugwright_conformance.commands._options import add_number
from plugwright_conformance.commands.certifier import check_ids
from plugwright_conformance.commands.spark_options import add_spark, read_spark
from plugwright_conformance.evidence.named_file import read_named
from plugwright_conformance.processes.temporary import temporary_directory

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from plugwright_conformance.certificate import Comparison, RecordedRun
    from plugwright_conformance.execution.runner import RunOptions
    from plugwright_conformance.live.system import LiveSystem
    from plugwright_conformance.report import ProgressReporter
    from plugwright_conformance.report.results import RunResults
    from plugwright_conformance.subject.subject import Subject

__all__ = ["REPLAY"]

_FORMAT = "plugwright-replay/1"
_EXAMPLES = """\
examples:
  plugwright replay build/certification/file-source/results.json -k SRC-OFF-03
  plugwright replay certificate.json --wheel orders_sink-1.2.0-py3-none-any.whl

Without -k, ten checks up to C3 that need neither Spark nor Kafka are chosen at random.
exit status: 0 all results are the same, 4 a result differs
"""
_RECORDS = 100_000


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "recorded",
        metavar="CERTIFICATE|RESULTS",
        type=Path,
        help="certificate.json or results.json",
    )
    check = parser.add_argument(
        "-k",
        metavar="ID",
        dest="checks",
        action="append",
        default=[],
        help="replay this check, on one engine as in CON-DLV-01[stream]; may be given several "
        "times",
    )
    completed_by(check, check_ids)
    add_number(
        parser,
        "--count",
        default=10,
        explained="without -k: number of checks (default: %(default)s)",
    )
    parser.add_argument(
        "--wheel",
        metavar="PATH",
        type=Path,
        help="the certified wheel or location, whose path is not in the certificate",
    )
    parser.add_argument(
        "--bootstrap-servers", metavar="HOST:PORT", help="use this Kafka instead of starting one"
    )
    add_spark(parser)
    add_json(parser)


def _run(arguments: argparse.Namespace) -> int:
    from random import SystemRandom  # noqa: PLC0415  # after --help

    from plugwright_conformance.certificate import (  # noqa: PLC0415  # after --help
        compare,
        read_recorded,
        sample,
    )
    from plugwright_conformance.checks import CHECKS  # noqa: PLC0415  # after --help

    hint = "name certificate.json or results.json of a run"
    recorded = read_recorded(read_named(arguments.recorded, "replay.unreadable", hint))
    chosen = arguments.checks or sample(recorded, CHECKS, arguments.count, SystemRandom())
    found = compare(recorded, _again(arguments, recorded, chosen).results)
    if arguments.json:
        write_json(_document(found), sys.stdout)
    else:
        sys.stdout.write(_as_text(found) + "\n")
    return ExitCode.FOUND if _different(found) else ExitCode.DONE


def _again(
    arguments: argparse.Namespace, recorded: RecordedRun, chosen: Sequence[str]
) -> RunResults:
    from plugwright_conformance.checks import CHECKS  # noqa: PLC0415  # after --help
    from plugwright_conformance.execution.runner import RunOptions, run_checks  # noqa: PLC0415
    from plugwright_conformance.report import ProgressReporter  # noqa: PLC0415  # an extra

    options = RunOptions(
        seed=recorded.seed,
        records=recorded.records or _RECORDS,
        selection=tuple(chosen),
        bootstrap_servers=arguments.bootstrap_servers,
        spark_master=arguments.spark_master,
        worker_config=arguments.worker_config,
    )
    with ExitStack() as stack:
        workspace = stack.enter_context(temporary_directory())
        subject = _subject(arguments.wheel or recorded.location, recorded, workspace)
        progress = stack.enter_context(ProgressReporter())
        live = _live(arguments, subject, options, workspace, progress, stack)
        return run_checks(
            subject, CHECKS, options, workspace=workspace, live=live, listener=progress
        )


def _subject(path: Path | None, recorded: RecordedRun, workspace: Path) -> Subject:
    from plugwright_conformance.subject.subject import (  # noqa: PLC0415  # after --help
        open_subjects,
    )

    if path is None:
        raise ConnectError(
            "a certificate does not contain the path of the artifact",
            code="replay.no-artifact",
            hint="name the wheel or location with --wheel",
        )
    if not path.exists():
        raise ConnectError(
            f"found no artifact of the recorded run at {path}",
            code="replay.no-artifact",
            hint="name the wheel or location with --wheel",
            facts={"path": str(path)},
        )
    (subject,) = open_subjects(path, workspace, recorded.plugin_class)
    if subject.digest != recorded.digest:
        raise ConnectError(
            f"{path} is not the artifact of the recorded run: expected the digest "
            f"{recorded.digest}, found {subject.digest}",
            code="replay.other-artifact",
            hint="name the certified artifact in its certified form",
            facts={"expected": recorded.digest, "found": subject.digest},
        )
    return subject


def _live(  # noqa: PLR0913, PLR0917  # its purpose, and its path
    arguments: argparse.Namespace,
    subject: Subject,
    options: RunOptions,
    workspace: Path,
    progress: ProgressReporter,
    stack: ExitStack,
) -> LiveSystem | None:
    """The live system, if a chosen check needs it."""
    from plugwright_conformance.catalogue.selection import select_checks  # noqa: PLC0415
    from plugwright_conformance.checks import CHECKS  # noqa: PLC0415  # after --help
    from plugwright_conformance.live.system import LiveSystem  # noqa: PLC0415  # after --help

    engines = subject.declaration.engines
    if not any(c.live for c in select_checks(CHECKS, subject.kind, options.selection, engines)):
        return None
    opening = LiveSystem.open(
        options.bootstrap_servers,
        workspace.name,
        workspace / "spark.log",
        progress.phase,
        read_spark(arguments),
    )
    return stack.enter_context(opening)


def _different(found: Sequence[Comparison]) -> int:
    return sum(bool(comparison.difference) for comparison in found)


def _as_text(found: Sequence[Comparison]) -> str:
    same = len(found) - _different(found)
    return "\n".join([*map(_line, found), f"{same} of {len(found)} checks gave the same result"])


def _line(comparison: Comparison) -> str:
    from plugwright_conformance.report import one_line  # noqa: PLC0415  # after --help

    what = comparison.difference or f"{comparison.after.outcome.value}, evidence as recorded"
    word = "differs" if comparison.difference else "same"
    return f"{word:<8} {comparison.before.label}  {one_line(what)}"


def _document(found: Sequence[Comparison]) -> dict[str, object]:
    return {
        "checks": [
            {
                "difference": c.difference,
                "engine": c.before.engine,
                "id": c.before.id,
                "outcome": c.after.outcome.value,
            }
            for c in found
        ],
        "format": _FORMAT,
        "same": not _different(found),
    }


REPLAY = Command(
    name="replay",
    summary="repeat checks of a recorded run and compare the results",
    epilog=_EXAMPLES,
    configure=_configure,
    run=_run,
    supervised=True,
)
