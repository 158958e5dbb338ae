"""``connect-standalone`` and ``connect-distributed``, as Kafka has them."""

from __future__ import annotations

import logging
import signal
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from plugwright.cli._command import Command, ExitCode, hookimpl
from plugwright.cli._main import run_program
from plugwright.errors import SetupError
from plugwright.logs import log_formatter, redirected_output

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

    from plugwright.cli._process import RunningWorker

__all__ = ["connect_distributed", "connect_standalone", "plugwright_commands"]

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
    parser.add_argument("worker", type=Path, help="properties of the worker")
    parser.add_argument(
        "--log-level",
        default="INFO",
        choices=["DEBUG", "INFO", "WARNING", "ERROR"],
        help="what is logged at first; changed at run time by REST (default: INFO)",
    )


def _configure_standalone(parser: argparse.ArgumentParser) -> None:
    _configure(parser)
    parser.add_argument(
        "connectors", type=Path, nargs="*", help="properties or JSON of connectors to start"
    )


def _run_standalone(arguments: argparse.Namespace) -> int:
    ended = _begin(arguments)
    with _stoppable(ended):
        from plugwright.cli._process import running_worker  # noqa: PLC0415  # needs extras
        from plugwright.herder import read_connector_file, read_settings_file  # noqa: PLC0415  # needs extras

        properties = read_settings_file(arguments.worker)
        connectors = [read_connector_file(path) for path in arguments.connectors]
        with _logging(properties), running_worker(properties, distributed=False) as worker:
            for each in connectors:
                config = {"name": each.name, **each.config}
                worker.herder.put_connector_config(each.name, config, each.initial_state)
                log.info("Created connector %s", each.name)
            _serve(worker, ended)
    return ExitCode.DONE


def _run_distributed(arguments: argparse.Namespace) -> int:
    ended = _begin(arguments)
    with _stoppable(ended):
        from plugwright.cli._process import running_worker  # noqa: PLC0415  # needs extras
        from plugwright.herder import read_settings_file  # noqa: PLC0415  # needs extras

        properties = read_settings_file(arguments.worker)
        with _logging(properties), running_worker(properties, distributed=True) as worker:
            _serve(worker, ended)
    return ExitCode.DONE


def _begin(arguments: argparse.Namespace) -> threading.Event:
    """Log to standard error; an event that SIGTERM or Ctrl-C sets once the worker serves."""
    handler = logging.StreamHandler()
    handler.setFormatter(log_formatter("text"))
    logging.basicConfig(level=arguments.log_level, handlers=[handler])
    return threading.Event()


@contextmanager
def _logging(properties: Mapping[str, str]) -> Iterator[None]:
    """Log in the worker's format, with what plugins print in this process as lines of the log.

    Raises:
        ConfigError: if there is no such format.
    """
    from plugwright.herder import WORKER_CONFIG  # noqa: PLC0415  # needs extras

    kind = WORKER_CONFIG.parse_value("log.format", properties.get("log.format", "text"))
    before = [(handler, handler.formatter) for handler in logging.getLogger().handlers]
    for handler, _ in before:
        handler.setFormatter(log_formatter(str(kind).lower()))
    try:
        with redirected_output():
            yield
    finally:
        for handler, formatter in before:
            handler.setFormatter(formatter)


@contextmanager
def _stoppable(ended: threading.Event) -> Iterator[None]:
    """Take the first signal as the wish to stop, even before the worker serves.

    What has been started by then was stopped in order on the way here.
    """
    try:
        yield
    except KeyboardInterrupt:
        if ended.is_set():
            raise  # a second signal, after which nothing is in order
        log.info("Stopped while starting")


def _serve(worker: RunningWorker, ended: threading.Event) -> None:
    """Wait for a signal; a second one no longer waits for tasks to stop.

    Raises:
        SetupError: if Spark has died, for other workers can take over only from one that has gone.
    """

    def end(*_: object) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.default_int_handler)
        ended.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    log.info("Kafka Connect worker is running at %s", worker.url)
    while not ended.wait(1.0):
        if not worker.lives():
            raise SetupError(
                "Spark's JVM has ended, and this worker with it",
                code="spark.ended",
                hint="see why in the log of the machine or of Spark, and start the worker again",
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
