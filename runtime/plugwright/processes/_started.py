"""Starts and ends child interpreters."""

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
    """Start an interpreter, in its own session, that inherits one end of a socket pair.

    Args:
        arguments: the interpreter's arguments, given the descriptor that the socket has there.
        handles: further file descriptors that it inherits.
        habits: its streams, directory and environment, as for ``subprocess.Popen``.

    Returns:
        The process, and this end of the socket.

    Raises:
        OSError: if it cannot be started.
    """
    import subprocess  # noqa: PLC0415  # child processes import this package first and start no process

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
    """Wait for a process to end; kill it after the time-out."""
    import subprocess  # noqa: PLC0415  # see above

    try:
        process.wait(patience_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def kill_group(leader: int) -> None:
    """Kill a process and everything that it has started in its own session."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
