"""Plans changes to archives: wheels, zip archives and applications, and eggs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.tags import sys_tags
from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from plugwright import __version__
from plugwright.errors import ConnectError
from plugwright.plugins import Diagnostic, DiagnosticLevel, LocationKind, module_key
from plugwright_toolkit.manifests._directory import refusal
from plugwright_toolkit.manifests._files import RECORD_LIMIT, content_of, find_leftovers
from plugwright_toolkit.manifests._shim import SHIM, SHIM_WHEEL, shim_members, shim_wheel
from plugwright_toolkit.manifests._values import ArchiveWrite, FileWrite, LocationPlan, UnitPlan
from plugwright_toolkit.manifests._wanted import changes_of
from plugwright_toolkit.manifests.editing import edit_manifest, find_lines
from plugwright_toolkit.record import edit_record

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from plugwright.plugins import Location
    from plugwright_toolkit.archives import ArtifactMembers
    from plugwright_toolkit.manifests._values import SyncOptions
    from plugwright_toolkit.manifests._wanted import Wanted
    from plugwright_toolkit.manifests.editing import ManifestLine

ARCHIVES = frozenset(
    {
        LocationKind.EGG,
        LocationKind.PYZ,
        LocationKind.WHEEL,
        LocationKind.WHEEL_DIR,
        LocationKind.ZIP,
    }
)
"""The kinds of locations that this module handles."""

_SUFFIXES = (".egg", ".pyz", ".whl", ".zip")


@dataclass(frozen=True, slots=True)
class _Archive:
    """A verified archive with the content of its manifest."""

    members: ArtifactMembers
    manifest: str
    before: bytes

    @property
    def has_shim(self) -> bool:
        """Whether its lines are in a shim, because it has no metadata."""
        return self.manifest.startswith(SHIM)

    def holds(self, module: str) -> bool:
        """Whether it has a module's file, as an installer would place it."""
        key = module.replace(".", "/")
        return any(module_key(_installed(name)) == key for name in self.members.names)


def plan_archives(location: Location, wanted: Wanted, options: SyncOptions) -> LocationPlan:
    """Plan the writes that make the manifests in archives match.

    Each archive is verified before a rewrite is planned, so that a tampered one never
    gets new hashes. Archives that need no change are not opened.
    """
    return _Planner(location, options).plan(wanted)


class _Planner:
    def __init__(self, location: Location, options: SyncOptions) -> None:
        self._location = location
        self._options = options
        self._origin = location.origin
        self._is_directory = location.kind is LocationKind.WHEEL_DIR
        self._notes: list[Diagnostic] = []
        self._refusals: list[Diagnostic] = []

    def plan(self, wanted: Wanted) -> LocationPlan:
        units = list(self._units(wanted)) if wanted.add or wanted.remove else []
        if self._is_directory:
            leftovers = find_leftovers(self._origin)
        else:
            leftovers = find_leftovers(self._origin.parent, of=self._origin.name)
        return LocationPlan(self._location, units, self._notes, self._refusals, tuple(leftovers))

    def _units(self, wanted: Wanted) -> Iterator[UnitPlan]:
        archives = [found for path in self._paths() if (found := self._open(path)) is not None]
        adds: dict[str, list[ManifestLine]] = {}
        for line in wanted.add:
            adds.setdefault(self._home(line, archives), []).append(line)
        for archive in archives:
            remove = [line for line in wanted.remove if line in find_lines(archive.before)]
            add = adds.get(archive.members.path.name, [])
            if add or remove:
                yield from self._guarded(archive, add, remove)
        if self._is_directory:
            yield from self._shim(adds.get(SHIM_WHEEL, []), wanted.remove)

    def _paths(self) -> list[Path]:
        if not self._is_directory:
            return [self._origin]
        paths = sorted(path for path in self._origin.iterdir() if not path.name.startswith("."))
        return [path for path in paths if path.name != SHIM_WHEEL and _is_usable(path)]

    def _open(self, path: Path) -> _Archive | None:
        from plugwright_toolkit.archives import open_artifact  # noqa: PLC0415  # for archives only

        try:
            members = open_artifact(path)
            manifest = f"{members.metadata_directory or SHIM}/entry_points.txt"
            before = members.read(manifest) if manifest in members.names else b""
        except ConnectError as error:
            self._refusals.append(refusal(self._location, error))
            return None
        return _Archive(members, manifest, before)

    def _home(self, line: ManifestLine, archives: Collection[_Archive]) -> str:
        """The file name of the archive whose manifest gets a new line."""
        if not self._is_directory:
            return self._origin.name
        holders = [each.members.path.name for each in archives if each.holds(line.module)]
        return SHIM_WHEEL if self._options.shim or not holders else holders[0]

    def _guarded(
        self, archive: _Archive, add: Collection[ManifestLine], remove: Collection[ManifestLine]
    ) -> Iterator[UnitPlan]:
        if archive.members.is_pex_or_shiv:
            self._unfixable(archive.members.path)
            return
        try:
            yield self._unit(archive, add, remove)
        except ConnectError as error:
            self._refusals.append(refusal(self._location, error))

    def _unit(
        self, archive: _Archive, add: Collection[ManifestLine], remove: Collection[ManifestLine]
    ) -> UnitPlan:
        from plugwright_toolkit.archives import (  # noqa: PLC0415  # for archives only
            require_record,
            require_unsigned,
        )

        path = archive.members.path
        if not self._options.invalidate_signatures:
            require_unsigned(archive.members)
        require_record(archive.members)
        self._warn_of_sidecars(archive.members)
        after = edit_manifest(archive.before, add, remove, version=__version__)
        write = ArchiveWrite(path, _changes(archive, after), archive.members.identity)
        return UnitPlan(path, path, changes_of(add, remove), (), (write,))

    def _warn_of_sidecars(self, members: ArtifactMembers) -> None:
        for name in members.signed:
            if name not in members.names:
                message = f"{name} will no longer match {members.path.name}"
                self._note("sync.sidecar", message, "remove it, or sign the archive again")

    def _unfixable(self, path: Path) -> None:
        message = f"{path.name} is a PEX or shiv application and cannot be given a manifest"
        hint = "build it again from distributions that have their manifest"
        if self._options.skip_unfixable:
            self._note("sync.unfixable", message, hint)
        else:
            error = ConnectError(message, code="sync.unfixable", hint=hint)
            self._refusals.append(refusal(self._location, error))

    def _shim(
        self, add: Collection[ManifestLine], remove: Collection[ManifestLine]
    ) -> Iterator[UnitPlan]:
        path = self._origin / SHIM_WHEEL
        try:
            data = content_of(path, RECORD_LIMIT)
            archive = self._open(path) if data is not None else None
            before = archive.before if archive else b""
            stale = [line for line in remove if line in find_lines(before)]
            after = edit_manifest(before, add, stale, version=__version__)
        except ConnectError as error:
            self._refusals.append(refusal(self._location, error))
            return
        if after != before:
            write = FileWrite(path, data, shim_wheel(after) if after else None)
            yield UnitPlan(path, path, changes_of(add, stale), (), (write,))

    def _note(self, code: str, message: str, hint: str) -> None:
        place = str(self._origin)
        self._notes.append(Diagnostic(DiagnosticLevel.WARNING, code, place, message, hint=hint))


def _changes(archive: _Archive, after: bytes) -> Mapping[str, bytes | None]:
    """The members to write, so that manifest and RECORD match."""
    names = archive.members.names
    if archive.has_shim:
        files: dict[str, bytes | None] = {**shim_members(after)}
        gone = {name: None for name in files if name in names}
        return files if after else gone
    changes: dict[str, bytes | None] = {archive.manifest: after or None}
    if not after and archive.manifest not in names:
        changes = {}
    changes |= {name: None for name in archive.members.signed if name in names}
    record = f"{archive.members.metadata_directory}/RECORD"
    if record in names:
        changes[record] = edit_record(archive.members.read(record), changes)
    return changes


def _installed(name: str) -> str:
    """The path of a wheel's member below the import path after installation."""
    first, _, rest = name.partition("/")
    scheme, _, inner = rest.partition("/")
    return inner if first.endswith(".data") and scheme in {"purelib", "platlib"} else name


def _is_usable(path: Path) -> bool:
    """Whether discovery uses an archive: wheels for other platforms are left alone."""
    if not path.is_file() or path.suffix.lower() not in _SUFFIXES:
        return False
    if path.suffix.lower() != ".whl":
        return True
    try:
        tags = parse_wheel_filename(f"{path.stem}.whl")[3]
    except InvalidWheelFilename:
        return False
    return not tags.isdisjoint(sys_tags())
