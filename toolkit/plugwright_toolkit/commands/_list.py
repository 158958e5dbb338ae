"""``plugin-path list``: every plugin of a plugin path, and whether manifests declare it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from plugwright.cli import ExitCode, add_json, write_json
from plugwright_toolkit.commands._locations import add_providers, read_providers

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence
    from typing import TextIO

    from plugwright.plugins import Diagnostic, Survey
    from plugwright_toolkit.listing import ListingRow

NAME = "list"
SUMMARY = "list plugins, whether they can be loaded, and whether manifests declare them"
EXAMPLES = """\
A terminal gets a table; anything else gets Kafka's tab-separated columns. Each module that may hold
plugins is imported in a process of its own, or with --static only read.

examples:
  connect-plugin-path list --plugin-path plugin-path
  connect-plugin-path list --plugin-location plugin-path/file-sink --json
  connect-plugin-path list --worker-config worker.properties --require-mode service_load
  connect-plugin-path list --plugin-path plugin-path --strict
"""
_FORMAT = "plugwright-plugin-path/1"
_SLOW_S = 1.0


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_providers(parser)
    add_json(parser)
    parser.add_argument(
        "--static",
        action="store_true",
        help="import nothing; whether a plugin can be loaded stays unknown",
    )
    parser.add_argument(
        "--require-mode",
        metavar="MODE",
        type=str.lower,
        choices=("hybrid_fail", "service_load"),
        help="exit with status 4 if a plugin would be lost with plugin.discovery=MODE, "
        "which is service_load or hybrid_fail",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="exit with status 4 if a plugin cannot be loaded, as a build may require",
    )
    parser.add_argument(
        "--exclude",
        metavar="PATTERN",
        action="append",
        default=[],
        help="do not look into modules or files that fit, such as 'shop.tests*'; may be repeated",
    )


def run(arguments: argparse.Namespace) -> int:
    """List the plugins; 4 if some would be lost in the required mode, or break a strict one."""
    from plugwright.plugins import survey  # noqa: PLC0415  # after --help
    from plugwright_toolkit.listing import (  # noqa: PLC0415  # after --help
        losses,
        rows_of,
        stale_entries,
        unloadable,
    )
    from plugwright_toolkit.output import fold, write  # noqa: PLC0415  # after --help

    if arguments.strict and arguments.static:
        arguments.refuse("--strict needs the imports that --static leaves out")
    locations, findings = read_providers(arguments).locations()
    imports = not arguments.static
    surveys = survey(locations, imports=imports, exclude=arguments.exclude)
    rows = [row for each in surveys for row in rows_of(each, imports=imports)]
    findings += [finding for each in surveys for finding in each.diagnostics]
    if arguments.json:
        write_json(_document(rows, findings), sys.stdout)
    else:
        _write_table(rows, sys.stdout)
    lost = losses(rows, arguments.require_mode) if arguments.require_mode else []
    stale = [] if arguments.require_mode else stale_entries(rows)  # which are among the lost
    broken = unloadable(surveys) if arguments.strict else []
    remarks = [*fold([*findings, *stale]), *_slow(surveys), *broken, *lost]
    write("".join(f"{line}\n" for line in remarks), sys.stderr)
    return ExitCode.FOUND if lost or broken else ExitCode.DONE


def _document(rows: Sequence[ListingRow], findings: Sequence[Diagnostic]) -> dict[str, object]:
    from plugwright_toolkit.listing import totals  # noqa: PLC0415  # after --help
    from plugwright_toolkit.output import diagnostic_rows  # noqa: PLC0415  # after --help

    return {
        "format": _FORMAT,
        "plugins": [row.document for row in rows],
        "totals": totals(rows),
        "diagnostics": diagnostic_rows(findings),
    }


def _write_table(rows: Sequence[ListingRow], stream: TextIO) -> None:
    """The table, an empty line and the totals, as Kafka's tool writes them."""
    from plugwright_toolkit.listing import COLUMNS, HEADINGS, totals  # noqa: PLC0415
    from plugwright_toolkit.output import tab_separated, write, write_table  # noqa: PLC0415

    if stream.isatty():
        write_table([HEADINGS, *(row.readable for row in rows)], stream, ("plugin", "location"))
    else:
        write(tab_separated([COLUMNS, *(row.cells for row in rows)]), stream)
    counts = totals(rows)
    stream.write(f"\nTotal plugins:      \t{counts['plugins']}\n")
    stream.write(f"Loadable plugins:   \t{counts['loadable']}\n")
    stream.write(f"Compatible plugins: \t{counts['compatible']}\n")


def _slow(surveys: Sequence[Survey]) -> Iterator[str]:
    """A line for each location that takes long, so that the cause can be found."""
    from plugwright_toolkit.output import printable  # noqa: PLC0415  # after --help

    for each in surveys:
        if each.seconds >= _SLOW_S:
            yield f"note: {printable(str(each.location.origin))} took {each.seconds:.1f} s"
