"""``plugwright plugin-path`` and ``connect-plugin-path``: list plugins, write manifests."""

from __future__ import annotations

import argparse

from plugwright.cli import Command, run_program
from plugwright_toolkit.commands import _list, _sync

__all__ = ["PLUGIN_PATH", "main"]

_EXAMPLES = """\
examples:
  connect-plugin-path list --plugin-path plugin-path
  connect-plugin-path list --worker-config worker.properties --json
  connect-plugin-path sync-manifests --plugin-path plugin-path --dry-run
  connect-plugin-path sync-manifests --plugin-location plugin-path/legacy-sink
"""


def main() -> None:
    """The command ``connect-plugin-path``, as Kafka has it; exits as ``plugwright`` does."""
    run_program("connect-plugin-path", "plugin-path")


def _configure(parser: argparse.ArgumentParser) -> None:
    words = parser.add_subparsers(dest="subcommand", metavar="SUBCOMMAND")
    parser.set_defaults(act=_without_subcommand, refuse=parser.error)
    for word in (_list, _sync):
        each = words.add_parser(
            word.NAME,
            help=word.SUMMARY,
            description=word.SUMMARY.capitalize() + ".",
            epilog=word.EXAMPLES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        # Suppressed, or it would override the option before the subcommand.
        each.add_argument(
            "--debug",
            action="store_true",
            default=argparse.SUPPRESS,
            help="show the stack trace of an error",
        )
        word.configure(each)
        each.set_defaults(act=word.run)


def _run(arguments: argparse.Namespace) -> int:
    code: int = arguments.act(arguments)
    return code


def _without_subcommand(arguments: argparse.Namespace) -> int:
    arguments.refuse("No subcommand specified")
    return 1


PLUGIN_PATH = Command(
    name="plugin-path",
    summary="list the plugins of a plugin path with their manifests, or write the missing ones",
    epilog=_EXAMPLES,
    configure=_configure,
    run=_run,
)
