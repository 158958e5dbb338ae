"""The manifest reader: the bytes of an ``entry_points.txt`` in, entries and findings out.

A pure function that runs no plugin code. An error in a foreign group is none of our business, and
an error in one of our lines drops that line only (packaging specification, entry points).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["ManifestEntry", "ManifestProblem", "read_manifest"]

_OBJECT = re.compile(r"(?P<module>\w+(?:\.\w+)*)\s*:\s*(?P<qualname>\w+(?:\.\w+)*)\s*(?:\[.*\])?")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """One well-formed line of one of the wanted groups."""

    group: str
    name: str
    module: str
    qualname: str
    line: int


@dataclass(frozen=True, slots=True)
class ManifestProblem:
    """One line that is wrong, or a file that is."""

    code: str
    message: str
    line: int


def read_manifest(
    data: bytes, groups: Collection[str]
) -> tuple[list[ManifestEntry], list[ManifestProblem]]:
    """The entries of the wanted groups, in file order, and what was wrong with them.

    Identical lines collapse; the same name for two different classes keeps both and is reported.
    """
    entries: dict[tuple[str, str, str, str], ManifestEntry] = {}
    problems: list[ManifestProblem] = []
    group = ""
    for number, raw in enumerate(data.removeprefix(_BOM).splitlines(), start=1):
        line = raw.strip()
        if not line or line.startswith((b"#", b";")):
            continue
        if line.startswith(b"["):
            group = line.strip(b"[] \t").decode(errors="replace")
        elif group in groups:
            parsed = _parse_line(line, group, number)
            if isinstance(parsed, ManifestProblem):
                problems.append(parsed)
            else:
                entries.setdefault((group, parsed.name, parsed.module, parsed.qualname), parsed)
    return list(entries.values()), problems + _ambiguous(entries.values())


def _parse_line(line: bytes, group: str, number: int) -> ManifestEntry | ManifestProblem:
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return ManifestProblem("ep-encoding", f"a line of [{group}] is not UTF-8", number)
    name, separator, value = text.partition("=")
    if not separator or not name.strip():
        return ManifestProblem(
            "ep-syntax", f"expected 'name = module:Class', found {text!r}", number
        )
    match = _OBJECT.fullmatch(value.strip())
    if match is None:
        found = value.strip()
        return ManifestProblem("ep-syntax", f"expected 'module:Class', found {found!r}", number)
    return ManifestEntry(group, name.strip(), match["module"], match["qualname"], number)


def _ambiguous(entries: Collection[ManifestEntry]) -> list[ManifestProblem]:
    first: dict[tuple[str, str], ManifestEntry] = {}
    problems = []
    for entry in entries:
        other = first.setdefault((entry.group, entry.name), entry)
        if other is not entry:
            message = f"{entry.name} is named twice in [{entry.group}], first in line {other.line}"
            problems.append(ManifestProblem("ep-duplicate", message, entry.line))
    return problems
