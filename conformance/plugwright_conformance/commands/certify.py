"""``plugwright certify``: run the suite on the plugins of a location or wheel."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.cli import Command, ExitCode, add_json, completed_by, write_json
from plugwright.errors import ConnectError
from plugwright_conformance.commands._options import add_number
from plugwright_conformance.commands.certifier import Certifier, check_ids, invalidated
from plugwright_conformance.commands.spark_options import add_spark, read_spark
from plugwright_conformance.processes.temporary import temporary_directory

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from plugwright_conformance.catalogue.check import Check
    from plugwright_conformance.execution.runner import RunOptions
    from plugwright_conformance.live.system import LiveSystem
    from plugwright_conformance.report import CertificateNote, ProgressReporter
    from plugwright_conformance.report.results import RunResults
    from plugwright_conformance.subject.subject import Subject

__all__ = ["CERTIFY"]

_FORMAT = "plugwright-certification/1"
_EXAMPLES = """\
examples:
  plugwright certify plugin-path/file-source
  plugwright certify dist/orders_sink-1.2.0-py3-none-any.whl --report build/certification
  plugwright certify dist/orders_sink-1.2.0-py3-none-any.whl --no-live --level C2
  plugwright certify . --bootstrap-servers localhost:9092 --check CON-DLV-01
  plugwright certify . --spark-master spark://master:7077 --worker-config worker.properties
  plugwright certify dist/orders_sink-1.2.0-py3-none-any.whl --report out --key certify.key
  plugwright certify plugin-path/file-sink --no-live --json | jq '.runs[].results.level'

exit status: 0 no check failed and each must-check was run, or declined by --no-live, --level or
--check; 4 a check failed, or a must-check could not be run
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "locations",
        metavar="LOCATION_OR_WHEEL",
        nargs="+",
        type=Path,
        help="a plugin location (directory), a wheel, or the directory of a project, of which a "
        "wheel is built into its dist",
    )
    parser.add_argument(
        "--plugin",
        metavar="CLASS",
        help="only this connector, by class or alias; CLASS[NAME] is one of its configurations",
    )
    parser.add_argument("--type", choices=["source", "sink"], help="only connectors of this type")
    _add_outputs(parser)
    _add_selection(parser)
    _add_run(parser)
    add_json(parser)


def _add_outputs(parser: argparse.ArgumentParser) -> None:
    """Options for the output and for the certificate."""
    parser.add_argument(
        "--report",
        metavar="DIR",
        type=Path,
        help="write the reports (JSON, JUnit, HTML, Markdown, badge) and the certificate into "
        "DIR/<location>",
    )
    parser.add_argument(
        "--key",
        metavar="FILE",
        type=Path,
        help="sign the certificate with this private key (default: the file that the environment "
        "variable PLUGWRIGHT_KEY names); without one it is written unsigned",
    )
    parser.add_argument(
        "--kill-matrix",
        metavar="FILE",
        type=Path,
        help="the suite's kill matrix; the certificate contains its digest",
    )


def _add_selection(parser: argparse.ArgumentParser) -> None:
    """Options that choose checks, or permit some to fail."""
    check = parser.add_argument(
        "--check",
        metavar="ID",
        action="append",
        default=[],
        help="run only this check, on one engine as in CON-DLV-01[stream]; may be given several "
        "times",
    )
    completed_by(check, check_ids)
    parser.add_argument(
        "--level",
        choices=[f"C{number}" for number in range(1, 6)],
        default="C5",
        help="run only the checks up to this level; no level is awarded",
    )
    parser.add_argument(
        "--waivers",
        metavar="FILE",
        type=Path,
        help="TOML file of [[waiver]] tables: checks that may fail, each with reason, owner and "
        "expiry",
    )


def _add_run(parser: argparse.ArgumentParser) -> None:
    """Options for running checks."""
    parser.add_argument(
        "--bootstrap-servers",
        metavar="HOST:PORT",
        help="use this Kafka instead of starting one",
    )
    add_spark(parser)
    parser.add_argument("--seed", metavar="HEX", help="repeat the run that had this seed")
    add_number(
        parser,
        "--records",
        default=100_000,
        least=1_000,
        most=10_000_000,
        explained="number of records in large live scenarios (default: %(default)s)",
    )
    parser.add_argument(
        "--no-live",
        action="store_true",
        help="do not start Spark and Kafka; checks that need them are reported as not run",
    )


def _run(arguments: argparse.Namespace) -> int:
    from plugwright_conformance.subject.subject import (  # noqa: PLC0415  # after --help
        open_subjects,
    )

    with ExitStack() as stack:
        workspace = stack.enter_context(temporary_directory())
        subjects = [
            subject
            for location in arguments.locations
            for subject in open_subjects(_artifact(location), workspace, arguments.plugin)
            if arguments.type in {None, subject.kind}
        ]
        progress = stack.enter_context(_reporter(arguments))
        return _certify(arguments, subjects, workspace, progress, stack)


def _artifact(given: Path) -> Path:
    """The artifact to certify: for a project its wheel, which is built in ``dist``."""
    from plugwright_conformance.subject.locate import (  # noqa: PLC0415  # after --help
        built_wheel,
        is_project,
    )

    if not is_project(given):
        return given
    wheel = built_wheel(given, given / "dist")
    sys.stderr.write(f"built {wheel}\n")
    return wheel


def _certify(
    arguments: argparse.Namespace,
    subjects: Sequence[Subject],
    workspace: Path,
    progress: ProgressReporter,
    stack: ExitStack,
) -> int:
    from plugwright_conformance.checks import CHECKS  # noqa: PLC0415  # after --help
    from plugwright_conformance.execution.runner import run_checks  # noqa: PLC0415
    from plugwright_conformance.subject.settings_used import SettingsUsed  # noqa: PLC0415

    certifier = Certifier.of(arguments)
    options = _options(arguments)
    chosen = _chosen(subjects, options)
    live = _live(arguments, chosen, workspace, progress, stack)
    certifier = replace(certifier, live=live)
    declined = {check.id for check in chosen if check.live and arguments.no_live}
    runs: list[_Certified] = []
    for subject in subjects:
        seeded = replace(options, seed=certifier.seed(subject), settings=SettingsUsed())
        results = run_checks(
            subject, CHECKS, seeded, workspace=workspace, live=live, listener=progress
        )
        directory = arguments.report and arguments.report / _folder(subject, subjects)
        secrets = seeded.settings.secrets()
        run = _reported(certifier, subject, results, directory, secrets=secrets, progress=progress)
        runs.append(run)
    for run in runs:
        if run.refusal is not None:
            raise run.refusal
    failed = any(run.results.failed for run in runs)
    if arguments.json:
        documents = [run.document() for run in runs]
        write_json({"failed": failed, "format": _FORMAT, "runs": documents}, sys.stdout)
    missed = any(run.results.missed(declined) for run in runs)
    return ExitCode.FOUND if failed or missed else ExitCode.DONE


def _chosen(subjects: Sequence[Subject], options: RunOptions) -> Sequence[type[Check]]:
    """The checks to run, if there are any and the endpoint drivers that they need exist."""
    from plugwright_conformance.catalogue.selection import select_checks  # noqa: PLC0415
    from plugwright_conformance.checks import CHECKS  # noqa: PLC0415  # after --help
    from plugwright_conformance.evidence.outcome import Level  # noqa: PLC0415  # after --help
    from plugwright_conformance.subject.unwritten import (  # noqa: PLC0415  # after --help
        require_written_driver,
    )

    fitting = [
        select_checks(CHECKS, s.kind, options.selection, s.declaration.engines) for s in subjects
    ]
    chosen = [check for each in fitting for check in each if options.includes(check)]
    if not chosen:
        raise _nothing_to_run()
    if any(check.level is not Level.C1 for check in chosen):
        for subject in subjects:
            require_written_driver(subject)
    return chosen


@dataclass(frozen=True, slots=True)
class _Certified:
    """One run with its reports.

    Attributes:
        results: the results of its checks.
        directory: the directory of its reports, if there are any.
        note: the summary of its certificate, if there is one.
        refusal: why a requested certificate was not issued.
    """

    results: RunResults
    directory: Path | None
    note: CertificateNote | None
    refusal: ConnectError | None = None

    def document(self) -> Mapping[str, object]:
        """The content of its ``results.json``, and the paths of its files."""
        from plugwright_conformance.report import JsonReport  # noqa: PLC0415  # after --help

        place, note = self.directory, self.note
        return {
            "certificate": str(place / "certificate.json") if place and note else None,
            "report": str(place) if place else None,
            "results": json.loads(JsonReport().render(self.results)),
            "signed_by": note.fingerprint if note else None,
        }


def _reported(  # noqa: PLR0913  # what was found, of what, and where it goes
    certifier: Certifier,
    subject: Subject,
    results: RunResults,
    directory: Path | None,
    *,
    secrets: Mapping[str, Sequence[str]],
    progress: ProgressReporter,
) -> _Certified:
    """Run the suite's controls, then write reports and certificate."""
    results = replace(results, quality=certifier.quality())
    progress.phase("running the controls: good and broken connectors")
    try:
        note = certifier.write(subject, results, directory, secrets) if directory else None
        run = _Certified(results, directory, note)
    except ConnectError as error:
        kept = None if error.code == "report.secret" else directory
        run = _Certified(invalidated(results, error), kept, None, error)
    progress.finished(run.results, run.directory)
    if run.directory and run.note:
        progress.certified(run.directory / "certificate.json", run.note)
    return run


def _options(arguments: argparse.Namespace) -> RunOptions:
    """The options of each run, without seeds."""
    from plugwright_conformance.evidence.outcome import Level  # noqa: PLC0415  # after --help
    from plugwright_conformance.execution.runner import RunOptions  # noqa: PLC0415  # after --help
    from plugwright_conformance.subject.waivers import read_waivers  # noqa: PLC0415  # after --help

    return RunOptions(
        seed="",
        records=arguments.records,
        selection=tuple(arguments.check),
        bootstrap_servers=arguments.bootstrap_servers,
        spark_master=arguments.spark_master,
        worker_config=arguments.worker_config,
        waivers=tuple(read_waivers(arguments.waivers)) if arguments.waivers else (),
        level=Level[arguments.level],
    )


def _nothing_to_run() -> ConnectError:
    return ConnectError(
        "found no connector to certify, or no check for its type",
        code="conformance.nothing-to-run",
        hint="name a location with a source or sink connector: plugwright plugins LOCATION",
    )


def _reporter(arguments: argparse.Namespace) -> ProgressReporter:
    """Reports the run; with ``--json`` everything on standard error."""
    from rich.console import Console  # noqa: PLC0415  # an extra

    from plugwright_conformance.report import ProgressReporter  # noqa: PLC0415  # an extra

    return ProgressReporter(Console(stderr=True) if arguments.json else None)


def _live(
    arguments: argparse.Namespace,
    chosen: Sequence[type[Check]],
    workspace: Path,
    progress: ProgressReporter,
    stack: ExitStack,
) -> LiveSystem | None:
    """The live system, if a chosen check needs it and ``--no-live`` was not given."""
    from plugwright_conformance.live.system import LiveSystem  # noqa: PLC0415  # after --help

    if arguments.no_live or not any(check.live for check in chosen):
        return None
    logs = arguments.report / "logs" if arguments.report else workspace
    logs.mkdir(parents=True, exist_ok=True)
    opening = LiveSystem.open(
        arguments.bootstrap_servers,
        workspace.name,
        logs / "spark.log",
        progress.phase,
        read_spark(arguments),
    )
    return stack.enter_context(opening)


def _folder(subject: Subject, subjects: Sequence[Subject]) -> str:
    """The report folder of a subject: its location's name, and its class where several share it."""
    name = subject.given.resolve().name
    shared = [s for s in subjects if s.given.resolve().name == name]
    return name if len(shared) == 1 else f"{name}-{subject.short_name}"


CERTIFY = Command(
    name="certify",
    summary="run the conformance suite on the plugins of a location or wheel",
    epilog=_EXAMPLES,
    configure=_configure,
    run=_run,
    supervised=True,
)
