"""The fork server of plugin imports: imports the runtime once, then forks instead of starting.

Three generations: the zygote forks a lane for each location that is inspected at a time; the lane
forks a child for one location after the other, ends the child's descendants, and reports how it
ended. A plugin that kills its parent thus kills only a lane, without affecting other locations. All
of them end when the caller ends, for whatever cause: their sockets signal it.
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
from plugwright.plugins import _confinement, _confirm_child
from plugwright.plugins._lane_words import END, READY
from plugwright.processes import adopt_orphans, children, die_with_parent, kill_group, leave_network

if TYPE_CHECKING:
    from collections.abc import Sequence

_PRELOADED = plugwright._api, plugwright.import_order, _confinement  # noqa: SLF001  # our own package
"""The modules that every child needs, imported once, here."""

_GRACE_S = 1.0
_POLL_S = 0.002
_ROUNDS = 50


def main(control: int) -> None:
    """Fork a lane for every received socket, until the caller closes its end.

    Args:
        control: file descriptor of a connected Unix stream socket.
    """
    adopt_orphans()
    offline = leave_network()
    readable = _confinement.readable_places(sys.path) if _confinement.confinement() else ()
    gc.collect()
    gc.freeze()
    lanes: set[int] = set()
    with socket.socket(fileno=control) as requests:
        requests.sendall(READY)
        while True:
            sockets = _received(requests, 1, 1)[1]
            if not sockets:
                break
            _end_orphans(lanes)
            pid = os.fork()
            if not pid:
                os.close(requests.detach())
                _Lane(sockets[0], readable, offline=offline).serve()
                os._exit(0)
            lanes.add(pid)
            os.close(sockets[0])
    _wait_for(lanes)
    _end_orphans(set())


def _received(channel: socket.socket, size: int, count: int) -> tuple[bytes, list[int]]:
    """One message and its file descriptors; empty when the peer is gone."""
    try:
        data, descriptors, _, _ = socket.recv_fds(channel, size, count)
    except OSError:
        return b"", []
    return data, descriptors


def _wait_for(lanes: set[int]) -> None:
    deadline = time.monotonic() + _GRACE_S
    while lanes and time.monotonic() < deadline:
        lanes -= {pid for pid in lanes if _has_ended(pid)}
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
        strangers = [pid for pid, _ in children() if pid not in own]
        if not strangers:
            return
        for pid in strangers:
            # A process that may not be killed is not waited for either.
            with suppress(ProcessLookupError, PermissionError, ChildProcessError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


class _Lane:
    """A process that supervises one child at a time."""

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
        """Supervise one child; whether the caller is still there."""
        lane, pid = os.getpid(), os.fork()
        if not pid:
            try:
                die_with_parent(lane)
                self._caller.close()
                _become_child(directory, output)
                file, readable = f"{directory}/request.json", self._readable
                _confirm_child.run(file, answers, offline=self._offline, readable=readable)
            finally:
                os._exit(1)
        os.close(answers)
        os.close(output)
        word, status = self._wait(pid)
        code = _end(pid, status)
        with suppress(OSError):
            self._caller.sendall(b"%d\n" % code)
            if (word if word is not None else self._word()) == END:
                return True
        # The caller is gone.
        shutil.rmtree(directory, ignore_errors=True)
        return False

    def _wait(self, pid: int) -> tuple[bytes | None, int | None]:
        """Wait until a child ends or the caller sends something.

        Returns:
            The caller's message, if any, and the child's status, if known.
        """
        pidfd = os.pidfd_open(pid) if hasattr(os, "pidfd_open") else -1
        caller, status = self._caller.fileno(), None
        watched, patience = ([caller], _POLL_S) if pidfd < 0 else ([caller, pidfd], None)
        try:
            while True:
                ready = select.select(watched, [], [], patience)[0]
                if caller in ready:
                    return self._word(), None
                if pidfd in ready or (status := _status(pid)) is not None:
                    return None, status
        finally:
            if pidfd >= 0:
                os.close(pidfd)

    def _word(self) -> bytes:
        """The caller's message; empty if it is gone."""
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
