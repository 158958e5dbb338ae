"""What the metadata of a distribution says of it: name, version, and the Python that it needs."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.plugins._reading import read_regular
from plugwright.plugins._versions import UNDEFINED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from packaging.version import Version

__all__ = ["Metadata", "has_version", "identity", "read_metadata", "record_agrees"]

_METADATA_LIMIT = 64 * 1024
_RECORD_LIMIT = 1 << 20
_ROWS = 8
# Most requirements and versions are simple; the rest is worth the import of a library.
_SIMPLE = re.compile(r"\s*(>=|<)\s*(\d+(?:\.\d+){0,2})\s*")
_PLAIN_VERSION = re.compile(r"\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?")


@dataclass(frozen=True, slots=True)
class Metadata:
    """The header of a METADATA or PKG-INFO file.

    Attributes:
        complete: whether name and version are those of the file and not of the directory.
    """

    name: str
    version: str
    requires_python: str
    complete: bool

    @property
    def obstacle(self) -> str:
        """Why this Python cannot run the distribution, or an empty string.

        A requirement that nobody can read is none (core metadata, ``Requires-Python``).
        """
        if not self.requires_python or _runs_on_this(self.requires_python):
            return ""
        return f"requires Python {self.requires_python}, and this is {_THIS}"


_THIS = ".".join(str(part) for part in sys.version_info[:3])


def read_metadata(directory: Path) -> Metadata:
    """The metadata of a dist-info or egg-info directory; a missing file is no error."""
    found: dict[str, str] = {}
    for file in ("METADATA", "PKG-INFO"):
        for line in _head(directory / file).splitlines():
            key, _, value = line.partition(":")
            found.setdefault(key.lower(), value.strip())
        if found:
            break
    stem = directory.name.rpartition(".")[0]
    name, _, version = stem.partition("-")
    return Metadata(
        found.get("name") or name,
        found.get("version") or version or UNDEFINED,
        found.get("requires-python", ""),
        complete=bool(found.get("name") and found.get("version")),
    )


def identity(directory: Path) -> tuple[str, str, bool]:
    """Name and version from METADATA, or from the directory's name where that is missing."""
    found = read_metadata(directory)
    return found.name, found.version, found.complete


def has_version(version: str) -> bool:
    """Whether a version is one of PEP 440."""
    if _PLAIN_VERSION.fullmatch(version):
        return True
    from plugwright.plugins._versions import parsed_version  # noqa: PLC0415  # for unusual ones

    return parsed_version(version) is not None


def record_agrees(directory: Path) -> bool | None:
    """Whether the modules that RECORD lists are there in their size; ``None`` if it lists none.

    After an upgrade in place this tells which of two metadata directories the code belongs to.
    """
    import csv  # noqa: PLC0415  # for duplicates only

    try:
        text = read_regular(directory / "RECORD", _RECORD_LIMIT).decode(errors="replace")
        rows = [row for row in csv.reader(text.splitlines()) if _tells(row)][:_ROWS]
    except (OSError, csv.Error):
        return None
    return all(_size(directory.parent / row[0]) == int(row[2]) for row in rows) if rows else None


def _tells(row: list[str]) -> bool:
    """Whether a row gives the size of a module below the location."""
    count = 3
    if len(row) != count or not row[2].isdecimal() or not row[0].endswith(".py"):
        return False
    return not row[0].startswith("/") and ".." not in row[0] and "\0" not in row[0]


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1


def _head(path: Path) -> str:
    """The header of a metadata file; nothing if it cannot be read."""
    try:
        text = read_regular(path, _METADATA_LIMIT).decode(errors="replace")
    except OSError:
        return ""
    return text.replace("\r\n", "\n").split("\n\n", 1)[0]


def _runs_on_this(required: str) -> bool:
    clauses = list(_clauses(required))
    if all(clauses):
        return all(
            (sys.version_info[:3] >= limit) == (operator == ">=")
            for operator, limit in (clause for clause in clauses if clause)
        )
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # noqa: PLC0415  # if unusual

    try:
        return SpecifierSet(required).contains(_this_version(), prereleases=True)
    except InvalidSpecifier:
        return True


def _clauses(required: str) -> Iterator[tuple[str, tuple[int, ...]] | None]:
    """Operator and version of every clause; ``None`` for one that is not simple."""
    for clause in required.split(","):
        match = _SIMPLE.fullmatch(clause)
        if match is None:
            yield None
        else:
            numbers = tuple(int(part) for part in match[2].split("."))
            yield match[1], numbers + (0,) * (3 - len(numbers))


def _this_version() -> Version:
    from packaging.version import Version  # noqa: PLC0415  # if unusual

    return Version(_THIS)
