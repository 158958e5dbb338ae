"""``plugwright plugins``: what a plugin path holds, by its manifests alone."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from plugwright.cli import Command, ExitCode

if TYPE_CHECKING:
    import argparse

    from plugwright.plugins import PluginDescriptor

__all__ = ["PLUGINS"]

_FORMAT = "plugwright-plugins/1"
_COLUMNS = ("type", "class", "version", "aliases", "location")


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="LOCATION", nargs="+", help="an element of plugin.path")
    parser.add_argument("--json", action="store_true", help="write JSON")


def _run(arguments: argparse.Namespace) -> int:
    from plugwright.plugins import Plugins  # noqa: PLC0415  # after --help

    found = Plugins.service_load(arguments.path)
    rows = [_row(plugin) for plugin in found.descriptors]
    if arguments.json:
        document = {"format": _FORMAT, "plugins": rows}
        sys.stdout.write(json.dumps(document, indent=2, sort_keys=True) + "\n")
    else:
        lines = [_COLUMNS, *([row[column] for column in _COLUMNS] for row in rows)]
        sys.stdout.writelines("\t".join(line) + "\n" for line in lines)
    for diagnostic in found.diagnostics:
        sys.stderr.write(f"{diagnostic}\n")
    return ExitCode.DONE


def _row(plugin: PluginDescriptor) -> dict[str, str]:
    return {
        "type": plugin.type.name,
        "class": plugin.class_name,
        "version": plugin.version,
        "aliases": ",".join(plugin.aliases),
        "location": str(plugin.location.path) if plugin.location else "",
    }


PLUGINS = Command(
    name="plugins",
    summary="list the plugins that the manifests of a plugin path declare",
    epilog="examples:\n  plugwright plugins plugin-path\n",
    configure=_configure,
    run=_run,
)
