"""The distributions of a directory: which of them owns a module, and whether it may be edited."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from plugwright.errors import ConnectError
from plugwright_toolkit.manifests._content import RECORD_LIMIT, content_of, header_of
from plugwright_toolkit.manifests._record import recorded_paths
from plugwright_toolkit.manifests._shim import SHIM

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from plugwright.plugins import Location

__all__ = ["SIGNATURES", "Distribution", "Distributions", "module_key"]

_MANAGERS = frozenset(
    {
        "apk",
        "apt",
        "brew",
        "conda",
        "debian",
        "dnf",
        "dpkg",
        "guix",
        "mamba",
        "nix",
        "pacman",
        "portage",
        "rpm",
        "yum",
        "zypper",
    }
)
"""What INSTALLER says where a package manager, not an installer of wheels, owns the files."""

_CODE = (".py", ".so", ".pyd")
SIGNATURES = ("RECORD.jws", "RECORD.p7s")
"""Files that sign RECORD (binary distribution format; deprecated by PEP 815)."""

_SAMPLE = 8
_SMALL_LIMIT = 1 << 16


@dataclass(frozen=True, slots=True)
class Distribution:
    """One metadata directory.

    Attributes:
        directory: its path below the location.
        record: what its RECORD holds; ``None`` if it has none.
        editable: whether it is only a pointer to a source tree elsewhere (PEP 660).
        protections: why its manifest is left alone: ``outside``, ``managed``, ``unrecorded``,
            ``signed``.
    """

    directory: Path
    name: str
    version: str
    record: bytes | None
    editable: bool
    protections: tuple[str, ...] = ()

    @property
    def is_egg(self) -> bool:
        """Whether it is metadata of setuptools' older kind, which has no RECORD."""
        return not self.directory.name.lower().endswith(".dist-info")

    @property
    def signatures(self) -> list[Path]:
        """Files that sign RECORD, which an edit makes void."""
        files = (self.directory / name for name in SIGNATURES)
        return [file for file in files if file.is_file()]


class Distributions:
    """All distributions of a directory, one of each project."""

    def __init__(self, location: Location) -> None:
        self._root = location.path
        directories = [path for path in location.metadata_directories() if path.name != SHIM]
        self.all = _one_of_each([_read(self._root, path) for path in directories])
        self._files = {
            key: each
            for each in self.all
            for path in recorded_paths(each.record or b"")
            if (key := module_key(path))
        }

    def owner(self, module: str) -> Distribution | None:
        """Whose a module is, by the first that says so, or ``None``.

        The list of installed files, ``Import-Name`` (PEP 794), ``top_level.txt``, and a project of
        the same name are asked in turn; of a namespace package only the list of files tells.
        """
        if (found := self._files.get(module.replace(".", "/"))) is not None:
            return found
        named = [(n, each) for each in self.all for n in _import_names(each) if _below(module, n)]
        if named:
            longest = max(len(name) for name, _ in named)
            return _only([each for name, each in named if len(name) == longest])
        top = module.partition(".")[0]
        if not self._is_regular(top):
            return None
        return _only([each for each in self.all if top in _top_level(each)]) or _only(
            [each for each in self.all if canonicalize_name(each.name) == canonicalize_name(top)]
        )

    def _is_regular(self, top: str) -> bool:
        return (self._root / top / "__init__.py").is_file() or not (self._root / top).is_dir()


def module_key(path: str) -> str:
    """A file of code without what follows the name of its module; empty for other files."""
    folder, _, name = path.rpartition("/")
    if not name.endswith(_CODE):
        return ""
    stem = name.partition(".")[0]
    if stem == "__init__":
        return folder
    return f"{folder}/{stem}" if folder else stem


def _below(module: str, name: str) -> bool:
    return module == name or module.startswith(f"{name}.")


def _only(found: Sequence[Distribution]) -> Distribution | None:
    return found[0] if len(found) == 1 else None


def _import_names(distribution: Distribution) -> list[str]:
    header = header_of(distribution.directory / "METADATA")
    values = header.get_all("Import-Name", []) if header else []
    return [name for value in values if (name := value.partition(";")[0].strip())]


def _top_level(distribution: Distribution) -> list[str]:
    return _text(distribution.directory / "top_level.txt").split()


def _text(path: Path) -> str:
    try:
        return (content_of(path, _SMALL_LIMIT) or b"").decode(errors="replace")
    except ConnectError:
        return ""


def _read(root: Path, directory: Path) -> Distribution:
    header = header_of(directory / "METADATA") or header_of(directory / "PKG-INFO")
    stem = directory.name.rpartition(".")[0] or root.name.rpartition(".")[0]
    name, _, rest = stem.partition("-")
    try:
        record = content_of(directory / "RECORD", RECORD_LIMIT)
    except ConnectError:
        record = None
    found = Distribution(
        directory,
        str(header["Name"]) if header and header["Name"] else name,
        str(header["Version"]) if header and header["Version"] else rest.partition("-")[0],
        record,
        _is_editable(directory),
    )
    return replace(found, protections=tuple(_protections(root, found)))


def _protections(root: Path, found: Distribution) -> Iterator[str]:
    directory = found.directory
    if not directory.resolve().is_relative_to(root.resolve()):
        yield "outside"
    if _text(directory / "INSTALLER").strip().lower() in _MANAGERS:
        yield "managed"
    if found.record is None and not found.is_egg:
        yield "unrecorded"
    if found.signatures:
        yield "signed"


def _is_editable(directory: Path) -> bool:
    try:
        origin = json.loads(_text(directory / "direct_url.json"))
        return origin["dir_info"]["editable"] is True
    except (ValueError, KeyError, TypeError):
        return False


def _one_of_each(found: Iterable[Distribution]) -> list[Distribution]:
    """One directory for each project; an upgrade in place may leave the old one behind."""
    projects: dict[str, list[Distribution]] = {}
    for each in found:
        projects.setdefault(canonicalize_name(each.name), []).append(each)
    return [max(each, key=_rank) if len(each) > 1 else each[0] for each in projects.values()]


def _rank(found: Distribution) -> tuple[bool, bool, bool, Version | str]:
    """Best last: with metadata, with files of the size that its list says, newest."""
    header = header_of(found.directory / "METADATA") or header_of(found.directory / "PKG-INFO")
    complete = header is not None and bool(header["Name"])
    try:
        return complete, _has_its_files(found), True, Version(found.version)
    except InvalidVersion:
        return complete, _has_its_files(found), False, found.version


def _has_its_files(found: Distribution) -> bool:
    root = found.directory.parent
    lines = (found.record or b"").decode(errors="replace").splitlines()
    rows = [line.rsplit(",", 2) for line in lines]
    sample = [row for row in rows if row[0].endswith(".py") and row[-1].isdecimal()][:_SAMPLE]
    return all(_size(root / row[0]) == int(row[-1]) for row in sample)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1
