"""The manifest reader: the bytes of an ``entry_points.txt`` in, entries and findings out.

A pure function that runs no plugin code. An error in a foreign group is none of our business, and
an error in one of our lines drops that line only (packaging specification, entry points).
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

__all__ = ["ManifestEntry", "ManifestProblem", "read_manifest"]

_NAMES = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_OBJECT = re.compile(rf"(?P<module>{_NAMES})\s*:\s*(?P<qualname>{_NAMES})\s*(?P<extras>\[.*\])?")
_TYPING_ERROR = 0.85  # how alike an unknown group must be to count as one of ours, misspelt


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
    """One line that is wrong, or a file that is.

    Attributes:
        note: whether nothing was dropped because of it.
    """

    code: str
    message: str
    line: int
    note: bool = False


def read_manifest(
    data: bytes, groups: Collection[str]
) -> tuple[list[ManifestEntry], list[ManifestProblem]]:
    """The entries of the wanted groups, in file order, and what was wrong with them.

    Identical lines collapse; the same name for two different classes keeps both and is reported.
    """
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return [], [ManifestProblem("ep-encoding", "the file is UTF-16, expected UTF-8", 1)]
    entries: dict[tuple[str, str, str, str], ManifestEntry] = {}
    problems: list[ManifestProblem] = []
    if data.startswith(BOM_UTF8):
        problems.append(ManifestProblem("ep-bom", "a byte order mark was ignored", 1, note=True))
    group = ""
    for number, line, continued in _logical_lines(data.removeprefix(BOM_UTF8)):
        if line.startswith(b"["):
            group = line.strip(b"[] \t").decode(errors="replace")
            problems += _header_problems(line, group, groups, number)
        elif group in groups:
            entry, found = _parse_line(line, group, number)
            problems += found
            if entry is not None:
                entries.setdefault((group, entry.name, entry.module, entry.qualname), entry)
                if continued:
                    message = f"{entry.name} has its value on the next line; some readers fail"
                    problems.append(ManifestProblem("ep-continuation", message, number, note=True))
    return list(entries.values()), problems + _ambiguous(entries.values())


def _logical_lines(data: bytes) -> Iterator[tuple[int, bytes, bool]]:
    """Number, text, and whether the value stood on an indented line of its own after the name."""
    held: tuple[int, bytes] | None = None
    for number, raw in enumerate(data.splitlines(), start=1):
        line = raw.strip()
        if not line or line.startswith((b"#", b";")):
            continue
        if held is not None:
            start, name = held
            held = None
            if raw[:1].isspace() and b"=" not in line and not line.startswith(b"["):
                yield start, name + b" " + line, True
                continue
            yield start, name, False
        if line.endswith(b"="):
            held = number, line
        else:
            yield number, line, False
    if held is not None:
        yield *held, False


def _header_problems(
    line: bytes, group: str, groups: Collection[str], number: int
) -> list[ManifestProblem]:
    if group in groups:
        if line.endswith(b"]"):
            return []
        return [ManifestProblem("ep-syntax", f"expected '[{group}]', found {line!r}", number)]
    near = get_close_matches(group, groups, n=1, cutoff=_TYPING_ERROR)
    if not near or "." not in group or group.partition(".")[0] != near[0].partition(".")[0]:
        return []
    message = f"nothing reads the group [{group}]; the nearest known one is [{near[0]}]"
    return [ManifestProblem("ep-unknown-group", message, number)]


def _parse_line(
    line: bytes, group: str, number: int
) -> tuple[ManifestEntry | None, list[ManifestProblem]]:
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return None, [ManifestProblem("ep-encoding", f"a line of [{group}] is not UTF-8", number)]
    name, separator, value = (part.strip() for part in text.partition("="))
    if not separator or not name:
        message = f"expected 'name = module:Class', found {text!r}"
        return None, [ManifestProblem("ep-syntax", message, number)]
    match = _OBJECT.fullmatch(value)
    if match is None:
        message = f"expected 'module:Class', found {value!r}"
        return None, [ManifestProblem("ep-syntax", message, number)]
    notes = []
    if match["extras"]:
        message = f"the extras {match['extras']} of {name} mean nothing here"
        notes.append(ManifestProblem("ep-extras", message, number, note=True))
    return ManifestEntry(group, name, match["module"], match["qualname"], number), notes


def _ambiguous(entries: Collection[ManifestEntry]) -> list[ManifestProblem]:
    first: dict[tuple[str, str], ManifestEntry] = {}
    problems = []
    for entry in entries:
        other = first.setdefault((entry.group, entry.name), entry)
        if other is not entry:
            message = f"{entry.name} is named twice in [{entry.group}], first in line {other.line}"
            problems.append(ManifestProblem("ep-duplicate", message, entry.line))
    return problems
