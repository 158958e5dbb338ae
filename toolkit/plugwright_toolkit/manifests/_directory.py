"""Plans changes to a directory: the manifest for each line, and the files to write."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright import __version__
from plugwright.errors import ConnectError
from plugwright.plugins import Diagnostic, DiagnosticLevel
from plugwright_toolkit.manifests._distributions import Distributions
from plugwright_toolkit.manifests._files import (
    MANIFEST_LIMIT,
    RECORD_LIMIT,
    content_of,
    find_leftovers,
)
from plugwright_toolkit.manifests._shim import SHIM, shim_files
from plugwright_toolkit.manifests._values import DirectoryWrite, FileWrite, LocationPlan, UnitPlan
from plugwright_toolkit.manifests._wanted import changes_of
from plugwright_toolkit.manifests.editing import edit_manifest, find_lines
from plugwright_toolkit.record import SIGNATURES, edit_record, odd_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugwright.plugins import Location
    from plugwright_toolkit.manifests._disk import Disk
    from plugwright_toolkit.manifests._distributions import Distribution
    from plugwright_toolkit.manifests._values import SyncOptions, Write
    from plugwright_toolkit.manifests._wanted import Wanted
    from plugwright_toolkit.manifests.editing import ManifestLine

_MANIFEST = "entry_points.txt"
_EGG_LIST = "installed-files.txt"
_REASONS = {
    "sync.outside": "its metadata lies outside the location",
    "sync.managed": "a package manager owns it (--force-managed edits it all the same)",
    "sync.unrecorded": "it has no RECORD, which forbids changes (--edit-unrecorded edits it)",
    "sync.signed": "its RECORD is signed (--invalidate-signatures edits it and drops the "
    "signature)",
    "sync.unwritable": "its metadata cannot be written",
}
_STALE_HINTS = {
    "sync.outside": "correct the entry point where the metadata lies, or remove the link to it",
    "sync.unwritable": "run the command as a user who may write it",
}


@dataclass(slots=True)
class _Pending:
    """The lines to add to and remove from one manifest."""

    add: list[ManifestLine] = field(default_factory=list)
    remove: list[ManifestLine] = field(default_factory=list)


def plan_directory(
    location: Location, wanted: Wanted, options: SyncOptions, disk: Disk
) -> LocationPlan:
    """Plan the writes that make the manifests of a directory match.

    A line goes to the distribution that owns its module, or to the shim where there is none that
    may be edited. Nothing is written, except that writability is tried.
    """
    return _Planner(location, options, disk).plan(wanted)


class _Planner:
    def __init__(self, location: Location, options: SyncOptions, disk: Disk) -> None:
        self._location = location
        self._root = location.path
        self._options = options
        self._disk = disk
        self._distributions = Distributions(location)
        self._barred: dict[Path, str] = {}
        self._notes: list[Diagnostic] = []
        self._refusals: list[Diagnostic] = []
        own = [each.directory for each in self._distributions.all if not _outside(each)]
        self._leftovers = find_leftovers(self._root, [*own, *_unlinked(self._root / SHIM)])

    def plan(self, wanted: Wanted) -> LocationPlan:
        pending = {each.directory: _Pending() for each in self._distributions.all}
        shim = _Pending()
        for line in wanted.add:
            owner = self._home(line)
            (pending[owner.directory] if owner else shim).add.append(line)
        for each in self._distributions.all:
            pending[each.directory].remove = self._stale(each, wanted)
        units = [u for each in self._distributions.all for u in self._unit(each, pending)]
        shim.remove = [line for line in wanted.remove if line in _named(self._shim_manifest)]
        units += self._shim(shim)
        for link in sorted(self._root.glob("*.egg-link")):
            self._note("sync.egg-link", f"{link.name} points elsewhere; nothing is written there")
        return LocationPlan(
            self._location, units, self._notes, self._refusals, tuple(self._leftovers)
        )

    def _home(self, line: ManifestLine) -> Distribution | None:
        """The distribution to edit for a new line; ``None`` for the shim."""
        owner = None if self._options.shim else self._distributions.owner(line.module)
        if owner is None:
            return None
        if reason := self._bar(owner):
            message = f"is not edited, because {_REASONS[reason]}; the shim names its plugins"
            self._note(reason, message, owner)
            return None
        if owner.editable:
            message = "belongs to an editable install, whose next build drops the new lines"
            self._note("sync.editable", message, owner, "declare the entry point in its project")
        return owner

    def _bar(self, owner: Distribution) -> str:
        """The code of the reason why a distribution cannot be edited, or an empty string."""
        if owner.directory not in self._barred:
            reason = self._protection(owner)
            if not reason and not self._is_writable(owner.directory):
                reason = "sync.unwritable"
            self._barred[owner.directory] = reason
        return self._barred[owner.directory]

    def _protection(self, owner: Distribution) -> str:
        allowed = {
            "sync.managed": self._options.force_managed,
            "sync.unrecorded": self._options.edit_unrecorded,
            "sync.signed": self._options.invalidate_signatures,
        }
        return next((each for each in owner.protections if not allowed.get(each)), "")

    def _is_writable(self, directory: Path) -> bool:
        # With output_dir a copy is written, not this.
        if self._options.output_dir is not None:
            return True
        try:
            self._disk.probe(directory)
        except OSError:
            return False
        return True

    def _stale(self, owner: Distribution, wanted: Wanted) -> list[ManifestLine]:
        """The lines to remove from one distribution's manifest."""
        if not wanted.remove:
            return []
        named = _named(owner.directory / _MANIFEST)
        stale = [line for line in wanted.remove if line in named]
        if stale and owner.editable:
            message = "belongs to an editable install, whose code is elsewhere; stale lines stay"
            self._note("sync.editable", message, owner, "correct the entry point in its project")
            return []
        if stale and (reason := self._bar(owner)):
            message = (
                f"keeps its stale lines, because {_REASONS[reason]}; with them, a worker with "
                "plugin.discovery=hybrid_fail does not start"
            )
            self._note("sync.stale-kept", message, owner, _STALE_HINTS.get(reason, ""))
            return []
        return stale

    def _unit(self, owner: Distribution, pending: dict[Path, _Pending]) -> Iterator[UnitPlan]:
        todo, manifest = pending[owner.directory], owner.directory / _MANIFEST
        if not (todo.add or todo.remove) and not self._worth_checking(owner):
            return
        try:
            before = content_of(manifest, MANIFEST_LIMIT)
            after = edit_manifest(before or b"", todo.add, todo.remove, version=__version__) or None
            writes = list(self._writes(owner, before, after))
        except ConnectError as error:
            self._refusals.append(refusal(self._location, error, manifest))
            return
        if writes:
            changes = changes_of(todo.add, todo.remove)
            repairs = [] if changes else _repairs(writes, manifest)
            yield UnitPlan(manifest, self._location.origin, changes, repairs, writes)

    def _worth_checking(self, owner: Distribution) -> bool:
        """Whether an unchanged manifest may need repair; those of others are not touched."""
        if self._protection(owner):
            return False
        torn = any(path.parent == owner.directory for path in self._leftovers)
        return torn or bool(_named(owner.directory / _MANIFEST))

    def _writes(
        self, owner: Distribution, before: bytes | None, after: bytes | None
    ) -> Iterator[Write]:
        """The writes, with the manifest first and the files that list it last."""
        directory, manifest = owner.directory, owner.directory / _MANIFEST
        listed = None if owner.is_egg else owner.record
        rows: dict[str, bytes | None] = {f"{directory.name}/{_MANIFEST}": after}
        stale = listed is not None and edit_record(listed, rows) != listed
        gone = owner.signatures if before != after or stale else []
        if before != after:
            yield FileWrite(manifest, before, after, _model(directory))
        for signature in gone:
            yield FileWrite(signature, content_of(signature, RECORD_LIMIT), None)
        if listed is not None:
            left = set(owner.signatures) - set(gone)
            void = (directory / name for name in SIGNATURES)
            rows |= {f"{directory.name}/{file.name}": None for file in void if file not in left}
            yield from self._record(owner, listed, edit_record(listed, rows))
        elif owner.is_egg:
            yield from _egg_list(directory / _EGG_LIST, present=after is not None)

    def _record(self, owner: Distribution, before: bytes, after: bytes) -> Iterator[Write]:
        if before != after:
            for odd in odd_rows(before):
                self._note("sync.odd-record", f"RECORD {odd}; it was kept", owner)
            yield FileWrite(owner.directory / "RECORD", before, after)

    @property
    def _shim_manifest(self) -> Path:
        return self._root / SHIM / _MANIFEST

    def _shim(self, todo: _Pending) -> Iterator[UnitPlan]:
        directory = self._root / SHIM
        try:
            if directory.is_symlink():
                raise _linked(directory)
            before = content_of(self._shim_manifest, MANIFEST_LIMIT)
            after = edit_manifest(before or b"", todo.add, todo.remove, version=__version__)
            writes = list(_shim_writes(directory, after))
        except ConnectError as error:
            self._refusals.append(refusal(self._location, error, directory))
            return
        if writes:
            changes = changes_of(todo.add, todo.remove)
            repairs = [] if changes else ["files of the shim"]
            yield UnitPlan(self._shim_manifest, self._location.origin, changes, repairs, writes)

    def _note(
        self, code: str, message: str, owner: Distribution | None = None, hint: str = ""
    ) -> None:
        file = owner.directory.name if owner else ""
        place = str(self._location.origin)
        note = Diagnostic(DiagnosticLevel.WARNING, code, place, message, file, hint=hint)
        if note not in self._notes:
            self._notes.append(note)


def refusal(location: Location, error: ConnectError, file: Path | None = None) -> Diagnostic:
    """The reason why a location is not changed, for the report."""
    path = Path(str(error.facts.get("path", file or location.origin)))
    inside = (
        path.relative_to(root).as_posix()
        for root in (location.path, location.origin)
        if root in path.parents
    )
    return Diagnostic(
        DiagnosticLevel.ERROR,
        error.code,
        str(location.origin),
        str(error),
        next(inside, ""),
        hint=error.hint,
    )


def _outside(owner: Distribution) -> bool:
    return "sync.outside" in owner.protections


def _unlinked(directory: Path) -> list[Path]:
    return [] if directory.is_symlink() else [directory]


def _named(manifest: Path) -> list[ManifestLine]:
    """The lines of a manifest, if it can be read."""
    try:
        return find_lines(content_of(manifest, MANIFEST_LIMIT) or b"")
    except ConnectError:
        return []


def _model(directory: Path) -> Path | None:
    """A file whose mode and owner a new manifest should copy."""
    files = (directory / name for name in ("RECORD", "METADATA", "PKG-INFO"))
    return next((file for file in files if file.is_file()), None)


def _repairs(writes: list[Write], manifest: Path) -> list[str]:
    targets = [write.target for write in writes]
    return ["repeated lines" if manifest in targets else f"RECORD row of {manifest.name}"]


def _shim_writes(directory: Path, manifest: bytes) -> Iterator[Write]:
    if not directory.is_dir():
        if manifest:
            yield DirectoryWrite(directory, shim_files(manifest))
        return
    if not manifest:
        yield DirectoryWrite(directory, {})
        return
    files = shim_files(manifest)
    for name in sorted(files, key=lambda name: (name != _MANIFEST, name == "RECORD", name)):
        before = content_of(directory / name, RECORD_LIMIT)
        if before != files[name]:
            yield FileWrite(directory / name, before, files[name], directory / "METADATA")


def _egg_list(path: Path, *, present: bool) -> Iterator[Write]:
    """The list of files that older setuptools kept, relative to the metadata directory."""
    before = content_of(path, RECORD_LIMIT)
    if before is None:
        return
    lines = before.splitlines(keepends=True)
    listed = [line for line in lines if line.strip() == _MANIFEST.encode()]
    if present and not listed:
        end = b"" if not lines or lines[-1].endswith(b"\n") else b"\n"
        yield FileWrite(path, before, before + end + _MANIFEST.encode() + b"\n")
    elif listed and not present:
        yield FileWrite(path, before, b"".join(line for line in lines if line not in listed))


def _linked(directory: Path) -> ConnectError:
    return ConnectError(
        "is a link, and nothing is written through it",
        code="sync.linked-shim",
        hint="remove the link, then run the command again",
        facts={"path": str(directory)},
    )
