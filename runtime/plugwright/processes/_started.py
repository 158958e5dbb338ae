"""Interpreters that this process starts, and their end."""

from __future__ import annotations

import os
import signal
import socket
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Sequence


def start_linked(
    arguments: Callable[[int], Sequence[str]], *, handles: Sequence[int] = (), **habits: Any
) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Start an interpreter, the leader of its own session, that has the other end of a socket.

    Args:
        arguments: of the interpreter, by the file descriptor that the socket has there.
        handles: further file descriptors that it inherits.
        habits: its streams, directory and environment, as ``subprocess.Popen`` takes them.

    Returns:
        The process, and this end of the socket.

    Raises:
        OSError: if it cannot be started.
    """
    import subprocess  # noqa: PLC0415  # the children, which read this package first, start nobody

    ours, theirs = socket.socketpair()
    with theirs:
        there = theirs.fileno()
        process = subprocess.Popen(  # noqa: S603  # our own code in our own interpreter
            [sys.executable, *arguments(there)],
            stdin=subprocess.DEVNULL,
            pass_fds=(there, *handles),
            start_new_session=True,
            **habits,
        )
    return process, ours


def await_or_kill(process: subprocess.Popen[Any], patience_s: float) -> None:
    """Wait for the end of a process; kill it if that does not come in time."""
    import subprocess  # noqa: PLC0415  # see above

    try:
        process.wait(patience_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def kill_group(leader: int) -> None:
    """Kill a process with everything that it has started in its own session, if it is there."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
