"""``plugwright plugins``: what may be named in a configuration, and what Java calls it."""

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
_COLUMNS = ("type", "class", "version", "aliases", "java class", "location")


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="LOCATION", nargs="*", help="an element of plugin.path")
    parser.add_argument("--json", action="store_true", help="write JSON")


def _run(arguments: argparse.Namespace) -> int:
    from plugwright.plugins import Plugins  # noqa: PLC0415  # after --help

    found = Plugins.service_load(arguments.path)
    rows = [_row(plugin) for plugin in (*found.descriptors, *found.builtin)]
    if arguments.json:
        document = {"format": _FORMAT, "plugins": rows}
        sys.stdout.write(json.dumps(document, indent=2, sort_keys=True) + "\n")
    else:
        lines = [_COLUMNS, *([row[column] for column in _COLUMNS] for row in rows)]
        sys.stdout.writelines("\t".join(map(_printable, line)) + "\n" for line in lines)
    for diagnostic in found.diagnostics:
        sys.stderr.write(_printable(str(diagnostic)) + "\n")
    return ExitCode.DONE


def _printable(text: str) -> str:
    """Text of foreign files without what would break a table or steer a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


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
    epilog="examples:\n  plugwright plugins plugin-path\n",
    configure=_configure,
    run=_run,
)
