"""What the text of a change log says: its sections in a README, and the versions that it names."""

from __future__ import annotations

import re

from packaging.version import InvalidVersion, Version

_SECTION = re.compile(
    r"^(#+) *(?:change ?log|release notes|version history)\b", re.IGNORECASE | re.MULTILINE
)
_VERSION = re.compile(r"(?<![\w.])v?(\d+(?:\.\w+)+(?:[-+][\w.]+)?)", re.IGNORECASE)
_DATE = re.compile(r"\d{1,2}\.\d{1,2}\.\d{4}")
_UNRELEASED = re.compile(r"\bunreleased\b", re.IGNORECASE)


def sections(readme: str) -> list[str]:
    """The sections of a README that are change logs, each up to the next heading of its rank."""
    found = []
    for start in _SECTION.finditer(readme):
        rest = readme[start.end() :]
        end = re.search(rf"^#{{1,{len(start[1])}}} ", rest, re.MULTILINE)
        found.append(rest[: end.start()] if end else rest)
    return found


def versions_in(text: str) -> list[str]:
    """What looks like a version, wherever it stands; or that something is not released yet."""
    named = [found for found in _VERSION.findall(text) if not _DATE.fullmatch(found)]
    return named + (["unreleased"] if named and _UNRELEASED.search(text) else [])


def has_entry(named: list[str], version: Version) -> bool:
    """Whether a version is among those named.

    A pre-release may be told under the version that it becomes, or as unreleased, and a repeated
    release under the one that it repeats.
    """
    if version.is_prerelease and "unreleased" in named:
        return True
    wanted = {version_named(version.public)}
    if version.is_prerelease or version.is_postrelease:
        wanted.add(version_named(version.base_version))
    return any(found in wanted for text in named if (found := version_named(text)))


def version_named(text: str) -> Version | None:
    """The version that a text names, without its epoch, which nobody writes into headings."""
    try:
        return Version(text.rstrip(".-").rpartition("!")[2])
    except InvalidVersion:
        return None
