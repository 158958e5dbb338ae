"""Copies of originals before they change, and changed copies instead of changed originals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.plugins import LocationKind
from plugwright_toolkit.manifests._leftovers import find_leftovers, temporary
from plugwright_toolkit.manifests._values import ArchiveWrite, DirectoryWrite, FileWrite

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from plugwright_toolkit.manifests._disk import Disk
    from plugwright_toolkit.manifests._values import LocationPlan, UnitPlan, Write

_DIRECTORIES = frozenset(
    {LocationKind.TARGET_DIR, LocationKind.MODULE_DIR, LocationKind.WHEEL_DIR, LocationKind.VENV}
)


def back_up(plan: LocationPlan, directory: Path, disk: Disk) -> None:
    """Copy what a plan replaces to ``directory/NAME``, or ``NAME.1`` if that is there already.

    Raises:
        OSError: if that cannot be written.
    """
    origin = plan.location.origin
    base = origin if plan.location.kind in _DIRECTORIES else origin.parent
    room = _free_name(directory / origin.name)
    for write in (write for unit in plan.units for write in unit.writes):
        if isinstance(write, DirectoryWrite):
            files = sorted(write.target.rglob("*")) if not write.files else []
        else:
            files = [write.target]
        for file in files:
            if file.is_file():
                target = room / file.relative_to(base)
                disk.make_directories(target.parent)
                disk.copy(file, target)
                disk.resemble(target, file)


def _free_name(path: Path) -> Path:
    candidate, number = path, 0
    while candidate.exists():
        number += 1
        candidate = path.with_name(f"{path.name}.{number}")
    return candidate


@dataclass(frozen=True, slots=True)
class Copy:
    """A plan whose writes go to a copy.

    Attributes:
        staged: the copy of a directory under a temporary name, or ``None``.
        target: its name at the end.
    """

    units: Sequence[UnitPlan]
    staged: Path | None
    target: Path

    def publish(self, disk: Disk) -> None:
        """Give the copy its name."""
        if self.staged is not None:
            disk.rename(self.staged, self.target)
        disk.flush_directory(self.target.parent)

    def discard(self, disk: Disk) -> None:
        """Drop a copy that has not got its name."""
        if self.staged is not None and self.staged.exists():
            disk.remove(self.staged)


def copy_of(plan: LocationPlan, directory: Path, disk: Disk) -> Copy:
    """Copy a location into a directory, and the plan with it.

    Raises:
        ConnectError: ``sync.output-linked``, if a link would lead a write back to the original.
        OSError: if the copy cannot be written.
    """
    disk.make_directories(directory)
    for leftover in find_leftovers(directory, of=plan.location.origin.name):
        disk.remove(leftover)
    origin = plan.location.origin
    target = directory / origin.name
    if plan.location.kind not in _DIRECTORIES:
        return Copy([_moved(unit, origin, target) for unit in plan.units], None, target)
    staged = temporary(target)
    copied = Copy([_moved(unit, origin, staged) for unit in plan.units], staged, target)
    try:
        disk.copy_tree(origin, staged)
        _require_inside(copied, staged)
    except BaseException:
        copied.discard(disk)
        raise
    return copied


def _moved(unit: UnitPlan, origin: Path, target: Path) -> UnitPlan:
    return replace(
        unit,
        manifest=_place(unit.manifest, origin, target),
        artifact=_place(unit.artifact, origin, target),
        writes=tuple(_moved_write(write, origin, target) for write in unit.writes),
    )


def _moved_write(write: Write, origin: Path, target: Path) -> Write:
    moved = replace(write, target=_place(write.target, origin, target))
    if isinstance(moved, FileWrite) and moved.model is not None:
        return replace(moved, model=_place(moved.model, origin, target))
    return moved


def _place(path: Path, origin: Path, target: Path) -> Path:
    return target / path.relative_to(origin) if path != origin else target


def _require_inside(copied: Copy, staged: Path) -> None:
    for write in (write for unit in copied.units for write in unit.writes):
        inside = write.target.parent.resolve().is_relative_to(staged.resolve())
        if not inside and not isinstance(write, ArchiveWrite):
            raise ConnectError(
                f"{write.target.parent.name} is a link that leads out of the copy",
                code="sync.output-linked",
                hint="replace the link by what it leads to, or sync in place",
                facts={"path": str(write.target.parent)},
            )
