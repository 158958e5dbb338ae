"""Values: what a sync is asked for, what it plans, and its result."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from plugwright.plugins import Diagnostic, Location
    from plugwright_toolkit.manifests.editing import ManifestLine


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """What to sync, and how far to go.

    Attributes:
        locations: in the order of the report.
        dry_run: plan and test that everything can be written, but write nothing.
        check: the same, for builds that want to know whether anything is to be done.
        keep_not_found: leave lines alone whose class is not there.
        shim: put new lines into the shim instead of the owning distribution.
        edit_unrecorded: edit distributions without RECORD, too.
        force_managed: edit what a system package manager or conda has installed, too.
        invalidate_signatures: edit signed artifacts and drop their signatures.
        in_use_ok: go on although a worker uses the location.
        skip_unfixable: leave out what cannot carry a manifest instead of failing.
        continue_: change the good locations although others cannot be changed.
        backup_dir: where originals are copied before anything changes.
        output_dir: where changed copies of whole artifacts go; the originals are not touched.
        exclude: patterns of modules or files that are not scanned.
    """

    locations: tuple[Location, ...] = ()
    dry_run: bool = False
    check: bool = False
    keep_not_found: bool = False
    shim: bool = False
    edit_unrecorded: bool = False
    force_managed: bool = False
    invalidate_signatures: bool = False
    in_use_ok: bool = False
    skip_unfixable: bool = False
    continue_: bool = False
    backup_dir: Path | None = None
    output_dir: Path | None = None
    exclude: tuple[str, ...] = ()

    @property
    def writes(self) -> bool:
        """Whether anything may be changed."""
        return not (self.dry_run or self.check)


class Action(Enum):
    """What happens to a plugin's line; the words are those of Kafka's tool."""

    ADD = "Add"
    REMOVE = "Remove"


@dataclass(frozen=True, slots=True)
class ManifestChange:
    """One class as one kind of plugin that a manifest gains or loses."""

    action: Action
    type: str
    line: ManifestLine

    @property
    def class_name(self) -> str:
        """Dotted name of the class."""
        return self.line.name


@dataclass(frozen=True, slots=True)
class FileWrite:
    """One file that gets other bytes.

    Attributes:
        before: what it must still hold; ``None`` if it must not exist.
        after: what it shall hold; ``None`` if it goes.
        model: whose mode and owner a new file gets.
    """

    target: Path
    before: bytes | None
    after: bytes | None
    model: Path | None = None


@dataclass(frozen=True, slots=True)
class DirectoryWrite:
    """One directory that appears with files or, if there are none, goes."""

    target: Path
    files: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class ArchiveWrite:
    """One archive that is written again with some members changed.

    Attributes:
        identity: device, inode, size and modification time that it must still have.
    """

    target: Path
    members: Mapping[str, bytes | None]
    identity: tuple[int, ...]


Write = FileWrite | DirectoryWrite | ArchiveWrite


@dataclass(frozen=True, slots=True)
class UnitPlan:
    """What happens to one manifest.

    Attributes:
        manifest: the file that is reported: the manifest, or the archive that holds it.
        artifact: the location or archive whose manifests are read again afterwards.
        changes: sorted; additions first.
        repairs: what else is put right, one phrase each.
        writes: in the order in which they become visible.
    """

    manifest: Path
    artifact: Path
    changes: Sequence[ManifestChange]
    repairs: Sequence[str]
    writes: Sequence[Write]

    def count(self, action: Action) -> int:
        """How many classes, each kind for itself, are added or removed."""
        return sum(change.action is action for change in self.changes)


@dataclass(frozen=True, slots=True)
class LocationPlan:
    """What happens to one location.

    Attributes:
        units: manifests that change; none if all is well.
        notes: what the operator should know.
        refusals: why nothing of it can be changed; none if it can.
        leftovers: temporary files of a run that did not end.
    """

    location: Location
    units: Sequence[UnitPlan] = ()
    notes: Sequence[Diagnostic] = ()
    refusals: Sequence[Diagnostic] = ()
    leftovers: Sequence[Path] = ()

    @property
    def needed(self) -> bool:
        """Whether there is anything to do."""
        return bool(self.units or self.leftovers)


class SyncState(Enum):
    """What became of a location."""

    UNCHANGED = "unchanged"
    PLANNED = "planned"
    CHANGED = "changed"
    SKIPPED = "skipped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class LocationOutcome:
    """A location's plan and what became of it.

    Attributes:
        plan: its refusals include what went wrong while writing.
        diagnostics: what the survey of the location found.
    """

    plan: LocationPlan
    state: SyncState
    diagnostics: Sequence[Diagnostic] = ()


@dataclass(frozen=True, slots=True)
class SyncResult:
    """What a sync did, or would do, to each location, in the order of the options."""

    outcomes: Sequence[LocationOutcome]
    dry_run: bool = False

    @property
    def changed(self) -> bool:
        """Whether anything was written."""
        return any(outcome.state is SyncState.CHANGED for outcome in self.outcomes)

    @property
    def needed(self) -> bool:
        """Whether anything was or is to be written."""
        return any(outcome.plan.needed for outcome in self.outcomes)

    @property
    def failed(self) -> bool:
        """Whether a location could not be brought into order; its refusals say why."""
        return any(outcome.plan.refusals for outcome in self.outcomes)
