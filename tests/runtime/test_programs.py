"""Programs that are interrupted before they have done anything."""

from __future__ import annotations

import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PROJECT = Path(__file__).parents[2] / "pyproject.toml"
PROGRAM = """
import importlib, signal, sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            signal.raise_signal(signal.SIGINT)

program, _, function = {program!r}.partition(":")
run = getattr(importlib.import_module(program), function)
sys.meta_path.insert(0, Interrupt())
sys.argv[:] = {arguments!r}
run()
"""
PROGRAMS = tomllib.loads(PROJECT.read_text("utf-8"))["project"]["scripts"]


def _interrupted(program, module, *arguments):
    """Exit status and outputs of a program that is interrupted while it imports a module."""
    words = [program, *arguments]
    code = PROGRAM.format(module=module, program=PROGRAMS[program], arguments=words)
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    return ended.returncode, ended.stdout, ended.stderr


@pytest.mark.parametrize(
    "module",
    [
        "plugwright.cli",
        "plugwright.cli.parser",
        "pluggy",
        "plugwright_toolkit.commands",
        "plugwright_conformance.commands",
    ],
)
@pytest.mark.parametrize("program", sorted(PROGRAMS))
def test_an_interrupt_while_a_program_starts_is_one_line(program, module):
    """Status 130, as shells count it, and no trace; the module is one that each of them imports."""
    assert _interrupted(program, module, "--help") == (130, "", "interrupted\n")


@pytest.mark.parametrize(
    "module",
    [
        "plugwright_conformance.subject.subject",
        "plugwright_conformance.checks",
        "plugwright_conformance.report._progress",
    ],
)
def test_an_interrupt_while_a_certification_starts_is_one_line(module):
    """Whatever it had loaded by then."""
    plugin = str(PROJECT.parent / "plugin-path" / "file-sink")

    found = _interrupted("plugwright", module, "certify", plugin)
    assert found == (130, "", "interrupted\n")


def test_an_interrupt_after_the_work_is_done_ends_a_program_silently():
    """The interpreter has things of its own to do then."""
    code = (
        "import atexit, signal\n"
        "atexit.register(lambda: signal.raise_signal(signal.SIGINT))\n"
        "from plugwright._programs import plugwright\n"
        "import sys; sys.argv[:] = ['plugwright', '--version']\n"
        "plugwright()\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )

    assert (ended.returncode, ended.stderr) == (-signal.SIGINT, "")
    assert ended.stdout.startswith("plugwright 0.")
