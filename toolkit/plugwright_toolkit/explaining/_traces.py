"""Finds mentions of a name in a location: in manifests of any group, and in source code."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.plugins import PLUGIN_TYPES, read_manifest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plugwright.plugins import Location, ManifestEntry

_SIZE_LIMIT = 4 << 20
_CLASS = re.compile(rb"^[ \t]*class[ \t]+(\w+)(?:[ \t]*\(([^)]*)\))?", re.MULTILINE)
_MADE = re.compile(rb"^([A-Z]\w*)[ \t]*=[ \t]*[\w.]+\(()", re.MULTILINE)
_GROUP = re.compile(rb"^[ \t]*\[([^\]\r\n]*)\]", re.MULTILINE)
_SUFFIXES = frozenset(kind.suffix for kind in PLUGIN_TYPES)


@dataclass(frozen=True, slots=True)
class Mention:
    """An entry of a manifest, whatever its group."""

    file: str
    entry: ManifestEntry

    @property
    def class_name(self) -> str:
        """The class that the entry names."""
        return f"{self.entry.module}.{self.entry.qualname}"


@dataclass(frozen=True, slots=True)
class Definition:
    """A class statement, or an assignment that may make a class.

    Attributes:
        bases: of a class statement, as they are written.
    """

    file: str
    module: str
    name: str
    bases: str


@dataclass(frozen=True, slots=True)
class Traces:
    """Mentions in a location that may be the plugin.

    Attributes:
        names: of all classes and entries of the location.
        modules: of all classes of the location.
    """

    location: Location
    mentions: Sequence[Mention]
    definitions: Sequence[Definition]
    names: Sequence[str]
    modules: Sequence[str]

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.mentions or self.definitions)


def _simple_name(name: str) -> str:
    """The simple name: the part after the last dot or dollar sign."""
    return re.split(r"[.$]", name)[-1]


def traces_in(location: Location, name: str) -> Traces:
    """Search the files of a location for a name, without imports."""
    mentions = list(_mentions(location.path))
    definitions = list(_definitions(location.path))
    names = {m.entry.name for m in mentions} | {m.class_name for m in mentions}
    names |= {d.name for d in definitions} | {f"{d.module}.{d.name}" for d in definitions}
    return Traces(
        location,
        [m for m in mentions if m.entry.name == name or _means(name, m.entry.module, m.entry)],
        [d for d in definitions if _means(name, d.module, d)],
        sorted(names),
        sorted({d.module for d in definitions}),
    )


def _means(name: str, module: str, named: ManifestEntry | Definition) -> bool:
    """Whether a name may refer to a class; packages may re-export it."""
    own = named.name if isinstance(named, Definition) else _simple_name(named.qualname)
    simple = _simple_name(name)
    aliases = {own, *(own[: own.rfind(word)] for word in _SUFFIXES if own.rfind(word) > 0)}
    if simple not in aliases:
        return False
    prefix = name[: -len(simple)].rstrip(".$")
    return not prefix or any(
        f"{longer}.".startswith(f"{shorter}.")
        for longer, shorter in ((prefix, module), (module, prefix))
    )


def _mentions(root: Path) -> Iterator[Mention]:
    for file in sorted(root.glob("*-info/entry_points.txt")):
        data = _read(file)
        groups = {group.decode(errors="replace").strip() for group in _GROUP.findall(data)}
        entries, _ = read_manifest(data, groups)
        place = file.relative_to(root).as_posix()
        yield from (Mention(place, entry) for entry in entries)


def _definitions(root: Path) -> Iterator[Definition]:
    for path in _modules(root):
        file = path.relative_to(root)
        module = ".".join(file.with_suffix("").parts).removesuffix(".__init__")
        data = _read(path)
        for statement in dict.fromkeys([*_CLASS.findall(data), *_MADE.findall(data)]):
            name, bases = (part.decode(errors="replace") for part in statement)
            yield Definition(file.as_posix(), module, name, bases)


def _modules(root: Path) -> Iterator[Path]:
    """Every module, sorted; links are followed, each directory once."""
    seen: set[tuple[int, int]] = set()
    for directory, children, files in os.walk(root, followlinks=True):
        status = Path(directory).stat()
        if (status.st_dev, status.st_ino) in seen:
            children.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        children[:] = sorted(child for child in children if child.isidentifier())
        yield from (Path(directory, each) for each in sorted(files) if each.endswith(".py"))


def _read(path: Path) -> bytes:
    """The beginning of a file; empty if it is not a regular file or cannot be read."""
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as file:
            return file.read(_SIZE_LIMIT)
    except OSError:
        return b""
