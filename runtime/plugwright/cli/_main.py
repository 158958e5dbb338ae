"""The ``plugwright`` command: finds the commands, runs one, and alone decides the exit status."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import traceback
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, NoReturn

import pluggy

from plugwright._version import __version__
from plugwright.cli._command import Command, CommandSpecs, ExitCode
from plugwright.errors import ConnectError, SetupError, render

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.metadata import EntryPoint

__all__ = ["main"]

_EXTRAS = {
    "confluent_kafka": "kafka",
    "orjson": "kafka",
    "pyarrow": "spark",
    "pandas": "spark",
    "pyspark": "spark",
    "starlette": "rest",
    "uvicorn": "rest",
    "cookiecutter": "toolkit",
    "cryptography": "conformance",
    "jinja2": "conformance",
    "rfc8785": "conformance",
    "rich": "conformance",
}


class _Parser(argparse.ArgumentParser):
    """A parser whose usage errors end with our own exit status."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(ExitCode.USAGE, f"{self.prog}: {message}\n")


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit (0 done, 1 usage, 2 explained, 3 bug, 4 found something)."""
    commands = _commands()
    parsed = _parser(commands).parse_args(arguments)
    signal.signal(signal.SIGTERM, _interrupt)
    sys.exit(_run(commands[parsed.command], parsed))


def _run(command: Command, parsed: argparse.Namespace) -> int:
    try:
        code = command.run(parsed)
        sys.stdout.flush()  # here, where a reader that has gone is expected
    except ConnectError as error:
        return _explain(error, debug=parsed.debug)
    except ModuleNotFoundError as error:
        missing = _missing_extra(error)
        return _bug() if missing is None else _explain(missing, debug=parsed.debug)
    except BrokenPipeError:
        # The reader of our output has enough; nothing more may be written at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.DONE
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return 128 + signal.SIGINT
    except Exception:  # noqa: BLE001  # the last line of defence
        return _bug()
    return code


def _commands() -> dict[str, Command]:
    manager = pluggy.PluginManager("plugwright")
    manager.add_hookspecs(CommandSpecs)
    for extension in entry_points(group="plugwright"):
        _load(manager, extension)
    found = [command for commands in manager.hook.plugwright_commands() for command in commands]
    return {command.name: command for command in sorted(found, key=lambda c: c.name)}


def _load(manager: pluggy.PluginManager, extension: EntryPoint) -> None:
    """Take the commands of one package; one that is broken hides no other."""
    try:
        manager.register(extension.load(), name=extension.name)
    except Exception as error:  # noqa: BLE001  # whatever a foreign package does on import
        reason = f"{type(error).__name__}: {error}"
        sys.stderr.write(f"the commands of {extension.value} are missing: {reason}\n")


def _parser(commands: dict[str, Command]) -> argparse.ArgumentParser:
    parser = _Parser(prog="plugwright", description="Package, discover and certify connectors.")
    parser.add_argument("--version", action="version", version=f"plugwright {__version__}")
    words = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in commands.values():
        word = words.add_parser(
            command.name,
            help=command.summary,
            description=command.summary.capitalize() + ".",
            epilog=command.epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        word.add_argument("--debug", action="store_true", help="show the stack with an error")
        command.configure(word)
    return parser


def _missing_extra(error: ModuleNotFoundError) -> SetupError | None:
    package = (error.name or "").partition(".")[0]
    if (extra := _EXTRAS.get(package)) is None:
        return None
    return SetupError(
        f"the package {package} is not installed",
        code="environment.package-missing",
        hint=f"pip install 'plugwright[{extra}]'",
        facts={"package": package, "extra": extra},
    )


def _explain(error: ConnectError, *, debug: bool) -> int:
    if debug:
        traceback.print_exception(error)
    sys.stderr.write(render(error) + "\n")
    return ExitCode.EXPLAINED


def _bug() -> int:
    traceback.print_exc()
    sys.stderr.write("this is a bug in plugwright; please report it with the lines above\n")
    return ExitCode.BUG


def _interrupt(*_: object) -> NoReturn:
    """Let SIGTERM unwind like Ctrl-C, so that everything that was started is stopped."""
    raise KeyboardInterrupt
