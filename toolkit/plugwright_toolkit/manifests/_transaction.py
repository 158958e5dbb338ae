"""Making a plan true: everything is written beside its place first, then only renamed."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright_toolkit.manifests._files import RECORD_LIMIT, content_of, temporary
from plugwright_toolkit.manifests._values import ArchiveWrite, DirectoryWrite, FileWrite

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from plugwright_toolkit.manifests._disk import Disk
    from plugwright_toolkit.manifests._values import Write

_MODE = 0o644


@dataclass(slots=True)
class _Step:
    """One file or directory on its way to its name.

    Attributes:
        staged: the new one under a temporary name; ``None`` if the old one only goes.
        aside: the old one under a temporary name, until all is verified.
        published: whether its turn has come.
    """

    target: Path
    staged: Path | None = None
    aside: Path | None = None
    published: bool = False

    @property
    def has_changed(self) -> bool:
        """Whether the name means something else now, as far as the disk shows."""
        if self.staged is not None:
            return self.published and not os.path.lexists(self.staged)
        return self.aside is not None and os.path.lexists(self.aside)


class Transaction:
    """All writes of one location: staged, published, and kept or undone."""

    def __init__(self, disk: Disk, writes: Sequence[Write]) -> None:
        self._disk = disk
        self._writes = writes
        self._steps: list[_Step] = []

    def stage(self) -> None:
        """Write and flush every new file under a temporary name; no name changes its meaning.

        Raises:
            ConnectError: ``sync.changed``, if a file is not what the plan was made for.
            OSError: if something cannot be written.
        """
        for write in self._writes:
            step = _Step(write.target)
            self._steps.append(step)
            match write:
                case FileWrite():
                    self._stage_file(write, step)
                case ArchiveWrite():
                    self._stage_archive(write, step)
                case DirectoryWrite():
                    self._stage_directory(write, step)

    def _stage_file(self, write: FileWrite, step: _Step) -> None:
        if content_of(write.target, RECORD_LIMIT) != write.before:
            raise _changed(write.target)
        if write.after is None:
            return
        step.staged = temporary(write.target)
        self._disk.create(step.staged, write.after, _MODE)
        model = write.target if write.before is not None else write.model
        if model is not None:
            self._disk.resemble(step.staged, model)

    def _stage_archive(self, write: ArchiveWrite, step: _Step) -> None:
        status = write.target.stat()
        found = status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
        if found != write.identity:
            raise _changed(write.target)
        step.staged = temporary(write.target)
        self._disk.rewrite_archive(write.target, write.members, step.staged)
        self._disk.resemble(step.staged, write.target)
        seconds = os.environ.get("SOURCE_DATE_EPOCH", "")  # reproducible builds
        if seconds.isdigit():
            self._disk.touch(step.staged, int(seconds))

    def _stage_directory(self, write: DirectoryWrite, step: _Step) -> None:
        if not write.files:
            return
        if write.target.exists():
            raise _changed(write.target)
        step.staged = temporary(write.target)
        self._disk.make_directory(step.staged)
        for name, data in write.files.items():
            self._disk.create(step.staged / name, data, _MODE)
        self._disk.flush_directory(step.staged)

    def publish(self) -> None:
        """Let the names mean the new files, one rename each, in the order of the plan.

        Raises:
            OSError: if a rename is refused; `undo` makes good what was done before.
        """
        for step in self._steps:
            self._publish(step)
        for directory in dict.fromkeys(step.target.parent for step in self._steps):
            self._disk.flush_directory(directory)

    def _publish(self, step: _Step) -> None:
        step.published = True
        if os.path.lexists(step.target):
            step.aside = temporary(step.target)
            if step.staged is None:
                self._disk.rename(step.target, step.aside)
            else:
                self._keep(step.target, step.aside)
        if step.staged is not None:
            self._disk.rename(step.staged, step.target)

    def _keep(self, target: Path, aside: Path) -> None:
        """Keep the old file for `undo`, by a second name or, without such, as a copy."""
        try:
            self._disk.link(target, aside)
        except OSError:
            self._disk.copy(target, aside)
            self._disk.resemble(aside, target)

    def undo(self) -> None:
        """Let every name mean again what it meant before, and drop the new files.

        Raises:
            OSError: if a name cannot be changed back; both files are left for the next run.
        """
        for step in reversed(self._steps):
            if step.has_changed:
                if step.aside is not None:
                    self._disk.rename(step.aside, step.target)
                else:
                    self._disk.remove(step.target)
            step.published = False
        self.finish()

    def finish(self) -> None:
        """Remove what is left under temporary names."""
        for step in self._steps:
            for path in (step.staged, step.aside):
                if path is not None and os.path.lexists(path):
                    with suppress(FileNotFoundError):
                        self._disk.remove(path)
            step.aside = None


def _changed(path: Path) -> ConnectError:
    return ConnectError(
        "has changed since the plan was made",
        code="sync.changed",
        hint="let nothing else write there, then run the command again",
        facts={"path": str(path)},
    )
