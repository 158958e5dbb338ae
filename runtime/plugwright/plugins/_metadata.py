"""Reads name, version and required Python from the metadata of a distribution."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.plugins._versions import UNDEFINED
from plugwright.plugins.reading import read_regular

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from packaging.version import Version

    from plugwright.plugins._record import RecordRow

_METADATA_LIMIT = 64 * 1024
_RECORD_LIMIT = 1 << 20
_ROWS = 8
# Most requirements and versions are simple; only the rest needs the import of a library.
_SIMPLE = re.compile(r"\s*(>=|<)\s*(\d+(?:\.\d+){0,2})\s*")
_HEADER = re.compile(rb"(?:[^\r\n]+(?:\r?\n)?)*+")  # up to the first empty line
_PLAIN_VERSION = re.compile(r"\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?")


@dataclass(frozen=True, slots=True)
class DistributionMetadata:
    """The header of a METADATA or PKG-INFO file.

    Attributes:
        complete: whether name and version come from the file and not from the directory.
    """

    name: str
    version: str
    requires_python: str
    complete: bool

    @property
    def obstacle(self) -> str:
        """The reason why this Python cannot run the distribution, or an empty string.

        An unparsable requirement is ignored (core metadata, ``Requires-Python``).
        """
        if not self.requires_python or _runs_on_this(self.requires_python):
            return ""
        return f"requires Python {self.requires_python}, and this is {_THIS}"


_THIS = ".".join(str(part) for part in sys.version_info[:3])


def read_metadata(directory: str | Path, below: int | None = None) -> DistributionMetadata:
    """Read the metadata of a dist-info or egg-info directory; a missing file is no error. Hot path.

    Args:
        directory: its path.
        below: descriptor of an open directory to which the path is relative.
    """
    found: dict[str, str] = {}
    for line in read_header(directory, below):
        key, _, value = line.partition(":")
        found.setdefault(key.lower(), value.strip())
    stem = str(directory).rpartition("/")[2].rpartition(".")[0]
    name, _, version = stem.partition("-")
    return DistributionMetadata(
        found.get("name") or name,
        found.get("version") or version or UNDEFINED,
        found.get("requires-python", ""),
        complete=bool(found.get("name") and found.get("version")),
    )


def read_header(directory: str | Path, below: int | None = None) -> Sequence[str]:
    """The header lines of METADATA or PKG-INFO; empty if neither can be read."""
    for file in ("METADATA", "PKG-INFO"):
        try:
            data = read_regular(f"{directory}/{file}", _METADATA_LIMIT, below)
        except OSError:
            continue
        text = _HEADER.match(data)[0].decode(errors="replace")  # type: ignore[index]  # it matches
        if lines := text.splitlines():
            return lines
    return ()


def rank(
    directory: Path, found: DistributionMetadata
) -> tuple[bool, bool | int, bool, Version | str]:
    """The sort key of several metadata directories of one project, best last.

    Complete ones first, then those that match the code, then the newest.
    """
    from plugwright.plugins._versions import parsed_version  # noqa: PLC0415  # for duplicates only

    agrees = record_agrees(directory)
    version = parsed_version(found.version)
    fits = 0 if agrees is None else (1 if agrees else -1)
    return found.complete, fits, version is not None, version or found.version


def has_version(version: str) -> bool:
    """Whether a version follows PEP 440."""
    if _PLAIN_VERSION.fullmatch(version):
        return True
    from plugwright.plugins._versions import parsed_version  # noqa: PLC0415  # for unusual ones

    return parsed_version(version) is not None


def record_agrees(directory: Path) -> bool | None:
    """Whether the modules in RECORD exist with their sizes; ``None`` if it lists none.

    After an in-place upgrade this determines which of two metadata directories matches the code.
    """
    from plugwright.plugins._record import record_rows  # noqa: PLC0415  # for duplicates only

    try:
        record = read_regular(directory / "RECORD", _RECORD_LIMIT)
    except OSError:
        return None
    rows = [row for row in record_rows(record) if _tells(row)][:_ROWS]
    return all(_size(directory.parent / r.path) == int(r.cells[2]) for r in rows) if rows else None


def _tells(row: RecordRow) -> bool:
    """Whether a row has the size of a module below the location."""
    if not (row.is_whole and row.cells[2].isdecimal() and row.path.endswith(".py")):
        return False
    return not row.path.startswith("/") and ".." not in row.path and "\0" not in row.path


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1


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
