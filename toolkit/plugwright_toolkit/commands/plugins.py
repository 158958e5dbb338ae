"""``plugwright plugins``: lists the plugins that configurations can name, with Java names."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from plugwright.cli import Command, ExitCode, add_json, write_json

if TYPE_CHECKING:
    import argparse

    from plugwright.plugins import PluginDescriptor

__all__ = ["PLUGINS"]

_FORMAT = "plugwright-plugins/1"
_EXAMPLES = """\
examples:
  plugwright plugins plugin-path
  plugwright plugins plugin-path --json
"""
_COLUMNS = ("type", "class", "version", "aliases", "java class", "location")


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="LOCATION", nargs="*", help="an element of plugin.path")
    add_json(parser)


def _run(arguments: argparse.Namespace) -> int:
    from plugwright.plugins import Plugins  # noqa: PLC0415  # after --help
    from plugwright_toolkit.output import diagnostic_rows, tab_separated, write  # noqa: PLC0415

    found = Plugins.service_load(arguments.path)
    rows = [_row(plugin) for plugin in (*found.descriptors, *found.builtin)]
    if arguments.json:
        findings = diagnostic_rows(found.diagnostics)
        write_json({"format": _FORMAT, "plugins": rows, "diagnostics": findings}, sys.stdout)
    else:
        lines = [_COLUMNS, *([row[column] for column in _COLUMNS] for row in rows)]
        write(tab_separated(lines), sys.stdout)
    for diagnostic in found.diagnostics:
        sys.stderr.write(f"{diagnostic}\n")
    return ExitCode.DONE


def _row(plugin: PluginDescriptor) -> dict[str, str]:
    return {
        "type": plugin.type.name,
        "class": plugin.class_name,
        "version": plugin.version,
        "aliases": ",".join(plugin.aliases),
        "java class": plugin.java_name,
        "location": str(plugin.location.origin) if plugin.location else "built in",
    }


PLUGINS = Command(
    name="plugins",
    summary="list the plugins of a plugin path and the built-in ones, with their Java names",
    epilog=_EXAMPLES,
    configure=_configure,
    run=_run,
)
