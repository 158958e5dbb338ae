"""Command line parsers with near matches for misspelt words and our own exit status."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from plugwright._version import __version__
from plugwright.cli._command import ExitCode

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from plugwright.cli._command import Command

_MOST = 3


class UsageError(SystemExit):
    """Wrong usage, already reported on standard error; ends the process with status 1.

    Attributes:
        message: what is wrong.
        program: the command that was used wrongly, such as ``plugwright explain``.
    """

    def __init__(self, program: str, message: str) -> None:
        super().__init__(int(ExitCode.USAGE))
        self.program = program
        self.message = message


class _Parser(argparse.ArgumentParser):
    """A parser that suggests near matches.

    A command's own parser parses every word after the command, so that an unknown option shows
    the command's usage and not that of ``plugwright``.
    """

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        sys.stderr.write(f"{self.prog}: {message}\n")
        raise UsageError(self.prog, message)

    def parse_known_args(  # type: ignore[override]  # its overloads differ in the namespace's type
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        found, rest = super().parse_known_args(args, namespace)
        if rest:
            near = _near((word.partition("=")[0] for word in rest), self._option_string_actions)
            self.error(f"unrecognized arguments: {' '.join(rest)}{near}")
        return found, rest

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a word that is not a choice, with near matches and how to list the rest."""
        if action.choices is None or value in action.choices:
            return
        choices = [str(choice) for choice in action.choices]
        rest = f"; {self.prog} --help lists them" if isinstance(value, str) else ""
        more = _near([str(value)], choices) or f" (choose from {', '.join(choices)})"
        words = isinstance(action, argparse._SubParsersAction)  # noqa: SLF001  # has no public name
        raise argparse.ArgumentError(
            action, f"invalid choice: {value!r}{more}{rest if words and '?' in more else ''}"
        )


def parser_of(commands: Mapping[str, Command]) -> argparse.ArgumentParser:
    """The parser of ``plugwright``, with a subparser for each command."""
    parser = _Parser(prog="plugwright", description="Package, discover and certify connectors.")
    parser.add_argument("--version", action="version", version=f"plugwright {__version__}")
    words = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in commands.values():
        _configure(words.add_parser(command.name, help=command.summary, **_texts(command)), command)
    return parser


def program_parser(program: str, command: Command) -> argparse.ArgumentParser:
    """The parser of a program that consists of one command."""
    parser = _Parser(prog=program, **_texts(command))
    parser.set_defaults(command=command.name)
    _configure(parser, command)
    return parser


def _texts(command: Command) -> dict[str, Any]:
    return {
        "description": command.summary.capitalize() + ".",
        "epilog": command.epilog,
        "formatter_class": argparse.RawDescriptionHelpFormatter,
    }


def _configure(parser: argparse.ArgumentParser, command: Command) -> None:
    parser.add_argument("--debug", action="store_true", help="show the stack trace of an error")
    command.configure(parser)


def _near(words: Iterable[str], known: Collection[str]) -> str:
    """The suggestion after an error, for the first word that resembles a known one."""
    from difflib import get_close_matches  # noqa: PLC0415  # for this error only

    for word in words:
        if near := get_close_matches(word, known, _MOST):
            return f"; did you mean {' or '.join(near)}?"
    return ""
