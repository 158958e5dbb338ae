"""Parses ``entry_points.txt`` files into entries and problems.

Pure functions that run no plugin code. An error in a foreign group does not affect ours, and an
error in one of our lines drops only that line (packaging specification, entry points).
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

_NAMES = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_OBJECT = re.compile(rf"(?P<module>{_NAMES})\s*:\s*(?P<qualname>{_NAMES})\s*(?P<extras>\[.*\])?")
# Combining marks belong to names, although no word contains them by this module's rules.
_WIDE_NAMES = r"[^\W\d][\w\x80-\U0010ffff]*(?:\.[^\W\d][\w\x80-\U0010ffff]*)*"
_WIDE_OBJECT = re.compile(_OBJECT.pattern.replace(_NAMES, _WIDE_NAMES))
# Lines that are headers, entries, comments or empty, each from its beginning.
_PLAIN = re.compile(
    rb"(?:"
    rb"(?:\[(?![ \t]*(?i:plugwright)\.)[^\r\n]*|[^\s=\[][^=\r\n]*=[^\r\n]*|[#;][^\r\n]*)?\r?\n"
    rb")*+"
)
_NO_ENTRY = re.compile(rb"^[ \t]*[^\s#;\[=][^=\n]*$", re.MULTILINE)
_LIKENESS = 0.6  # minimum similarity of an unknown group to a known one for a suggestion
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """A well-formed line of one of the requested groups."""

    group: str
    name: str
    module: str
    qualname: str
    line: int


@dataclass(frozen=True, slots=True)
class ManifestProblem:
    """A problem of a line, or of the whole file.

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
    """The entries of the requested groups, in file order, and the problems found.

    Identical lines are merged; one name for two classes keeps both and is reported.
    """
    found = _Reader(groups).read(data)
    return list(found.entries.values()), found.problems


def foreign_problems(data: bytes, groups: Collection[str]) -> list[ManifestProblem]:
    """Problems of other readers with foreign groups: at most one note per kind.

    ``importlib.metadata`` raises for such a file, for every caller in its environment.
    """
    if _is_utf_16(data) or (_NO_ENTRY.search(data) is None and _decodes(data)):
        return []
    return list(_Reader(groups).read(data).foreign.values())


def is_foreign(data: bytes) -> bool:
    """Whether a manifest is well-formed and has no entries for us. Hot path: most are such."""
    return data.isascii() and _PLAIN.fullmatch(data) is not None


def examine_manifest(
    data: bytes, groups: Collection[str]
) -> tuple[list[ManifestEntry], list[ManifestProblem]]:
    """The results of `read_manifest` and `foreign_problems` in one pass."""
    found = _Reader(groups).read(data)
    return list(found.entries.values()), [*found.problems, *found.foreign.values()]


class _Reader:
    """One pass over the lines of a manifest."""

    def __init__(self, groups: Collection[str]) -> None:
        self._groups = groups
        self._unknown_groups: dict[str, _UnknownGroup] = {}
        self.entries: dict[tuple[str, str, str, str], ManifestEntry] = {}
        self.problems: list[ManifestProblem] = []
        self.foreign: dict[str, ManifestProblem] = {}

    def read(self, data: bytes) -> Self:
        """Read the whole manifest. Hot path: some microseconds per line."""
        if _is_utf_16(data):
            self._say("ep-encoding", "the file is UTF-16, expected UTF-8", 1)
            return self
        if data.startswith(BOM_UTF8):
            self._say("ep-bom", "a byte order mark was ignored", 1, note=True)
        group, ours = "", False
        for number, line, continued in _logical_lines(data.removeprefix(BOM_UTF8)):
            if line.startswith(b"["):
                group = line.strip(b"[] \t").decode(errors="replace")
                ours = group in self._groups
                self._open(group, line, number, ours=ours)
            elif ours:
                self._enter(group, line, number, continued=continued)
            elif group in self._unknown_groups:
                self._unknown_groups[group].values.append(line.partition(b"=")[2].strip())
            elif group:
                self._judge_foreign(group, line, number)
        self.problems += [
            _unknown_group(group, found, self._groups)
            for group, found in self._unknown_groups.items()
        ]
        self.problems += _ambiguous(self.entries.values())
        return self

    def _say(self, code: str, message: str, line: int, *, note: bool = False) -> None:
        self.problems.append(ManifestProblem(code, message, line, note))

    def _open(self, group: str, line: bytes, number: int, *, ours: bool) -> None:
        if ours and not line.endswith(b"]"):
            self._say("ep-syntax", f"expected '[{group}]', found {line!r}", number)
        elif not ours and _is_misspelt(group, self._groups):
            self._unknown_groups.setdefault(group, _UnknownGroup(number, []))
        elif not ours and not _decodes(line):
            self._judge_foreign(group, line, number)

    def _enter(self, group: str, line: bytes, number: int, *, continued: bool) -> None:
        entry, found = _parse_line(line, group, number, continued=continued)
        self.problems += found
        if entry is not None:
            self.entries.setdefault((group, entry.name, entry.module, entry.qualname), entry)

    def _judge_foreign(self, group: str, line: bytes, number: int) -> None:
        if not _decodes(line):
            message = f"{_shown(line)} in the group [{group}] is not UTF-8; other readers fail"
            code = "ep-encoding"
        elif b"=" not in line:
            message = f"expected 'name = value' in [{group}], found {_shown(line)}"
            message, code = f"{message}; other readers fail", "ep-syntax"
        else:
            return
        self.foreign.setdefault(code, ManifestProblem(code, message, number, note=True))


@dataclass(frozen=True, slots=True)
class _UnknownGroup:
    """A group that is probably a misspelling of ours: its line and its entries."""

    line: int
    values: list[bytes]


def _is_utf_16(data: bytes) -> bool:
    return data.startswith((BOM_UTF16_LE, BOM_UTF16_BE))


def _decodes(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _shown(line: bytes) -> str:
    """A foreign line for a message: shortened and escaped."""
    return repr(line.decode(errors="backslashreplace")[:80])


def _logical_lines(data: bytes) -> Iterator[tuple[int, bytes, bool]]:
    """Number, text, and whether the value was on an indented continuation line."""
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


def _is_misspelt(group: str, groups: Collection[str]) -> bool:
    """Whether a group resembles ours without being one."""
    prefix, dot, _ = group.partition(".")
    ours = dot and prefix.casefold() in {known.partition(".")[0].casefold() for known in groups}
    return bool(ours) and group not in groups


def _unknown_group(group: str, found: _UnknownGroup, groups: Collection[str]) -> ManifestProblem:
    from difflib import get_close_matches  # noqa: PLC0415  # for typing errors only

    last = {known.rpartition(".")[2].casefold(): known for known in groups}
    near = get_close_matches(group.rpartition(".")[2].casefold(), last, n=1, cutoff=_LIKENESS)
    values = [value.decode(errors="replace") for value in found.values]
    lost = ", ".join(values[:_SHOWN]) + (", …" if len(values) > _SHOWN else "")
    loss = f", so {lost} is not found" if values else ""
    if near:
        advice = f"the nearest known one is [{last[near[0]]}]"
    else:
        advice = f"the known ones are {', '.join(f'[{known}]' for known in sorted(groups))}"
    message = f"nothing reads the group [{group}]{loss}; {advice}"
    return ManifestProblem("ep-unknown-group", message, found.line)


def _parse_line(
    line: bytes, group: str, number: int, *, continued: bool
) -> tuple[ManifestEntry | None, Sequence[ManifestProblem]]:
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return None, [ManifestProblem("ep-encoding", f"a line of [{group}] is not UTF-8", number)]
    name, separator, value = text.partition("=")
    name, value = name.strip(), value.strip()
    match = _object(value) if name else None
    if match is None:
        wanted = "'module:Class'" if separator and name else "'name = module:Class'"
        found, advice = (value, _value_advice(value)) if separator and name else (text, "")
        message = f"expected {wanted}, found {found!r}{advice}"
        return None, [ManifestProblem("ep-syntax", message, number)]
    module, qualname, extras = match.groups()
    entry = ManifestEntry(group, name, module, qualname, number)
    if not (continued or extras):
        return entry, ()
    notes = []
    if continued:
        message = f"{name} has its value on the next line; some readers fail"
        notes.append(ManifestProblem("ep-continuation", message, number, note=True))
    if extras:
        message = f"the extras {extras} of {name} mean nothing here"
        notes.append(ManifestProblem("ep-extras", message, number, note=True))
    return entry, notes


def _object(value: str) -> re.Match[str] | None:
    """Parse the object reference of a value, with the characters of Python identifiers."""
    match = _OBJECT.fullmatch(value)
    if match is None and not value.isascii():
        match = _WIDE_OBJECT.fullmatch(value)
        names = f"{match['module']}.{match['qualname']}".split(".") if match else []
        return match if names and all(map(str.isidentifier, names)) else None
    return match


def _value_advice(value: str) -> str:
    """Advice about a malformed value, if its problem is recognised."""
    module, colon, rest = (part.strip() for part in value.partition(":"))
    if not colon:
        return ""
    if not module:
        return ", which names no module"
    if not rest:
        return ", which names no class after the colon"
    if "#" in value or ";" in value:
        return "; a comment needs a line of its own"
    if not _object(f"{module}:x"):
        return f"; {module!r} is not a module name"
    return f"; {rest!r} is not a class name"


def _ambiguous(entries: Collection[ManifestEntry]) -> list[ManifestProblem]:
    first: dict[tuple[str, str], ManifestEntry] = {}
    problems = []
    for entry in entries:
        other = first.setdefault((entry.group, entry.name), entry)
        if other is not entry:
            message = f"{entry.name} is named twice in [{entry.group}], first in line {other.line}"
            problems.append(ManifestProblem("ep-duplicate", message, entry.line))
    return problems
