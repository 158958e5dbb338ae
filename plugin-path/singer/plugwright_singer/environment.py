"""Locates the program: in a virtual environment, on the PATH, or at a path."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright import ConfigError, ConnectError
from plugwright_singer.run import Command, environment_of
from plugwright_singer.settings import (
    DIRECTORY,
    ENVIRONMENT,
    EXECUTABLE,
    INSTALL,
    mask_of,
    program_config,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugwright import AbstractConfig

__all__ = ["command_of", "program_name", "program_path"]

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)")
_MARK = ".plugwright-installed"
_SAID = 2000


def program_name(requirement: str) -> str:
    """The name that a requirement begins with, which is that of its program as a rule."""
    found = _REQUIREMENT.match(requirement)
    return found.group(1) if found else requirement


def command_of(settings: AbstractConfig, setting: str, *, installs: bool = True) -> Command:
    """The program with its configuration.

    Args:
        settings: the connector's.
        setting: the one that names the program or its requirement.
        installs: whether the program may be installed.

    Raises:
        ConfigError: if there is no such program, or its configuration cannot be read.
        ConnectError: if it cannot be installed.
    """
    config = program_config(settings)
    return Command(
        program_path(settings, setting, installs=installs),
        {"--config": config},
        mask_of(settings, config),
        directory=settings.get(DIRECTORY),
    )


def program_path(settings: AbstractConfig, setting: str, *, installs: bool = True) -> str:
    """The path of the program, which is installed before if that is asked for.

    Raises:
        ConfigError: if there is no such program.
        ConnectError: if it cannot be installed.
    """
    requirement = settings.get_string(setting)
    environment: str | None = settings.get(ENVIRONMENT)
    if environment and installs and settings.get_boolean(INSTALL):
        _install(requirement, Path(environment))
    name = settings.get(EXECUTABLE) or program_name(requirement)
    places = str(Path(environment) / "bin") if environment else os.environ.get("PATH", "")
    found = shutil.which(name, path=places)
    if found is None:
        raise ConfigError(
            f"there is no program {name} that can be run in {places}",
            code="singer.no-program",
            hint=f"install it there, or set {ENVIRONMENT} and {INSTALL}, or {EXECUTABLE}",
            facts={"program": name, "places": places},
        )
    return str(Path(found).absolute())


def _install(requirement: str, environment: Path) -> None:
    """Create the environment with the requirement, once, even if other processes do so too."""
    with _locked(environment, requirement):
        mark = environment / _MARK
        if mark.is_file() and mark.read_text("utf-8") == requirement:
            return
        _run([sys.executable, "-m", "venv", str(environment)], requirement, environment)
        pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "--no-input"]
        _run([*pip, "--disable-pip-version-check", "--", requirement], requirement, environment)
        mark.write_text(requirement, "utf-8")


@contextlib.contextmanager
def _locked(environment: Path, requirement: str) -> Iterator[None]:
    """Make the directory, and hold it against other installations."""
    with contextlib.ExitStack() as stack:
        try:
            environment.mkdir(parents=True, exist_ok=True)
            lock = stack.enter_context((environment / ".plugwright-lock").open("w"))
        except OSError as error:
            raise _not_installed(requirement, environment, str(error.strerror)) from error
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _run(command: list[str], requirement: str, environment: Path) -> None:
    done = subprocess.run(  # noqa: S603  # the operator asked for it
        command, check=False, capture_output=True, stdin=subprocess.DEVNULL, env=environment_of()
    )
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()[-_SAID:]
        raise _not_installed(requirement, environment, said)


def _not_installed(requirement: str, environment: Path, reason: str) -> ConnectError:
    return ConnectError(
        f"{requirement} cannot be installed into {environment}: {reason}",
        code="singer.cannot-install",
        hint="install it yourself with pip, which shows more",
        facts={"requirement": requirement, "environment": str(environment)},
    )
