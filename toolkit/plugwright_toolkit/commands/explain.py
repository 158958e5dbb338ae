"""``plugwright explain``: explains why a plugin is missing, and how to fix it."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from plugwright.cli import (
    Command,
    ExitCode,
    add_json,
    completed_by,
    worker_misspellings,
    write_json,
)
from plugwright_toolkit.commands._locations import add_providers, plugin_names, read_providers

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from plugwright_toolkit.explaining import Explanation

__all__ = ["EXPLAIN"]

_FORMAT = "plugwright-explain/1"
_EXAMPLES = """\
Exit status: 0 if a worker can use the plugin in its plugin.discovery mode, which is hybrid_warn
unless a worker configuration says otherwise; 4 if it cannot.

examples:
  plugwright explain LegacySink --plugin-path plugin-path
  plugwright explain legacy_sink.connector.LegacySinkConnector --worker-config worker.properties
  plugwright explain FileStreamSource --plugin-location plugin-path/file-source --json
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    name = parser.add_argument(
        "name", metavar="NAME", help="class name, Java class name, alias or name of an entry point"
    )
    completed_by(name, plugin_names)
    add_providers(parser)
    parser.add_argument(
        "--plugin-version",
        metavar="REQUIREMENT",
        help="which versions will do, as in connector.plugin.version: 1.9, >=1.0,<2.0, [1.0,2.0)",
    )
    add_json(parser)


def _run(arguments: argparse.Namespace) -> int:
    from plugwright.plugins import DiscoveryMode  # noqa: PLC0415  # after --help
    from plugwright_toolkit.explaining import explain  # noqa: PLC0415  # after --help
    from plugwright_toolkit.output import write  # noqa: PLC0415  # after --help

    providers = read_providers(arguments, required=False)
    mode = DiscoveryMode.parse(providers.worker.get("plugin.discovery", "hybrid_warn"))
    locations, findings = providers.locations(fail_fast=False)
    _warn(providers.worker)
    explanation = explain(arguments.name, locations, findings, mode, arguments.plugin_version)
    if arguments.json:
        write_json(_document(explanation), sys.stdout)
    else:
        write("".join(f"{line}\n" for line in _lines(explanation)), sys.stdout)
    return ExitCode.DONE if explanation.usable else ExitCode.FOUND


def _warn(worker: Mapping[str, str]) -> None:
    """Warn of misspelt settings, which may be the reason why the plugin is missing."""
    if worker:
        with suppress(ModuleNotFoundError):  # without the extras of a worker
            sys.stderr.write("".join(f"warning: {line}\n" for line in worker_misspellings(worker)))


def _lines(explanation: Explanation) -> Iterator[str]:
    from plugwright_toolkit.output import printable  # noqa: PLC0415  # after --help

    yield printable(explanation.name) + (
        f" is {printable(explanation.plugin)}" if explanation.plugin else ""
    )
    for link in explanation.links:
        yield f"  {link.state.value:<11}  {link.name:<11}  {printable(link.found)}".rstrip()
    yield f"→ {printable(explanation.action)}"


def _document(explanation: Explanation) -> dict[str, object]:
    links = [
        {"link": link.name, "state": link.state.value, "found": link.found, "hint": link.hint}
        for link in explanation.links
    ]
    return {
        "format": _FORMAT,
        "name": explanation.name,
        "plugin": explanation.plugin or None,
        "links": links,
        "mode": explanation.mode.value,
        "modes": [mode.value for mode in explanation.modes],
        "usable": explanation.usable,
        "action": explanation.action,
    }


EXPLAIN = Command(
    name="explain",
    summary="explain why a plugin is not there, and what to do about it",
    epilog=_EXAMPLES,
    configure=_configure,
    run=_run,
)
