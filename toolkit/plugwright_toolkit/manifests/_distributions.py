"""The distributions of a directory: which owns a module, and whether it can be edited."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.plugins import Owners
from plugwright_toolkit.manifests._files import RECORD_LIMIT, content_of
from plugwright_toolkit.record import SIGNATURES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from plugwright.plugins import Location

_MANAGERS = frozenset(
    "apk apt brew conda debian dnf dpkg guix mamba nix pacman portage rpm yum zypper".split()  # noqa: SIM905  # one line
)
"""INSTALLER values of package managers that own their files."""

_SMALL_LIMIT = 1 << 16


@dataclass(frozen=True, slots=True)
class Distribution:
    """One metadata directory.

    Attributes:
        directory: its path below the location.
        record: the content of its RECORD; ``None`` if it has none.
        protections: codes of the reasons why its manifest cannot be edited.
    """

    directory: Path
    record: bytes | None
    protections: tuple[str, ...]

    @property
    def editable(self) -> bool:
        """Whether it is only a pointer to a source tree elsewhere (PEP 660)."""
        try:
            origin = json.loads(_text(self.directory / "direct_url.json"))
            return origin["dir_info"]["editable"] is True
        except (ValueError, KeyError, TypeError):
            return False

    @property
    def is_egg(self) -> bool:
        """Whether it is metadata of setuptools' older kind, which has no RECORD."""
        return _is_egg(self.directory)

    @property
    def signatures(self) -> list[Path]:
        """Files that sign RECORD, which an edit makes void."""
        return _signatures(self.directory)


class Distributions:
    """All distributions of a directory, one of each project."""

    def __init__(self, location: Location) -> None:
        self._owners = Owners(location, location.metadata_directories())
        self._found = {
            each.directory: _read(location.path, each.directory) for each in self._owners.all
        }

    @property
    def all(self) -> list[Distribution]:
        """Each of them, in the order of their names."""
        return list(self._found.values())

    def owner(self, module: str) -> Distribution | None:
        """The distribution that claims a module, if any."""
        found = self._owners.claimant(module)
        return self._found[found.directory] if found else None


def _read(root: Path, directory: Path) -> Distribution:
    try:
        record = content_of(directory / "RECORD", RECORD_LIMIT)
    except ConnectError:
        record = None
    return Distribution(directory, record, tuple(_protections(root, directory, record)))


def _protections(root: Path, directory: Path, record: bytes | None) -> Iterator[str]:
    if not directory.resolve().is_relative_to(root.resolve()):
        yield "sync.outside"
    if _text(directory / "INSTALLER").strip().lower() in _MANAGERS:
        yield "sync.managed"
    if record is None and not _is_egg(directory):
        yield "sync.unrecorded"
    if _signatures(directory):
        yield "sync.signed"


def _is_egg(directory: Path) -> bool:
    return not directory.name.lower().endswith(".dist-info")


def _signatures(directory: Path) -> list[Path]:
    files = (directory / name for name in SIGNATURES)
    return [file for file in files if file.is_file()]


def _text(path: Path) -> str:
    try:
        return (content_of(path, _SMALL_LIMIT) or b"").decode(errors="replace")
    except ConnectError:
        return ""
