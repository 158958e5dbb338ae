"""``plugwright up``: a broker, a worker and its console on this machine, with one command."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from plugwright.cache import make_directory
from plugwright.cli._command import Command, ExitCode
from plugwright.cli._one_machine import one_machine
from plugwright.cli._output import add_json, write_json
from plugwright.cli.claim import claim_file, claimed, end_claim
from plugwright.cli.ending import Ending
from plugwright.cli.serving import begin_log, serve

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from plugwright.cli.process import RunningWorker
    from plugwright.kafka.brokers import Broker

_FORMAT = "plugwright-up/1"
_EXAMPLES = """\
examples:
  plugwright up
  plugwright up --plugin-path plugin-path file-source.properties
  plugwright up --detach
  plugwright up --stop
"""
_SUMMARY = """\
Kafka    {kafka[bootstrap.servers]} ({kafka[kind]})
REST     {rest}
console  {console}
stop it with Ctrl-C or: plugwright up --stop
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "connectors", type=Path, nargs="*", help="properties or JSON files of connectors to start"
    )
    parser.add_argument(
        "--plugin-path",
        help="directories of plugin locations, and archives, separated by commas "
        "(default: plugin-path, if that directory exists)",
    )
    parser.add_argument(
        "--port",
        type=int,
        default=8083,
        help="port of the REST API, 0 for any (default: 8083)",
    )
    parser.add_argument(
        "--kafka-port", type=int, help="port of the broker that is started (default: any free one)"
    )
    parser.add_argument(
        "--bootstrap-servers", help="a running Kafka, instead of an embedded broker"
    )
    parser.add_argument(
        "--log-level",
        default="WARNING",
        choices=["DEBUG", "INFO", "WARNING", "ERROR"],
        help="initial log level of the worker (default: WARNING)",
    )
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--detach", action="store_true", help="return once connectors are created")
    way.add_argument("--stop", action="store_true", help="stop the running instance")
    add_json(parser)


def _run(arguments: argparse.Namespace) -> int:
    if arguments.stop:
        return _stop(as_json=arguments.json)
    if arguments.detach:
        return _detach(arguments)
    return _serve(arguments, sys.stdout)


def _stop(*, as_json: bool) -> int:
    ended = end_claim(claim_file())
    if as_json:
        write_json({"ended": ended, "format": _FORMAT}, sys.stdout)
    else:
        sys.stdout.write("ended\n" if ended else "nothing runs\n")
    return ExitCode.DONE


def _detach(arguments: argparse.Namespace) -> int:
    """Serve in a new session; return when it is ready, or has failed."""
    log = make_directory(claim_file().parent) / "up.log"
    reader, writer = os.pipe()
    child = os.fork()  # still single-threaded
    if child == 0:
        os.close(reader)
        _leave_terminal(log)
        with os.fdopen(writer, "w", encoding="utf-8") as ready:
            return _serve(arguments, ready, closes=True)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as ready:
        summary = ready.read()
    if summary:
        sys.stdout.write(summary)
        return ExitCode.DONE
    # The pipe is closed before the process has explained why it ends.
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    sys.stderr.write(log.read_text("utf-8", errors="replace"))
    return code


def _leave_terminal(log: Path) -> None:
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDONLY)
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    for number, opened in enumerate((nothing, output, output)):
        os.dup2(opened, number)


def _serve(arguments: argparse.Namespace, ready: TextIO, *, closes: bool = False) -> int:
    """Run until a signal comes.

    Args:
        arguments: of the command.
        ready: receives the summary once the connectors are created.
        closes: whether it is closed then.
    """
    begin_log(arguments.log_level)
    ending = Ending()
    with ending.heeded(), claimed(claim_file()) as write, _opened(arguments) as (broker, worker):
        document = _document(broker, worker)
        write(document)
        _write_summary(document, ready, as_json=arguments.json)
        if closes:
            ready.close()
        serve(worker, ending)
    return ExitCode.DONE


@contextmanager
def _opened(arguments: argparse.Namespace) -> Iterator[tuple[Broker, RunningWorker]]:
    """Run a broker and a worker with its connectors until the block ends."""
    from plugwright.herder import read_connector_file  # noqa: PLC0415  # needs extras

    connectors = [read_connector_file(path) for path in arguments.connectors]
    with one_machine(
        plugin_path=arguments.plugin_path,
        port=arguments.port,
        kafka_port=arguments.kafka_port,
        bootstrap_servers=arguments.bootstrap_servers,
    ) as (broker, worker):
        for each in connectors:
            config = {"name": each.name, **each.config}
            worker.herder.put_connector_config(each.name, config, each.initial_state)
        yield broker, worker


def _document(broker: Broker, worker: RunningWorker) -> dict[str, object]:
    return {
        "console": f"{worker.url}/console",
        "format": _FORMAT,
        "kafka": {
            "bootstrap.servers": broker.bootstrap_servers,
            "kind": broker.kind,
            "version": broker.version,
        },
        "rest": worker.url,
    }


def _write_summary(document: Mapping[str, object], ready: TextIO, *, as_json: bool) -> None:
    if as_json:
        write_json(document, ready)
    else:
        ready.write(_SUMMARY.format(**document))
    ready.flush()


UP = Command(
    name="up",
    summary="run a broker, a worker and its console on this machine",
    epilog=_EXAMPLES,
    configure=_configure,
    run=_run,
)
