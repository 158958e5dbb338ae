"""``connect-standalone`` and ``connect-distributed``, like Kafka's scripts."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from plugwright.cli._command import Command, ExitCode, hookimpl
from plugwright.cli._ending import Ending
from plugwright.cli._main import run_program
from plugwright.errors import SetupError
from plugwright.logs import log_formatter, redirected_output

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

    from plugwright.cli._process import RunningWorker
    from plugwright.config import HiddenTexts

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
    return [STANDALONE, DISTRIBUTED]


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
    _begin(arguments)
    ending = Ending()
    with ending.heeded():
        from plugwright.cli._process import running_worker  # noqa: PLC0415  # needs extras
        from plugwright.config import HiddenTexts  # noqa: PLC0415  # after --help
        from plugwright.herder import read_connector_file, read_settings_file  # noqa: PLC0415  # needs extras

        properties = read_settings_file(arguments.worker)
        connectors = [read_connector_file(path) for path in arguments.connectors]
        hidden = HiddenTexts()
        with (
            hidden.in_errors(),
            _logging(properties, hidden),
            running_worker(properties, distributed=False, hidden=hidden) as worker,
        ):
            for each in connectors:
                config = {"name": each.name, **each.config}
                worker.herder.put_connector_config(each.name, config, each.initial_state)
                log.info("Created connector %s", each.name)
            _serve(worker, ending)
    return ExitCode.DONE


def _run_distributed(arguments: argparse.Namespace) -> int:
    _begin(arguments)
    ending = Ending()
    with ending.heeded():
        from plugwright.cli._process import running_worker  # noqa: PLC0415  # needs extras
        from plugwright.config import HiddenTexts  # noqa: PLC0415  # after --help
        from plugwright.herder import read_settings_file  # noqa: PLC0415  # needs extras

        properties = read_settings_file(arguments.worker)
        hidden = HiddenTexts()
        with (
            hidden.in_errors(),
            _logging(properties, hidden),
            running_worker(properties, distributed=True, hidden=hidden) as worker,
        ):
            _serve(worker, ending)
    return ExitCode.DONE


def _begin(arguments: argparse.Namespace) -> None:
    """Log to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(log_formatter("text"))
    logging.basicConfig(level=arguments.log_level, handlers=[handler])


@contextmanager
def _logging(properties: Mapping[str, str], hidden: HiddenTexts) -> Iterator[None]:
    """Log in the worker's format, including what plugins print in this process.

    Known secrets are replaced in every line.

    Raises:
        ConfigError: if there is no such format.
    """
    from plugwright.herder import WORKER_CONFIG  # noqa: PLC0415  # needs extras

    kind = WORKER_CONFIG.parse_value("log.format", properties.get("log.format", "text"))
    before = [(handler, handler.formatter) for handler in logging.getLogger().handlers]
    for handler, _ in before:
        handler.setFormatter(log_formatter(str(kind).lower(), hidden.hide))
    try:
        with redirected_output():
            yield
    finally:
        for handler, formatter in before:
            handler.setFormatter(formatter)


def _serve(worker: RunningWorker, ending: Ending) -> None:
    """Wait for a signal.

    Raises:
        SetupError: if Spark has died. Other workers can only take over from a worker that has
            ended.
    """
    ending.serve()
    log.info("Kafka Connect worker is running at %s", worker.url)
    while not ending.wait(1.0):
        if not worker.lives():
            raise SetupError(
                "Spark's JVM has ended, and this worker with it",
                code="spark.ended",
                hint="read the log of the machine or of Spark, and start the worker again",
            )
    log.info("Stopping")


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
