"""The ``plugwright`` command: finds the commands, runs one, and sets the exit status."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from plugwright.cli._command import ExitCode
from plugwright.cli._completion import complete
from plugwright.cli._output import error_document, write_json
from plugwright.cli.commands import installed_commands
from plugwright.cli.parser import UsageError, parser_of, program_parser
from plugwright.cli.supervised import silence, supervised
from plugwright.errors import ConnectError, SetupError, render

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from plugwright.cli._command import Command

_REPORT = "please report it with the lines above"
_EXTRAS = {
    "argcomplete": "toolkit",
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


def main(
    arguments: Sequence[str] | None = None, commands: Mapping[str, Command] | None = None
) -> NoReturn:
    """Run the command line and exit (0 done, 1 usage, 2 explained, 3 bug, 4 found something).

    Args:
        arguments: the arguments, by default those of the process.
        commands: the commands by name, by default those of all installed packages.
    """
    if commands is None:
        commands = installed_commands()
    _run_line(parser_of(commands), commands, arguments)


def run_program(program: str, name: str, arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a program that consists of one command, like Kafka's scripts, and exit as `main` does.

    Args:
        program: its name, such as ``connect-plugin-path``.
        name: the command.
        arguments: the arguments, by default those of the process.
    """
    commands = installed_commands()
    _run_line(program_parser(program, commands[name]), commands, arguments)


def _run_line(
    parser: argparse.ArgumentParser,
    commands: Mapping[str, Command],
    arguments: Sequence[str] | None,
) -> NoReturn:
    atexit.register(gc.freeze)  # the memory that a final collection would free is not needed
    complete(parser)
    words = sys.argv[1:] if arguments is None else arguments
    try:
        parsed = parser.parse_args(words)
        code = _run_command(commands[parsed.command], parsed, is_program=arguments is None)
    except UsageError as error:
        if "--json" in words:
            _write_error(_usage(error))
        raise
    sys.exit(code)


def _run_command(command: Command, parsed: argparse.Namespace, *, is_program: bool) -> int:
    """Run a command in this process; a supervised one, as a program, in another one."""
    if not (command.supervised and is_program):
        signal.signal(signal.SIGTERM, _interrupt)
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # as nohup sets it
            signal.signal(signal.SIGHUP, _interrupt)
        return _run(command, parsed)
    if (code := supervised()) is not None:
        return code
    signal.signal(signal.SIGTERM, _interrupt_silently)
    return _run(command, parsed)


def _run(command: Command, parsed: argparse.Namespace) -> int:
    as_json = getattr(parsed, "json", False)
    try:
        code = command.run(parsed)
        sys.stdout.flush()  # here, where a closed pipe is handled
    except (ConnectError, ModuleNotFoundError) as error:
        explained = error if isinstance(error, ConnectError) else _missing_extra(error)
        if explained is None:
            return _bug(error, as_json=as_json)
        return _explain(explained, debug=parsed.debug, as_json=as_json)
    except BrokenPipeError:
        # The reader has closed our output; nothing may be written at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.DONE
    except KeyboardInterrupt as error:
        with suppress(OSError):  # the terminal may be closed
            sys.stderr.write("interrupted\n")
        return 128 + (error.args[0] if error.args else signal.SIGINT)
    except Exception as error:  # noqa: BLE001  # the last line of defence
        return _bug(error, as_json=as_json)
    return code


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


def _explain(error: ConnectError, *, debug: bool, as_json: bool) -> int:
    if debug:
        traceback.print_exception(error)
    sys.stderr.write(render(error) + "\n")
    if as_json:
        _write_error(error)
    return ExitCode.EXPLAINED


def _bug(error: Exception, *, as_json: bool) -> int:
    traceback.print_exc()
    sys.stderr.write(f"this is a bug in plugwright; {_REPORT}\n")
    if as_json:
        message = f"{type(error).__name__}: {error}"
        _write_error(ConnectError(message, code="plugwright.bug", hint=_REPORT))
    return ExitCode.BUG


def _usage(error: UsageError) -> ConnectError:
    hint = f"{error.program} --help"
    return ConnectError(error.message, code="command.usage", hint=hint)


def _write_error(error: ConnectError) -> None:
    """Write the error for a program; if the reader has gone, the exit status is enough."""
    with suppress(BrokenPipeError):
        write_json(error_document(error), sys.stdout)
        sys.stdout.flush()


def _interrupt(number: int, _: object) -> NoReturn:
    """Let a signal unwind like Ctrl-C, so that everything started is stopped."""
    raise KeyboardInterrupt(number)


def _interrupt_silently(*_: object) -> NoReturn:
    """Unwind likewise, for a supervisor that says so when everything has ended."""
    signal.signal(signal.SIGTERM, lambda *_: None)  # what is started must not inherit "ignored"
    silence()
    raise KeyboardInterrupt
