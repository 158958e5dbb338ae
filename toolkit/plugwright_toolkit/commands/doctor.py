"""``plugwright doctor``: checks the environment, and suggests fixes."""

from __future__ import annotations

import re
import sys
from functools import partial
from typing import TYPE_CHECKING

from plugwright.cli import Command, ExitCode, add_json, write_json
from plugwright_toolkit.commands._locations import add_providers, read_providers

if TYPE_CHECKING:
    import argparse

    from plugwright_toolkit.checkup import EnvironmentCheck, EnvironmentFinding
    from plugwright_toolkit.commands._locations import Providers

__all__ = ["DOCTOR"]

_FORMAT = "plugwright-doctor/1"
_BROKER_SECONDS = 5.0
_BROKER_HINT = "start that broker or correct the address"
_REST_PORT = 8083
_LISTENER = re.compile(r":(\d+)\s*(?:,|$)")
_EXAMPLES = """\
Exit status: 0 if nothing stands in the way of a worker; 4 if something does.

examples:
  plugwright doctor
  plugwright doctor --worker-config worker.properties
  plugwright doctor --bootstrap-server localhost:9092 --json
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    add_providers(parser)
    parser.add_argument(
        "--bootstrap-server", metavar="HOST:PORT", help="a Kafka that has to answer"
    )
    add_json(parser)


def _run(arguments: argparse.Namespace) -> int:
    from plugwright_toolkit.checkup import Condition, examine  # noqa: PLC0415  # after --help
    from plugwright_toolkit.output import write  # noqa: PLC0415  # after --help

    providers = read_providers(arguments, required=False)
    findings = examine(_checks(providers, arguments.bootstrap_server))
    if arguments.json:
        document = {"format": _FORMAT, "checks": [_document(each) for each in findings]}
        write_json(document, sys.stdout)
    else:
        write("".join(f"{_line(each)}\n" for each in findings), sys.stdout)
    failed = any(each.condition is Condition.FAIL for each in findings)
    return ExitCode.FOUND if failed else ExitCode.DONE


def _checks(providers: Providers, bootstrap_server: str | None) -> list[EnvironmentCheck]:
    """The checks of the machine, and of what the options name."""
    from plugwright_toolkit import checkup  # noqa: PLC0415  # after --help

    worker = providers.worker
    ports = map(int, _LISTENER.findall(worker.get("listeners", "")))
    checks = [
        checkup.EnvironmentCheck("python", checkup.python),
        checkup.EnvironmentCheck("extras", checkup.extras),
        checkup.EnvironmentCheck("java", checkup.java),
        checkup.EnvironmentCheck("cache", checkup.cache),
        checkup.EnvironmentCheck("kafka", checkup.distribution),
        checkup.EnvironmentCheck("spark workers", checkup.worker_python),
        checkup.EnvironmentCheck("docker", checkup.docker),
        checkup.EnvironmentCheck("databases", checkup.databases),
        checkup.EnvironmentCheck("rest port", partial(checkup.port, next(ports, _REST_PORT))),
        checkup.EnvironmentCheck("memory", checkup.memory),
        checkup.EnvironmentCheck("temporary", checkup.temporary),
        checkup.EnvironmentCheck("confinement", checkup.confined),
    ]
    if worker:
        checks.append(checkup.EnvironmentCheck("settings", partial(checkup.settings, worker)))
    if elements := [*providers.elements, *map(str, providers.single)]:
        checks.append(
            checkup.EnvironmentCheck("plugin path", partial(checkup.plugin_path, elements))
        )
    if servers := bootstrap_server or worker.get("bootstrap.servers"):
        ask = partial(checkup.broker, servers, worker)
        checks.append(
            checkup.EnvironmentCheck(
                "broker", ask, _BROKER_SECONDS, checkup.Condition.FAIL, _BROKER_HINT
            )
        )
    return checks


def _line(finding: EnvironmentFinding) -> str:
    from plugwright_toolkit.output import printable  # noqa: PLC0415  # after --help

    hint = f" → {finding.hint}" if finding.hint else ""
    text = printable(f"{finding.name}: {finding.found}{hint}")
    return f"{finding.condition.value:<4}  {text}"


def _document(finding: EnvironmentFinding) -> dict[str, str]:
    return {
        "name": finding.name,
        "condition": finding.condition.value,
        "found": finding.found,
        "hint": finding.hint,
    }


DOCTOR = Command(
    name="doctor",
    summary="show what is wrong with the environment, and how to fix it",
    epilog=_EXAMPLES,
    configure=_configure,
    run=_run,
)
