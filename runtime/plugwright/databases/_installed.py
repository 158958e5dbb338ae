"""Finds the database servers that are installed."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from plugwright.databases._system import DatabaseSystem

_ASK_S = 20.0
_VERSION = re.compile(r"\d+(?:\.\d+)+")


@dataclass(frozen=True, slots=True)
class DatabaseServer:
    """An installed server that answered when asked for its version.

    Attributes:
        system: the kind of server.
        version: such as ``15.18``.
        programs: paths of the server, of what makes its directory, and of the client.
        source: where it was found.
    """

    system: DatabaseSystem
    version: str
    programs: tuple[str, ...]
    source: str

    def __str__(self) -> str:
        return f"{self.system.name} {self.version}"


def installed_servers(
    system: DatabaseSystem, environ: Mapping[str, str] = os.environ
) -> list[DatabaseServer]:
    """The servers of a system that can be started by this user, the newest first."""
    found = {each.programs[0]: each for each in _found(system, environ)}
    return sorted(found.values(), key=_newest, reverse=True)


def _found(system: DatabaseSystem, environ: Mapping[str, str]) -> Iterator[DatabaseServer]:
    for source, folders in system.folders(environ):
        paths = [shutil.which(name, path=folders) for name in system.programs]
        programs = tuple(os.path.realpath(path) for path in paths if path)
        if len(programs) < len(paths) or not _may_run(system, programs):
            continue
        if version := _version(programs[0]):
            yield DatabaseServer(system, version, programs, source)


def _may_run(system: DatabaseSystem, programs: tuple[str, ...]) -> bool:
    """Whether the user who runs the server reaches it, where that is not this one."""
    if not system.own_user or os.geteuid():
        return True
    folders = {folder for each in programs for folder in Path(each).parents}
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in folders)


def _version(server: str) -> str:
    """The version that a server tells; empty if it tells none."""
    try:
        told = subprocess.run(  # noqa: S603  # asking an installed server is the point
            [server, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_ASK_S,
            check=True,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return ""
    found = _VERSION.search(told)
    return found[0] if found else ""


def _newest(server: DatabaseServer) -> tuple[int, ...]:
    return tuple(map(int, server.version.split(".")))
