"""Determines which distribution of a location owns a module, from the distributions' metadata."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.plugins._declared_version import module_version
from plugwright.plugins._metadata import rank, read_header, read_metadata
from plugwright.plugins._versions import UNDEFINED
from plugwright.plugins.reading import read_regular

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from plugwright.plugins._location import Location
    from plugwright.plugins._metadata import DistributionMetadata

_RECORD_LIMIT = 64 << 20
_NAMES_LIMIT = 1 << 16
_SHIM = "connect_plugin_path_shim-"
_CODE = (".py", ".so", ".pyd", ".pyc")
_SEPARATORS = re.compile(r"[-_.]+")


def is_shim(directory: str) -> bool:
    """Whether a metadata directory is the shim of ``sync-manifests``.

    The shim declares the plugins of distributions that could not be edited, and owns no modules.
    """
    return directory.startswith(_SHIM)


def project(name: str) -> str:
    """The normalized name of a project (packaging specification, names)."""
    return _SEPARATORS.sub("-", name).lower()


@dataclass(frozen=True, slots=True)
class Owner:
    """A distribution that may own modules."""

    directory: Path
    metadata: DistributionMetadata

    @property
    def identity(self) -> tuple[str, str]:
        """Name and version."""
        return self.metadata.name, self.metadata.version


class Owners:
    """The distributions of a location; their file lists are read on first use."""

    def __init__(self, location: Location, directories: Sequence[Path] | None = None) -> None:
        """Create for a location, optionally with its metadata directories if already listed."""
        self._location = location
        self._directories = directories
        self._all: Sequence[Owner] | None = None
        self._modules: dict[str, Owner] = {}
        self._files: set[str] = set()

    def owner(self, module: str, default: tuple[str, str] | None = None) -> tuple[str, str]:
        """Name and version of the distribution that owns a module.

        Args:
            module: its dotted name.
            default: used if the owner is unknown and there are several distributions; otherwise
                the top-level package and its literal version.
        """
        if (found := self.find(module)) is not None:
            return found.identity
        if default is not None:
            return default
        version = module_version(self._location.path, module)
        return module.partition(".")[0], version or UNDEFINED

    def find(self, module: str) -> Owner | None:
        """The distribution that owns a module, if known.

        A single distribution owns everything; among several, `claimant` decides.
        """
        return self.claimant(module) or _only(self.all)

    def claimant(self, module: str) -> Owner | None:
        """The distribution that claims a module.

        The list of installed files, ``Import-Name`` (PEP 794), ``top_level.txt`` and a project of
        the same name are checked in turn; for a namespace package only the first two.
        """
        self._read()
        if (found := self._modules.get(module.replace(".", "/"))) is not None:
            return found
        return self._by_import_name(module) or self._by_top_level(module.partition(".")[0])

    @property
    def all(self) -> Sequence[Owner]:
        """One distribution per project."""
        return self._read()

    def has_file(self, path: Path) -> bool | None:
        """Whether a distribution lists a file; ``None`` if none lists any."""
        self._read()
        return path.relative_to(self._location.path).as_posix() in self._files or (
            False if self._files else None
        )

    def _by_import_name(self, module: str) -> Owner | None:
        """The distribution that names the longest prefix of a module's name."""
        named = [
            (len(name), owner)
            for owner in self._read()
            for name in _import_names(owner)
            if f"{module}.".startswith(f"{name}.")
        ]
        longest = max((length for length, _ in named), default=0)
        return _only([owner for length, owner in named if length == longest])

    def _by_top_level(self, top: str) -> Owner | None:
        place = self._location.path / top
        if place.is_dir() and not (place / "__init__.py").is_file():
            return None
        owners = self._read()
        return _only([each for each in owners if top in _top_level(each)]) or _only(
            [each for each in owners if project(each.metadata.name) == project(top)]
        )

    def _read(self) -> Sequence[Owner]:
        if self._all is None:
            directories = self._listed()
            found = [Owner(d, read_metadata(d)) for d in directories if not is_shim(d.name)]
            self._all = _one_of_each(found)
            for each in found:
                files = _recorded(each.directory)
                self._files.update(files)
                if each in self._all:
                    self._modules.update((key, each) for file in files if (key := module_key(file)))
        return self._all

    def _listed(self) -> Sequence[Path]:
        if self._directories is not None:
            return self._directories
        try:
            return self._location.metadata_directories()
        except OSError:  # already reported when the manifests were read
            return ()


def _one_of_each(found: Sequence[Owner]) -> Sequence[Owner]:
    """One directory per project; an in-place upgrade may leave the old one behind."""
    projects: dict[str, list[Owner]] = {}
    for each in found:
        projects.setdefault(project(each.metadata.name), []).append(each)
    return [_best(each) if len(each) > 1 else each[0] for each in projects.values()]


def _best(found: Sequence[Owner]) -> Owner:
    return max(found, key=lambda each: rank(each.directory, each.metadata))


def _only(found: Sequence[Owner]) -> Owner | None:
    return found[0] if len(found) == 1 else None


def _import_names(owner: Owner) -> Sequence[str]:
    lines = (line.partition(":") for line in read_header(owner.directory))
    values = [value for key, _, value in lines if key.lower() == "import-name"]
    return [name for value in values if (name := value.partition(";")[0].strip())]


def _top_level(owner: Owner) -> Sequence[str]:
    try:
        data = read_regular(owner.directory / "top_level.txt", _NAMES_LIMIT)
    except OSError:
        return ()
    return data.decode(errors="replace").split()


def module_key(file: str) -> str:
    """The path of a module without suffixes; empty for other files."""
    folder, _, name = file.rpartition("/")
    if not name.endswith(_CODE) or folder.endswith("__pycache__"):
        return ""
    stem = name.partition(".")[0]
    if stem == "__init__":
        return folder
    return f"{folder}/{stem}" if folder else stem


def _recorded(directory: Path) -> Sequence[str]:
    """The files of a distribution; empty if it does not list them."""
    from plugwright.plugins._record import record_rows  # noqa: PLC0415  # for modules' owners only

    try:
        record = read_regular(directory / "RECORD", _RECORD_LIMIT)
    except OSError:
        return ()
    return [row.path for row in record_rows(record) if row.path]
