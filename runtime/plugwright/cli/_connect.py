"""``connect-standalone`` and ``connect-distributed``, like Kafka's scripts."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from plugwright.cli._command import Command, ExitCode, hookimpl
from plugwright.cli._demo import DEMO
from plugwright.cli._main import run_program
from plugwright.cli._up import UP
from plugwright.cli.ending import Ending
from plugwright.cli.serving import begin_log, serve, worker_log

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

log = logging.getLogger("plugwright.worker")


def connect_standalone() -> NoReturn:
    """The command ``connect-standalone``."""
    run_program("connect-standalone", "connect-standalone")


def connect_distributed() -> NoReturn:
    """The command ``connect-distributed``."""
    run_program("connect-distributed", "connect-distributed")


@hookimpl
def plugwright_commands() -> Sequence[Command]:
    """The commands that run workers."""
    return [STANDALONE, DISTRIBUTED, DEMO, UP]


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("worker", type=Path, help="properties file of the worker")
    parser.add_argument(
        "--log-level",
        default="INFO",
        choices=["DEBUG", "INFO", "WARNING", "ERROR"],
        help="initial log level; the REST API can change it at run time (default: INFO)",
    )


def _configure_standalone(parser: argparse.ArgumentParser) -> None:
    _configure(parser)
    parser.add_argument(
        "connectors", type=Path, nargs="*", help="properties or JSON files of connectors to start"
    )


def _run_standalone(arguments: argparse.Namespace) -> int:
    begin_log(arguments.log_level)
    ending = Ending()
    with ending.heeded():
        from plugwright.cli.process import running_worker  # noqa: PLC0415  # needs extras
        from plugwright.config import HiddenTexts  # noqa: PLC0415  # after --help
        from plugwright.herder import read_connector_file, read_settings_file  # noqa: PLC0415  # needs extras

        properties = read_settings_file(arguments.worker)
        connectors = [read_connector_file(path) for path in arguments.connectors]
        hidden = HiddenTexts()
        with (
            hidden.in_errors(),
            worker_log(properties, hidden),
            running_worker(properties, distributed=False, hidden=hidden) as worker,
        ):
            for each in connectors:
                config = {"name": each.name, **each.config}
                worker.herder.put_connector_config(each.name, config, each.initial_state)
                log.info("Created connector %s", each.name)
            serve(worker, ending)
    return ExitCode.DONE


def _run_distributed(arguments: argparse.Namespace) -> int:
    begin_log(arguments.log_level)
    ending = Ending()
    with ending.heeded():
        from plugwright.cli.process import running_worker  # noqa: PLC0415  # needs extras
        from plugwright.config import HiddenTexts  # noqa: PLC0415  # after --help
        from plugwright.herder import read_settings_file  # noqa: PLC0415  # needs extras

        properties = read_settings_file(arguments.worker)
        hidden = HiddenTexts()
        with (
            hidden.in_errors(),
            worker_log(properties, hidden),
            running_worker(properties, distributed=True, hidden=hidden) as worker,
        ):
            serve(worker, ending)
    return ExitCode.DONE


STANDALONE = Command(
    name="connect-standalone",
    summary="run connectors in this process alone",
    epilog="example:\n  connect-standalone worker.properties file-source.properties\n",
    configure=_configure_standalone,
    run=_run_standalone,
)
DISTRIBUTED = Command(
    name="connect-distributed",
    summary="run connectors together with the other workers of a group",
    epilog="example:\n  connect-distributed worker.properties\n",
    configure=_configure,
    run=_run_distributed,
)
