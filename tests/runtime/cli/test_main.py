"""The command line: exit statuses, usage, what is said on which stream."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from plugwright.cli import Command, ExitCode, installed_commands, main
from plugwright.cli import commands as implementation
from plugwright.errors import ConfigError

GOLDEN = Path(__file__).parents[2] / "golden" / "cli" / "help.txt"


def _run(monkeypatch, step, *arguments):
    """Run a command line whose only command does this step; its exit status."""

    def run(parsed):
        if isinstance(step, BaseException):
            raise step
        return step(parsed) if callable(step) else step

    def configure(parser):
        parser.add_argument("--count", type=int, help="how many")

    command = Command("do", "do something", configure, run, "examples:\n  plugwright do\n")
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    with pytest.raises(SystemExit) as caught:
        main(["do", *arguments], {"do": command})
    return caught.value.code


def test_the_exit_statuses_are_those_of_the_table():
    """0 done, 1 usage, 2 explained, 3 our own bug, 4 found something."""
    assert {code.name: int(code) for code in ExitCode} == {
        "DONE": 0,
        "USAGE": 1,
        "EXPLAINED": 2,
        "BUG": 3,
        "FOUND": 4,
    }


@pytest.mark.parametrize("code", [0, 4])
def test_a_commands_answer_is_the_exit_status(monkeypatch, code):
    """Done, or something found."""
    assert _run(monkeypatch, code) == code


def test_an_explained_error_is_two_lines_and_status_2(monkeypatch, capsys):
    """Code and message, then what to do; no stack."""
    error = ConfigError("topic is empty", hint="name one")
    assert _run(monkeypatch, error) == 2
    assert capsys.readouterr() == ("", "config.invalid: topic is empty\n  → name one\n")


def test_debug_shows_the_stack_of_an_explained_error(monkeypatch, capsys):
    """For whoever has to look deeper."""
    assert _run(monkeypatch, ConfigError("bad"), "--debug") == 2
    assert "Traceback" in capsys.readouterr().err


def test_any_other_error_is_our_bug_with_status_3(monkeypatch, capsys):
    """With the stack, and a request to report it."""
    assert _run(monkeypatch, ValueError("oops")) == 3
    captured = capsys.readouterr()
    assert "ValueError: oops" in captured.err
    assert captured.err.endswith("please report it with the lines above\n")


@pytest.mark.parametrize(
    ("package", "extra"),
    [("confluent_kafka.admin", "kafka"), ("pyspark", "spark"), ("orjson", "kafka")],
)
def test_a_missing_package_names_its_extra(monkeypatch, capsys, package, extra):
    """With the command that installs it."""
    error = ModuleNotFoundError("No module", name=package)
    assert _run(monkeypatch, error) == 2
    assert f"pip install 'plugwright[{extra}]'" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["plugwright.nothing", None])
def test_a_missing_module_of_our_own_is_our_bug(monkeypatch, name):
    """No extra would help."""
    assert _run(monkeypatch, ModuleNotFoundError("No module", name=name)) == 3


@pytest.mark.parametrize(
    "arguments", [["--nonsense"], ["--count", "many"]], ids=["unknown-option", "bad-value"]
)
def test_wrong_usage_is_status_1(monkeypatch, capsys, arguments):
    """Usage and reason on standard error."""
    assert _run(monkeypatch, 0, *arguments) == 1
    captured = capsys.readouterr()
    assert (captured.out, captured.err.startswith("usage: plugwright ")) == ("", True)


@pytest.mark.parametrize("arguments", [[], ["nonsense"]], ids=["none", "unknown"])
def test_no_command_and_an_unknown_one_are_wrong_usage(monkeypatch, capsys, arguments):
    """Argparse's own status would be 2."""
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert (caught.value.code, capsys.readouterr().out) == (1, "")


def test_an_interrupt_is_status_130(monkeypatch, capsys):
    """As the shell counts them."""
    assert _run(monkeypatch, KeyboardInterrupt()) == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_help_of_a_command_is_golden(monkeypatch, capsys):
    """Options, then examples."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    assert _run(monkeypatch, 0, "--help") == 0
    assert capsys.readouterr().out == GOLDEN.read_text("utf-8")


def test_commands_of_a_broken_package_hide_no_others(monkeypatch, capsys):
    """The rest works, and one line says what is missing."""

    class Extension:
        name, value = "broken", "broken.commands"

        def load(self):
            raise ImportError("no such thing")

    real = implementation.entry_points
    both = lambda group: [Extension(), *real(group=group)]  # noqa: E731  # a stand-in
    monkeypatch.setattr(implementation, "entry_points", both)
    assert "plugins" in installed_commands()
    assert "the commands of broken.commands are missing: ImportError" in capsys.readouterr().err


def test_the_version_is_printed(capsys):
    """Of the runtime."""
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out.startswith("plugwright 0.")


SCRIPT = """
import sys, time
from plugwright.cli import Command, main

def run(parsed):
    try:
        print("started", flush=True)
        {body}
    finally:
        sys.stderr.write("released\\n")
    return 0

main(["do"], {{"do": Command("do", "do it", lambda parser: None, run)}})
"""


def _process(body):
    buffered = {name: text for name, text in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(body=body)],
        env=buffered,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)]
)
def test_a_signal_unwinds_what_was_started(number, code):
    """So that Spark, brokers and connectors are stopped."""
    # In steps: a signal that comes just before Python enters a system call does not interrupt it.
    with _process("[time.sleep(0.1) for _ in range(600)]") as process:
        assert process.stdout.readline() == "started\n"
        process.send_signal(number)
        _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (code, "released\ninterrupted\n")


@pytest.mark.slow
@pytest.mark.parametrize("lines", [1, 99_999], ids=["at-exit", "while-writing"])
def test_a_reader_that_has_enough_is_no_error(lines):
    """`plugwright … | head -1` ends quietly, however much is still to come."""
    body = f"time.sleep(0.3); [print('x') for _ in range({lines})]"
    with _process(body) as process:
        assert process.stdout.readline() == "started\n"
        process.stdout.close()
        errors = process.stderr.read()
    assert (process.returncode, errors) == (0, "released\n")


def test_the_end_of_a_command_searches_no_garbage():
    """What the interpreter would look through is frozen by then."""
    said = (
        "import atexit, gc\n"
        "from plugwright.cli import main\n"
        "atexit.register(lambda: print(gc.get_freeze_count() > 1000))\n"
        "main(['--version'])\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", said], capture_output=True, text=True, timeout=120, check=True
    )
    assert ended.stdout.splitlines()[-1] == "True"
