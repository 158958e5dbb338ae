"""Disks that fail at a chosen step, and a process that ends there."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from plugwright_toolkit.manifests import Disk

KILLED = 9


class CountingDisk(Disk):
    """Calls `fail` at every step that changes something, before or amid it.

    Every write of a sync goes through the class below; a test watches that none goes past it.
    """

    def __init__(self, at=-1):
        self.steps = []
        self.at = at

    def _step(self, name, partial=lambda: None):
        self.steps.append(name)
        if len(self.steps) - 1 == self.at:
            partial()
            self.fail()

    def fail(self):
        """What happens at the chosen step."""

    def create(self, path, data, mode=0o644):
        """Fail before the file is there; write and flush are steps of their own."""
        self._step(f"create {path.name}")
        super().create(path, data, mode)

    def write(self, descriptor, data):
        """Fail with half of the data written."""
        self._step("write", lambda: os.write(descriptor, data[: len(data) // 2]))
        super().write(descriptor, data)

    def flush(self, descriptor):
        """Fail before the data are on the medium."""
        self._step("flush")
        super().flush(descriptor)

    def rename(self, source, target):
        """Fail before the name changes."""
        self._step(f"rename to {target.name}")
        super().rename(source, target)

    def link(self, source, target):
        """Fail before the second name is there."""
        self._step("link")
        super().link(source, target)

    def copy(self, source, target):
        """Fail with half of the copy written."""
        data = source.read_bytes()
        self._step("copy", lambda: target.write_bytes(data[: len(data) // 2]))
        super().copy(source, target)

    def copy_tree(self, source, target):
        """Fail with an empty directory."""
        self._step("copy tree", target.mkdir)
        super().copy_tree(source, target)

    def make_directory(self, path):
        """Fail before the directory is there."""
        self._step("mkdir")
        super().make_directory(path)

    def make_directories(self, path):
        """Fail before the directory is there."""
        self._step("mkdirs")
        super().make_directories(path)

    def remove(self, path):
        """Fail with the first file of a directory gone."""
        files = [each for each in sorted(path.rglob("*")) if each.is_file()]
        self._step("remove", lambda: [each.unlink() for each in files[:1]])
        super().remove(path)

    def touch(self, path, seconds=None):
        """Fail before the time changes."""
        self._step("touch")
        super().touch(path, seconds)

    def resemble(self, path, model):
        """Fail before mode and owner are those of the model."""
        self._step("resemble")
        super().resemble(path, model)

    def rewrite_archive(self, path, changes, target):
        """Fail with half of the archive written."""
        data = Path(path).read_bytes()
        self._step("archive", lambda: target.write_bytes(data[: len(data) // 2]))
        super().rewrite_archive(path, changes, target)


class KillingDisk(CountingDisk):
    """Ends the process at the chosen step, as a signal would."""

    def fail(self):
        """End at once: no handler, no flush, no cleanup."""
        os._exit(KILLED)


class BrokenDisk(CountingDisk):
    """Raises an error of the system at the chosen step, and at every later one of its kind."""

    def __init__(self, at=-1, number=errno.ENOSPC):
        super().__init__(at)
        self._number = number

    def fail(self):
        """Say what the system would."""
        raise OSError(self._number, os.strerror(self._number), "somewhere")


class ReadOnlyDisk(CountingDisk):
    """A file system that is mounted for reading, also for root."""

    def probe(self, directory):
        """Fail as the system does."""
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(directory))


def in_child(run):
    """Run something in a child process; its exit status."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            run()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
