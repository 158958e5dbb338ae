"""Runs commands for an owner, and ends them when the owner ends for any reason.

A separate program that is run by path and imports only the standard library, so that it starts
fast and does not depend on a working directory. It takes one argument, a JSON object::

    {"owner": pid of the owner, "scratch": directory to remove at the end,
     "commands": [[program, argument, ...], ...], "user": name of who runs them, or null}

The commands run in sequence while they succeed. Standard input is a pipe from the owner: its end
is the request to stop. So is a new parent process, because a fork of the owner may keep the
pipe open after its death. A byte in the pipe asks for the running command to be ended, in order
("r") or at once ("k"), and run again. On Linux the kernel kills the command if the guardian itself
is killed.
"""

from __future__ import annotations

import ctypes
import json
import os
import pwd
import select
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_GRACE_SECONDS = 10.0
_OWNER_CHECK_SECONDS = 1.0
_PR_SET_PDEATHSIG = 1  # prctl(2)
_OWNER_PIPE = 0
_RESTART, _KILL = b"r", b"k"
_AGAIN = -1


class _Watch:
    """Waits until a command ends or the owner sends a request or ends."""

    def __init__(self, owner: int) -> None:
        self._owner = owner
        self._stopped = False
        self._requests = b""
        self._alarm, ringer = os.pipe()
        os.set_blocking(self._alarm, False)
        os.set_blocking(ringer, False)
        signal.set_wakeup_fd(ringer)
        signal.signal(signal.SIGCHLD, self._ignore)
        signal.signal(signal.SIGTERM, self._stop)

    @property
    def is_over(self) -> bool:
        """Whether the owner is gone, closed the pipe, or sent a signal to stop."""
        if self._stopped or os.getppid() != self._owner:
            return True
        ready, _, _ = select.select([_OWNER_PIPE], [], [], 0)
        if not ready:
            return False
        data = os.read(_OWNER_PIPE, 1)
        self._requests += data
        return not data

    def next_request(self) -> bytes:
        """The next request of the owner to run the command again; empty if there is none."""
        first, self._requests = self._requests[:1], self._requests[1:]
        return first

    def wait(self) -> None:
        """Return after an event, at the latest after a second."""
        ready, _, _ = select.select([_OWNER_PIPE, self._alarm], [], [], _OWNER_CHECK_SECONDS)
        if self._alarm in ready:
            os.read(self._alarm, 1024)

    def _ignore(self, *_: object) -> None:
        """Do nothing; a handler must exist so that the signal wakes ``wait`` up."""

    def _stop(self, *_: object) -> None:
        self._stopped = True


def main(arguments: Sequence[str]) -> int:
    """Run the commands; returns the status of the failed one, 0 if stopped or done."""
    order = json.loads(arguments[0])
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    watch = _Watch(order["owner"])
    status = 0
    try:
        for command in order["commands"]:
            if status or watch.is_over:
                break
            while (status := _run(command, order["user"], watch)) == _AGAIN:
                pass
    finally:
        shutil.rmtree(order["scratch"], ignore_errors=True)
    return status


def _run(command: Sequence[str], user: str | None, watch: _Watch) -> int:
    """The command's status, 0 if it was stopped, or that it is to run again."""
    child = subprocess.Popen(  # noqa: S603  # the owner's own command
        command,
        stdin=subprocess.DEVNULL,
        user=user,
        group=None if user is None else pwd.getpwnam(user).pw_gid,
        extra_groups=None if user is None else [],
        preexec_fn=_end_with_parent(),  # noqa: PLW1509  # this process has one thread only
    )
    while (status := child.poll()) is None:
        if watch.is_over:
            _end(child)
            return 0
        if request := watch.next_request():
            _end(child, at_once=request == _KILL)
            return _AGAIN
        watch.wait()
    return status if status >= 0 else 128 - status


def _end(child: subprocess.Popen[bytes], *, at_once: bool = False) -> None:
    if at_once:
        child.kill()
    else:
        child.terminate()
    try:
        child.wait(_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def _end_with_parent() -> Callable[[], None] | None:
    """The first step of a new process, so that it is killed when this one dies; Linux only."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl
    parent = os.getpid()

    def ask() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)

    return ask


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
