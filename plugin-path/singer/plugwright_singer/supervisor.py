"""Runs one program and leaves nothing of it behind: a script in a process of its own.

``python -I -S supervisor.py CONTROL DIRECTORY PROGRAM ARGUMENT…`` gives its standard streams to the
program and ends as the program does. When the pipe CONTROL is at its end, since the worker has
closed it or is dead, the program is ended. Whatever it has started is ended with it, and DIRECTORY
is removed.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

__all__ = ["CANNOT_START"]

CANNOT_START = 126
"""The exit code for a program that does not exist or that the system cannot run."""

_PR_SET_CHILD_SUBREAPER = 36
_POLITE_S = 2.0
_SIGNALLED = 128


def _main(control: int, directory: Path, command: list[str]) -> int:
    """Run the command; its exit code, or 128 and the signal that ended it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        program = subprocess.Popen(command)  # noqa: S603  # the settings name it
    except OSError as error:
        os.write(2, f"{command[0]} cannot be started: {error.strerror}\n".encode())
        shutil.rmtree(directory, ignore_errors=True)
        return CANNOT_START
    _let_go_of_streams()
    watch = threading.Thread(target=_end_with_the_worker, args=(control, program), daemon=True)
    watch.start()
    code = program.wait()
    _end_descendants()
    shutil.rmtree(directory, ignore_errors=True)
    return code if code >= 0 else _SIGNALLED - code


def _let_go_of_streams() -> None:
    """Hold no end of the program's pipes, so that each end is seen when the program closes it."""
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.close(nothing)


def _end_with_the_worker(control: int, program: subprocess.Popen[bytes]) -> None:
    os.read(control, 1)
    program.terminate()
    try:
        program.wait(_POLITE_S)
    except subprocess.TimeoutExpired:
        program.kill()


def _end_descendants() -> None:
    """Kill all orphans; without Linux, only ask the process group to end."""
    if sys.platform != "linux":
        os.killpg(0, signal.SIGTERM)
        return
    while children := _children():
        for child in children:
            os.kill(child, signal.SIGKILL)  # not reaped yet, so it is still the same process
            os.waitpid(child, 0)


def _children() -> list[int]:
    own = os.getpid()
    return [int(pid) for pid in Path(f"/proc/{own}/task/{own}/children").read_text().split()]


if __name__ == "__main__":
    for _signal in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(_signal, lambda *_: None)  # unlike SIG_IGN not passed on to the program
    os._exit(_main(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]))
