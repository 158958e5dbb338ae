"""Somebody who has a wheel of Plugwright, and neither a checkout nor its environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import distribution
from pathlib import Path
from shlex import quote

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

__all__ = ["linked", "needed", "networked", "offered", "outputs_of"]

PACKAGES = Path("lib") / f"python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
_OF_INSTALLERS = {"INSTALLER", "REQUESTED", "direct_url.json"}
_KEPT = ("PIP_", "HTTP", "SSL_", "REQUESTS_")


def needed(*names):
    """The installed distributions that requirements lead to, by name, but plugwright itself."""
    found, seen = {}, set()
    waiting = [Requirement(name) for name in names]
    while waiting:
        asked = waiting.pop()
        name = canonicalize_name(asked.name)
        found[name] = distribution(name)
        for extra in {(name, each) for each in asked.extras | {""}} - seen:
            seen.add(extra)
            waiting += _requirements(found[name], extra[1])
    found.pop("plugwright", None)
    return found


def _requirements(installed, extra):
    asked = [Requirement(line) for line in installed.requires or ()]
    return [each for each in asked if not each.marker or each.marker.evaluate({"extra": extra})]


def linked(distributions, environment):
    """Put distributions into an environment to be, as copies that take no room where they can."""
    for installed in distributions.values():
        for file in _files(installed):
            place = Path(os.path.normpath(environment / PACKAGES / file))
            place.parent.mkdir(parents=True, exist_ok=True)
            (_script if place.parent.name == "bin" else _link)(Path(file.locate()), place)


def _files(installed):
    return [file for file in installed.files or () if Path(file.locate()).is_file()]


def _link(file, place):
    try:
        os.link(file, place)
    except OSError:  # another disk
        shutil.copy2(file, place)


def _script(file, place):
    """A copy that runs on the Python of its own environment."""
    first, end, rest = file.read_bytes().partition(b"\n")
    if first.startswith(b"#!") and b"python" in first:
        first = f"#!{place.parent}/python".encode()
    place.write_bytes(first + end + rest)
    place.chmod(0o755)


def offered(distributions, directory):
    """Make wheels of installed distributions, in the directories of a package index."""
    for name, installed in distributions.items():
        (directory / name).mkdir(parents=True)
        stem = f"{name.replace('-', '_')}-{installed.version}"
        with zipfile.ZipFile(directory / name / f"{stem}-py3-none-any.whl", "w") as wheel:
            for file in _files(installed):
                made = file.parts[0] == ".." or file.suffix == ".pyc"
                if not made and file.name not in _OF_INSTALLERS:
                    wheel.write(file.locate(), str(file))
    return directory


def outputs_of(steps, home, notes, **variables):
    """What each step prints, typed one after the other in one shell until one fails.

    Args:
        steps: for the shell.
        home: the directory to begin in.
        notes: a directory for the outputs.
        variables: beside those that everybody has.
    """
    programs = _programs(notes / "bin")
    typed = [f"exec > {quote(str(notes / str(n)))} 2>&1\n{step}" for n, step in enumerate(steps)]
    subprocess.run(
        ["bash", "-eu", "-o", "pipefail", "-c", "\n".join(typed)],  # noqa: S607  # as readers have
        cwd=home,
        env={"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(home), **variables},
        stdin=subprocess.DEVNULL,
        check=False,
    )
    outputs = [notes / str(number) for number in range(len(steps))]
    return [output.read_text("utf-8") for output in outputs if output.exists()]


def networked():
    """What leads pip to an index, for this user."""
    found = {name: value for name, value in os.environ.items() if name.startswith(_KEPT)}
    return {**found, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def _programs(directory):
    """A directory with the Python that this one was installed from, and nothing of it."""
    directory.mkdir()
    python = directory / "python3"
    python.write_text(f'#!/bin/sh\nexec {quote(sys._base_executable)} "$@"\n')
    python.chmod(0o755)
    return directory
