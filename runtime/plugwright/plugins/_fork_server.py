"""The fork server of plugin imports: imports the runtime once, then forks instead of starting.

Three generations: the server forks a supervisor for each location that is inspected at a time. The
supervisor forks a child for one location after the other, ends the child's descendants, and reports
the child's exit code. A plugin that kills its parent thus kills only a supervisor, without
affecting other locations. All of them end when the caller ends for any reason, because their
sockets close.
"""

from __future__ import annotations

import gc
import os
import select
import shutil
import signal
import socket
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import plugwright._api
import plugwright.import_order
from plugwright.plugins import _confirm_child, landlock
from plugwright.plugins._fork_protocol import END, READY
from plugwright.processes import adopt_orphans, children, die_with_parent, kill_group, leave_network

if TYPE_CHECKING:
    from collections.abc import Sequence

_PRELOADED = plugwright._api, plugwright.import_order, landlock  # noqa: SLF001  # our own package
"""The modules that every child needs, imported once, here."""

_GRACE_S = 1.0
_POLL_S = 0.002
_ROUNDS = 50


def main(control: int) -> None:
    """Fork a supervisor for every received socket, until the caller closes its end.

    Args:
        control: file descriptor of a connected Unix stream socket.
    """
    adopt_orphans()
    offline = leave_network()
    readable = landlock.readable_places(sys.path) if landlock.confinement() else ()
    gc.collect()
    gc.freeze()
    supervisors: set[int] = set()
    with socket.socket(fileno=control) as requests:
        requests.sendall(READY)
        while True:
            sockets = _received(requests, 1, 1)[1]
            if not sockets:
                break
            _end_orphans(supervisors)
            pid = os.fork()
            if not pid:
                os.close(requests.detach())
                _Supervisor(sockets[0], readable, offline=offline).serve()
                os._exit(0)
            supervisors.add(pid)
            os.close(sockets[0])
    _wait_for(supervisors)
    _end_orphans(set())


def _received(channel: socket.socket, size: int, count: int) -> tuple[bytes, list[int]]:
    """One message and its file descriptors; empty if the peer has closed it."""
    try:
        data, descriptors, _, _ = socket.recv_fds(channel, size, count)
    except OSError:
        return b"", []
    return data, descriptors


def _wait_for(supervisors: set[int]) -> None:
    deadline = time.monotonic() + _GRACE_S
    while supervisors and time.monotonic() < deadline:
        supervisors -= {pid for pid in supervisors if _has_ended(pid)}
        time.sleep(_POLL_S)


def _has_ended(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True


def _end_orphans(own: set[int]) -> None:
    """End all orphans, and their children in turn, as they are adopted."""
    for _ in range(_ROUNDS):
        own -= {pid for pid in own if _has_ended(pid)}
        others = [pid for pid, _ in children() if pid not in own]
        if not others:
            return
        for pid in others:
            # A process that may not be killed is not waited for either.
            with suppress(ProcessLookupError, PermissionError, ChildProcessError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


class _Supervisor:
    """Supervises one child at a time, in a process of its own."""

    def __init__(self, descriptor: int, readable: Sequence[str], *, offline: bool) -> None:
        self._caller = socket.socket(fileno=descriptor)
        self._readable = readable
        self._offline = offline
        adopt_orphans()

    def serve(self) -> None:
        """Fork a child for every received directory, with its pipes for answers and output."""
        while True:
            directory, pipes = _received(self._caller, 4096, 2)
            if len(pipes) != 2:  # noqa: PLR2004  # the two pipes
                return
            if not self._run(os.fsdecode(directory), *pipes):
                return

    def _run(self, directory: str, answers: int, output: int) -> bool:
        """Supervise one child; returns whether the caller is still connected."""
        supervisor, pid = os.getpid(), os.fork()
        if not pid:
            try:
                die_with_parent(supervisor)
                self._caller.close()
                _become_child(directory, output)
                file, readable = f"{directory}/request.json", self._readable
                _confirm_child.run(file, answers, offline=self._offline, readable=readable)
            finally:
                os._exit(1)
        os.close(answers)
        os.close(output)
        message, status = self._wait(pid)
        code = _end(pid, status)
        with suppress(OSError):
            self._caller.sendall(b"%d\n" % code)
            if (message if message is not None else self._message()) == END:
                return True
        # The caller has disconnected.
        shutil.rmtree(directory, ignore_errors=True)
        return False

    def _wait(self, pid: int) -> tuple[bytes | None, int | None]:
        """Wait until a child ends or the caller sends something.

        Returns:
            The caller's message, if any, and the child's status, if known.
        """
        pidfd = os.pidfd_open(pid) if hasattr(os, "pidfd_open") else -1
        caller, status = self._caller.fileno(), None
        watched, timeout_s = ([caller], _POLL_S) if pidfd < 0 else ([caller, pidfd], None)
        try:
            while True:
                ready = select.select(watched, [], [], timeout_s)[0]
                if caller in ready:
                    return self._message(), None
                if pidfd in ready or (status := _status(pid)) is not None:
                    return None, status
        finally:
            if pidfd >= 0:
                os.close(pidfd)

    def _message(self) -> bytes:
        """The caller's message; empty if it has disconnected."""
        try:
            return self._caller.recv(1)
        except OSError:
            return b""


def _status(pid: int) -> int | None:
    """The status of a child, if it has ended."""
    ended, status = os.waitpid(pid, os.WNOHANG)
    return status if ended else None


def _end(pid: int, status: int | None) -> int:
    """Kill a child with its group and descendants; returns its exit code."""
    kill_group(pid)
    if status is None:
        # It may not have created its group yet.
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
    _end_orphans(set())
    return os.waitstatus_to_exitcode(status)


def _become_child(directory: str, output: int) -> None:
    """Set up the session, streams, directory and environment of the child."""
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(nothing)
    os.close(output)
    scratch = f"{directory}/scratch"
    os.chdir(scratch)
    os.environ.update(HOME=scratch, TMPDIR=scratch)
    sys.argv = [""]
