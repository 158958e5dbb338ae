"""Backs up originals before they change, or changes copies instead."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.plugins import LocationKind
from plugwright_toolkit.manifests._files import find_leftovers, temporary
from plugwright_toolkit.manifests._values import DirectoryWrite

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from plugwright.plugins import Location
    from plugwright_toolkit.manifests._disk import Disk
    from plugwright_toolkit.manifests._values import LocationPlan

_DIRECTORIES = frozenset(
    {LocationKind.TARGET_DIR, LocationKind.MODULE_DIR, LocationKind.WHEEL_DIR, LocationKind.VENV}
)


def back_up(plan: LocationPlan, directory: Path, disk: Disk) -> None:
    """Back up the files that a plan replaces to ``directory/NAME``, or ``NAME.1`` if that exists.

    Raises:
        OSError: if that cannot be written.
    """
    origin = plan.location.origin
    base = origin if plan.location.kind in _DIRECTORIES else origin.parent
    copies = _free_name(directory / origin.name)
    for write in (write for unit in plan.units for write in unit.writes):
        if isinstance(write, DirectoryWrite):
            files = sorted(write.target.rglob("*")) if not write.files else []
        else:
            files = [write.target]
        for file in files:
            if file.is_file():
                target = copies / file.relative_to(base)
                disk.make_directories(target.parent)
                disk.copy(file, target)
                disk.resemble(target, file)


def _free_name(path: Path) -> Path:
    candidate, number = path, 0
    while candidate.exists():
        number += 1
        candidate = path.with_name(f"{path.name}.{number}")
    return candidate


@contextmanager
def copy_of(location: Location, directory: Path, disk: Disk) -> Iterator[Location]:
    """A copy of a location, which is renamed to its final name when the block succeeds.

    Raises:
        OSError: if the copy cannot be written.
    """
    target = directory / location.origin.name
    disk.make_directories(directory)
    for leftover in find_leftovers(directory, of=target.name):
        disk.remove(leftover)
    workshop = temporary(target)
    copy = workshop / target.name
    try:
        disk.make_directory(workshop)
        if location.kind in _DIRECTORIES:
            disk.copy_tree(location.origin, copy)
        else:
            disk.copy(location.origin, copy)
            disk.resemble(copy, location.origin)
        yield (
            replace(location, path=copy)
            if location.artifact is None
            else replace(location, artifact=copy)
        )
        disk.rename(copy, target)
        disk.flush_directory(directory)
    finally:
        if workshop.exists():
            disk.remove(workshop)


def require_alike(plan: LocationPlan, copied: LocationPlan) -> None:
    """Reject a copy in which a link would redirect a write to the original.

    Raises:
        ConnectError: ``sync.output-linked``.
    """
    own, other = (
        {unit.manifest.relative_to(each.location.origin) for unit in each.units}
        for each in (plan, copied)
    )
    for manifest in sorted(own - other):
        raise ConnectError(
            f"{manifest.parent.name} is a link that leads out of the copy",
            code="sync.output-linked",
            hint="replace the link with its target, or sync in place",
            facts={"path": str(plan.location.origin / manifest.parent)},
        )
