"""Projects made from the template, one of each kind, and machines that have plugwright only."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from functools import cache
from pathlib import Path

import pytest

from plugwright_templates import KINDS
from plugwright_toolkit.scaffold import Answers, generate

ROOT = Path(__file__).parents[2]


class Machine:
    """An environment with plugwright in it, and a directory to work in."""

    def __init__(self, directory):
        self.home = directory
        self._scripts = directory / "venv" / "bin"

    def run(self, *command, at=".", **variables):
        """Run a command of the environment; standard output, after a good end."""
        clean = {"PATH": os.environ["PATH"], "HOME": str(self.home), **variables}
        done = subprocess.run(
            [self._scripts / command[0], *command[1:]],
            cwd=self.home / at,
            env=clean,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def _machine(directory, *installed):
    """One that has what is installed, and the other packages of this environment."""
    venv.create(directory / "venv", symlinks=True)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    others = directory / "venv" / "lib" / version / "site-packages" / "others.pth"
    others.write_text(f"{sysconfig.get_path('purelib')}\n")
    python = directory / "venv" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--no-deps"]
    # An installation that others.pth leads to is not one to replace.
    command = [*pip, "--ignore-installed", "--no-build-isolation", *installed]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return Machine(directory)


@pytest.fixture(scope="session")
def machine(tmp_path_factory):
    """Has the wheel of this checkout."""
    directory = tmp_path_factory.mktemp("machine")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", directory]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    return _machine(directory, *directory.glob("*.whl"))


@pytest.fixture(scope="session")
def editable(tmp_path_factory):
    """Has this checkout, as it stands and goes."""
    return _machine(tmp_path_factory.mktemp("editable"), "--editable", ROOT)


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """Makes a project, the first time that it is requested; no test may change it."""

    @cache
    def made(kind, name=None, license_="Apache-2.0", delivery="at-least-once", batches="records"):
        directory = tmp_path_factory.mktemp("made")
        said = (f"A {kind} for tests", "Ada", license_, delivery, batches)
        return generate(Answers(name or f"shop-{kind}", kind, *said), directory)

    return made


@pytest.fixture(scope="session", params=KINDS)
def project(made, request):
    """A project of each kind."""
    return made(request.param)
