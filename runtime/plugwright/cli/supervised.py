"""Runs a command in a process of its own, of which nothing is left when it is interrupted.

A command may be interrupted anywhere: between the start of a process and the note of its id, or
while it removes its files. So another process, which does nothing else, receives the signals. It
tells the command to end, then ends whatever the command has started, however that was detached,
and removes the directory of all its temporary files.
"""

from __future__ import annotations

import math
import os
import shutil
import signal
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass

from plugwright.processes import adopt_orphans, descendants, die_with_parent

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_GRACE_S = 20.0
"""Time for an orderly end, such as that of a broker, or the clean-up of an external system."""
_SETTLE_S = 10.0
"""Time for what the command has left, to end in order; a broker takes a few seconds."""
_GIVE_UP_S = 10.0
_LOOK_S = 0.1
_ASK_AGAIN_S = 1.0
"""A signal that comes just before Python enters a system call does not interrupt that call."""
_SHOW_CURSOR = "\x1b[?25h\r\x1b[K"


def supervised() -> int | None:
    """Continue in a new process, in its own session, that this one watches.

    Only this process receives the signals of the terminal. The first one asks the command to
    end; after a second one, or twenty seconds, everything is killed. Does nothing on systems
    that cannot make this process the parent of orphans.

    Returns:
        ``None`` in the process that is to run the command. In the one that watches, the exit
        status, once nothing of the command is left: 128 and the number of the signal if it was
        interrupted.
    """
    if not hasattr(signal, "sigtimedwait") or not adopt_orphans():
        return None
    # A program that is started in the background, or with nohup, ignores some signals.
    heeded = {number for number in _SIGNALS if signal.getsignal(number) != signal.SIG_IGN}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {*heeded, signal.SIGCHLD})
    sys.stdout.flush()
    sys.stderr.flush()
    parent, scratch = os.getpid(), tempfile.mkdtemp(prefix="plugwright-")
    child = os.fork()
    if child == 0:
        os.setsid()
        die_with_parent(parent)
        os.environ["TMPDIR"] = tempfile.tempdir = scratch
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return None
    try:
        return _Watch(child).status(heeded)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def silence() -> None:
    """Print no more: what a command says while it is cut off would be about its own end."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    for number in (1, 2):
        os.dup2(nothing, number)


@dataclass(slots=True)
class _Watch:
    """Waits for a command and everything that it has started.

    Attributes:
        child: the process of the command.
        code: its exit code, once it has ended.
        number: the signal that interrupted it.
        deadline: when what is left is killed.
        asks_at: when the command is asked to end, again if it has not ended by then.
    """

    child: int
    code: int | None = None
    number: int = 0
    deadline: float | None = None
    asks_at: float = math.inf

    def status(self, heeded: set[signal.Signals]) -> int:
        """Wait; the exit status."""
        while self._reap() and not self._is_past(_GIVE_UP_S):
            received = signal.sigtimedwait({*heeded, signal.SIGCHLD}, _LOOK_S)
            if received is not None and received.si_signo in heeded:
                self._interrupt(received.si_signo)
            self._ask()
            if self._is_past(0):
                _signal_all(signal.SIGKILL)
        if self.number:
            _say_interrupted()
            return 128 + self.number
        code = self.code or 0
        return code if code >= 0 else 128 - code

    def _reap(self) -> bool:
        """Note who has ended; whether anybody is left."""
        with suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return True
                if pid == self.child:
                    self.code = os.waitstatus_to_exitcode(status)
                    self._end_by(_SETTLE_S)
                    _signal_all(signal.SIGTERM)
        return False

    def _interrupt(self, number: int) -> None:
        if self.number:
            if number != signal.SIGHUP:  # comes twice, from the terminal and from the shell
                self.deadline = time.monotonic()
            return
        self.number = number
        self.asks_at = time.monotonic()
        if self.code is None:
            self._end_by(_GRACE_S)

    def _ask(self) -> None:
        """Ask an interrupted command to end, once a second; it ignores that while it ends."""
        if self.code is None and time.monotonic() >= self.asks_at:
            os.kill(self.child, signal.SIGTERM)
            self.asks_at = time.monotonic() + _ASK_AGAIN_S

    def _end_by(self, seconds: float) -> None:
        limit = time.monotonic() + seconds
        self.deadline = limit if self.deadline is None else min(limit, self.deadline)

    def _is_past(self, seconds: float) -> bool:
        return self.deadline is not None and time.monotonic() >= self.deadline + seconds


def _signal_all(number: int) -> None:
    """Send a signal to everything that the command has left."""
    for pid, _ in list(descendants()):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _say_interrupted() -> None:
    """The last line; a progress bar may have hidden the cursor, and the terminal may be closed."""
    shows = os.isatty(2) and os.environ.get("TERM", "dumb") != "dumb"
    with suppress(OSError):
        os.write(2, f"{_SHOW_CURSOR if shows else ''}interrupted\n".encode())
