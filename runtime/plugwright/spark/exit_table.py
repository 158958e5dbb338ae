"""Records how the forked workers of Spark's Python daemon ended.

Spark's daemon ignores how its workers end, and a killed process cannot report anything.
So the daemon shares memory with them: a worker writes the current call of its plugin,
the daemon writes how it ended, and the next worker sends both to the driver.
"""

from __future__ import annotations

import mmap
import os
import signal
import struct
import tempfile
from contextlib import suppress
from functools import partial
from pathlib import Path

from plugwright.processes import PHASE_SIZE, marked_phase, phase_mark

_VARIABLE = "PLUGWRIGHT_EXIT_BOARD"
_ENTRY = struct.Struct(f"=qq{PHASE_SIZE}s")  # process id, 1 + the wait status or 0, phase
_SLOTS = 512
_SIZE = _ENTRY.size * _SLOTS
_UNLINKED = " (deleted)"  # how Linux marks the name of an open file without one


class ExitTable:
    """Memory that a daemon shares with its workers: how each ended, and in which phase.

    A worker uses the slot that its process id maps to, replacing an older entry.

    Args:
        file: descriptor of the memory.
    """

    def __init__(self, file: int) -> None:
        self._memory = mmap.mmap(file, _SIZE)
        self._pid = os.getpid()

    @classmethod
    def create(cls) -> ExitTable:
        """Create it for all processes forked from this one (see `inherited`)."""
        with tempfile.TemporaryFile() as file:
            file.truncate(_SIZE)
            kept = os.dup(file.fileno())
        os.environ[_VARIABLE] = str(kept)
        return cls(kept)

    @classmethod
    def inherited(cls) -> ExitTable | None:
        """The table of the daemon that this process was forked from, if any."""
        try:
            return cls(int(os.environ[_VARIABLE]))
        except (KeyError, ValueError, OSError):
            return None  # Spark's own daemon, or none

    def watch_children(self) -> None:
        """Record how the children of this process end, from its first fork on.

        Spark's daemon resets the handler for child processes when it takes control; forking is
        the next thing that it does.
        """
        os.register_at_fork(before=partial(self._listen, os.getpid()))

    def enter(self, phase: str) -> None:
        """Record the current call of this process's plugin, or "" for none."""
        self._write(self._pid, 0, phase_mark(phase))

    def ended(self, pid: int, status: int) -> None:
        """Record the wait status of a process that ended."""
        found, _, phase = _ENTRY.unpack_from(self._memory, self.place(pid))
        self._write(pid, status + 1, phase if found == pid else b"")

    def crashes(self) -> dict[str, tuple[int, str]]:
        """Wait status and phase of the processes that crashed, by process id."""
        return {
            str(pid): (status - 1, marked_phase(phase))
            for pid, status, phase in _ENTRY.iter_unpack(self._memory)
            if status > 1
        }

    def _listen(self, daemon: int) -> None:
        if os.getpid() == daemon:
            signal.signal(signal.SIGCHLD, self._reap)

    def _reap(self, *_: object) -> None:
        with suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    return
                self.ended(pid, status)

    def _write(self, pid: int, status: int, phase: bytes) -> None:
        _ENTRY.pack_into(self._memory, self.place(pid), pid, status, phase)

    @staticmethod
    def place(pid: int) -> int:
        """Where the slot of a process begins."""
        return pid % _SLOTS * _ENTRY.size


def current_phase(pid: int) -> str | None:
    """The plugin call that a task's process on this machine is in; "" between calls.

    A process that is not suspended may leave the call at once.

    Returns:
        ``None`` if it is not known: the process has ended, belongs to another user, or has no
        table.
    """
    with suppress(OSError):
        for file in Path(f"/proc/{pid}/fd").iterdir():
            if (entry := _entry_in(file, pid)) is not None:
                found, _, phase = _ENTRY.unpack(entry)
                return marked_phase(phase) if found == pid else ""
    return None


def _entry_in(file: Path, pid: int) -> bytes | None:
    """The slot of a process, if the file is a table; the process may close it at any time."""
    with suppress(OSError):
        if file.stat().st_size == _SIZE and str(file.readlink()).endswith(_UNLINKED):
            place = ExitTable.place(pid)
            return file.read_bytes()[place : place + _ENTRY.size]
    return None
