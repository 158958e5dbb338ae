"""Checks, before anything changes, whether all changes are possible."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.plugins import LocationKind
from plugwright_toolkit.manifests._directory import refusal
from plugwright_toolkit.manifests._values import ArchiveWrite, FileWrite

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from plugwright.plugins import Diagnostic
    from plugwright_toolkit.manifests._disk import Disk
    from plugwright_toolkit.manifests._values import LocationPlan, SyncOptions, Write

_LEAST = 1 << 16
_SPARE = 2  # the new files beside the old ones, and as much again


def preflight(plan: LocationPlan, options: SyncOptions, disk: Disk) -> list[Diagnostic]:
    """The reasons why a plan cannot be carried out; empty if it can.

    Creates a file in each directory that would change, and requires free space for twice of what
    will be written.
    """
    writes = [write for unit in plan.units for write in unit.writes]
    return [
        refusal(plan.location, error)
        for error in (
            *_directories(plan, writes, options, disk),
            *_mounts(writes),
            *_output(plan, options),
        )
    ]


def _directories(
    plan: LocationPlan, writes: Sequence[Write], options: SyncOptions, disk: Disk
) -> Iterator[ConnectError]:
    needs: dict[Path, int] = {}
    for write in writes:
        for directory in _places(write.target.parent, options):
            needs[directory] = needs.get(directory, _LEAST) + _SPARE * _size(write)
    if options.output_dir is None:
        for leftover in plan.leftovers:
            needs.setdefault(leftover.parent, _LEAST)
    for directory, needed in needs.items():
        try:
            disk.probe(directory)
            free = disk.free_space(directory)
        except OSError as error:
            yield _unwritable(directory, error)
            continue
        if free < needed:
            yield _full(directory, free, needed)


def _places(own: Path, options: SyncOptions) -> Iterator[Path]:
    """The existing directories that a write touches."""
    yield own if options.output_dir is None else _existing(options.output_dir)
    if options.backup_dir is not None:
        yield _existing(options.backup_dir)


def _existing(directory: Path) -> Path:
    return next(
        path for path in (directory.absolute(), *directory.absolute().parents) if path.exists()
    )


def _size(write: Write) -> int:
    if isinstance(write, ArchiveWrite):
        return write.target.stat().st_size
    if isinstance(write, FileWrite):
        return len(write.after or b"")
    return sum(map(len, write.files.values()))


def _mounts(writes: Sequence[Write]) -> Iterator[ConnectError]:
    """Files that are mount points, which a rename cannot replace."""
    for target in (write.target for write in writes if os.path.lexists(write.target)):
        if target.lstat().st_dev != target.parent.stat().st_dev:
            yield ConnectError(
                "is mounted there on its own and cannot be replaced",
                code="sync.mounted",
                hint="sync the original of the mount",
                facts={"path": str(target)},
            )


def _output(plan: LocationPlan, options: SyncOptions) -> Iterator[ConnectError]:
    if options.output_dir is None or not plan.units:
        return
    target = options.output_dir / plan.location.origin.name
    if options.output_dir.resolve().is_relative_to(plan.location.origin.resolve()):
        yield ConnectError(
            f"{options.output_dir} lies in {plan.location.origin}, of which it is to hold a copy",
            code="sync.output-inside",
            hint="name a directory outside of every location",
        )
    if plan.location.kind is LocationKind.VENV:
        yield ConnectError(
            f"{plan.location.origin} is a virtual environment, of which copies do not work",
            code="sync.output-venv",
            hint="sync it in place, or make a new environment and sync that",
        )
    elif target.exists():
        yield ConnectError(
            f"{target} exists already",
            code="sync.output-exists",
            hint="name an empty directory, or remove what is there",
            facts={"path": str(target)},
        )


def _unwritable(directory: Path, error: OSError) -> ConnectError:
    return ConnectError(
        f"Path {directory} must be writable: {error.strerror} (errno {error.errno})",
        code="sync.not-writable",
        hint="run the command as its owner, or write changed copies elsewhere with --output-dir",
        facts={"directory": str(directory), "errno": error.errno},
    )


def _full(directory: Path, free: int, needed: int) -> ConnectError:
    return ConnectError(
        f"{directory} has {free} bytes left, {needed} are needed",
        code="sync.no-space",
        hint="free some space there, then run the command again",
        facts={"directory": str(directory), "free": free, "needed": needed},
    )
