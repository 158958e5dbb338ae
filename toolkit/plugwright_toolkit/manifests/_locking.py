"""Locks a location: one sync at a time, and none while a worker uses it."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError, SetupError
from plugwright.plugins import in_use_lock, lock_file
from plugwright_toolkit.manifests._files import temporary

if TYPE_CHECKING:
    from plugwright_toolkit.manifests._disk import Disk

_MARKER = ".connect-plugin-path.lock"
_PAUSE_S = 0.05


class LocationLock:
    """The lock for changing one location.

    It consists of two locks: a system lock, which ends with the process and blocks other
    syncs of this user, and, while files change, a marker file for all other processes.

    Args:
        origin: the file or directory on the plugin path.
        place: the directory, or the archive, beside whose files the marker goes.
        disk: writes the marker.
        patience_s: how long to wait for others.
    """

    def __init__(self, origin: Path, place: Path, disk: Disk, patience_s: float) -> None:
        self._origin = origin
        self._disk = disk
        self._patience_s = patience_s
        self._descriptors: list[int] = []
        self._marked = False
        self.took_over = False
        self._model = place / "lock" if place.is_dir() else place
        name = _MARKER if place.is_dir() else f".{place.name}{_MARKER}"
        self._marker = self._model.with_name(name)

    def acquire(self) -> None:
        """Wait until no other sync of this user works on the location.

        Raises:
            ConnectError: ``sync.locked``, if that takes too long.
            SetupError: if there is no place for the lock.
        """
        descriptor = self._opened(lock_file(self._origin, "sync"))
        deadline = time.monotonic() + self._patience_s
        while not _locked(descriptor):
            self._wait(deadline, "another sync works on it")

    def _opened(self, path: Path) -> int:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise SetupError(
                f"the lock {path} cannot be opened: {error.strerror}",
                code="environment.cache-not-writable",
                hint="set PLUGWRIGHT_CACHE to a directory that can be written",
                facts={"path": str(path), "errno": error.errno},
            ) from error
        self._descriptors.append(descriptor)
        return descriptor

    def require_unused(self) -> None:
        """Fail while a worker uses the location, and keep workers out meanwhile.

        Raises:
            ConnectError: ``sync.in-use``.
        """
        descriptor = self._opened(in_use_lock(self._origin))
        if not _locked(descriptor):
            raise ConnectError(
                "is in use by a worker",
                code="sync.in-use",
                hint="stop the worker, or go on all the same with --in-use-ok",
                facts={"location": str(self._origin)},
            )

    def stale_marker(self) -> Path | None:
        """The marker of a process that has ended, if there is one."""
        holder = _read(self._marker)
        return self._marker if holder is not None and _is_gone(holder) else None

    def mark(self) -> None:
        """Create the marker, taking over that of a process that has ended.

        If it cannot be written, or the file system has no hard links, the other lock must suffice.

        Raises:
            ConnectError: ``sync.locked``, if another process keeps its marker too long.
        """
        fresh = temporary(self._model)
        deadline = time.monotonic() + self._patience_s
        try:
            with suppress(OSError):
                self._disk.create(fresh, json.dumps(_self()).encode(), 0o644)
                while not self._marked and self._can_mark(fresh):
                    self._yield_or_take_over(deadline)
        finally:
            with suppress(FileNotFoundError):
                self._disk.remove(fresh)

    def _can_mark(self, fresh: Path) -> bool:
        """Try to give the file its name, whole from its first moment; whether to try again."""
        try:
            self._disk.link(fresh, self._marker)
        except FileExistsError:
            return True
        except OSError:
            return False
        self._marked = True
        return False

    def _yield_or_take_over(self, deadline: float) -> None:
        if self.stale_marker() is None:
            self._wait(deadline, f"the process that wrote {self._marker} works on it")
            return
        aside = temporary(self._model)
        with suppress(FileNotFoundError):
            self._disk.rename(self._marker, aside)
            self._disk.remove(aside)
            self.took_over = True

    def _wait(self, deadline: float, why: str) -> None:
        if time.monotonic() >= deadline:
            raise ConnectError(
                f"is locked: {why}",
                code="sync.locked",
                hint="wait until it has ended, then run the command again; "
                f"if nothing runs on any machine, remove {self._marker}",
                facts={"location": str(self._origin)},
            )
        time.sleep(_PAUSE_S)

    def unmark(self) -> None:
        """Remove our marker, if there is one."""
        if self._marked:
            self._marked = False
            with suppress(FileNotFoundError):
                self._disk.remove(self._marker)

    def release(self) -> None:
        """Release all locks."""
        with suppress(OSError):
            self.unmark()
        while self._descriptors:
            os.close(self._descriptors.pop())


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _self() -> dict[str, object]:
    pid = os.getpid()
    return {"pid": pid, "host": platform.node(), "boot": _boot(), "started": _started(pid)}


def _read(marker: Path) -> dict[str, object] | None:
    """The process that a marker names; ``None`` if there is no readable marker."""
    try:
        holder = json.loads(marker.read_bytes())
    except (OSError, ValueError):
        return None
    return holder if isinstance(holder, dict) else None


def _is_gone(holder: dict[str, object]) -> bool:
    """Whether a process of this machine has ended; unknown, and so false, for other machines."""
    pid = holder.get("pid")
    if holder.get("host") != platform.node() or not isinstance(pid, int) or pid <= 0:
        return False
    if holder.get("boot") != _boot():
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return holder.get("started") != _started(pid)


def _boot() -> str:
    """An identifier that changes whenever the machine starts, if there is one."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def _started(pid: int) -> str:
    """The start time of a process, which distinguishes it from a later one with its id."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    return status.rpartition(")")[2].split()[19]
