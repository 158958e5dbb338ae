"""Runs experiments in processes forked from one that has imported the suite.

That process has no state of the certifying program and of any plugin. A factory forked from it
starts like a new process, without the time to start Python and to import the suite.
"""

from __future__ import annotations

import json
import os
import socket
import struct
import subprocess
import tempfile
import threading
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import plugwright
import plugwright_conformance
import plugwright_toolkit
from plugwright.processes import await_or_kill, kill_group, start_linked
from plugwright_conformance.evidence.outcome import CheckEnd
from plugwright_conformance.processes.cpu_share import Patience
from plugwright_conformance.processes.time_budget import PROGRAMS_SHARE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import IO

PID = struct.Struct("!Q")
"""A message to the forking process: zero and two descriptors, or the id of a finished child."""

_START = "import sys; sys.path[:0] = {paths!r}; from {module} import main; main(int(sys.argv[1]))"
_MODULE = "plugwright_conformance.execution.experiment_process"
_TELLTALES = ("PYTHON", "PYTEST", "PLUGWRIGHT")
_CHUNK = 65536
_HELLO_S = 60.0
_EXIT_TIMEOUT_S = 2.0
_LOOK_S = 0.25


class ExperimentProcessError(Exception):
    """The process of an experiment ended without a verdict.

    Attributes:
        ending: how, as far as it is known.
    """

    def __init__(self, reason: str, ending: CheckEnd = CheckEnd.REGULAR) -> None:
        super().__init__(reason)
        self.ending = ending


class ExperimentProcesses:
    """Runs each experiment in its own process; thread-safe.

    The process that they are forked from is started with the first one, and again should a plugin
    have ended it.
    """

    def __init__(self) -> None:
        self._floor = threading.Lock()
        self._maker: _Maker | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process that experiment_processes are forked from."""
        with self._floor:
            self._retire()

    def open_up(self) -> None:
        """Start the process from which factories are forked, unless it runs.

        A caller that forks processes one at a time does so first, so that they share it.
        """
        with self._floor:
            if self._maker is not None and self._maker.has_ended():
                self._retire()
            self._started(None)

    def report(self, request: Mapping[str, Any], budget_s: float) -> dict[str, Any]:
        """Run an experiment and return its report.

        Args:
            request: the experiment as plain data.
            budget_s: seconds after which it is given up; waiting for a core does not count, nor
                does the work of programs, within limits for each life of a task.

        Raises:
            ExperimentProcessError: if there is no report within the time.
        """
        with tempfile.TemporaryFile() as trouble, ExitStack() as stack:
            try:
                line, pid = self._open(trouble)
                stack.enter_context(line)
                stack.callback(self._end, pid)
                line.sendall(json.dumps(request).encode() + b"\n")
                answer = _line(line, Patience(pid, budget_s, work_s=PROGRAMS_SHARE * budget_s))
            except TimeoutError as error:
                words = f"not measured: not done within its budget of {budget_s:g} s"
                raise ExperimentProcessError(words, CheckEnd.HUNG) from error
            except OSError:
                answer = b""
            return _read(answer, trouble)

    def _open(self, trouble: IO[bytes]) -> tuple[socket.socket, int]:
        """The connection to a new factory, and its process id.

        Args:
            trouble: receives its other output.

        Raises:
            TimeoutError: if it does not start in time.
            OSError: if it cannot be started.
        """
        with self._floor:
            try:
                return self._started(trouble).make(trouble)
            except OSError:  # a plugin has ended it, or holds it up
                self._retire()
                return self._started(trouble).make(trouble)

    def _started(self, trouble: IO[bytes] | None) -> _Maker:
        self._maker = self._maker or _Maker(trouble)
        return self._maker

    def _retire(self) -> None:
        maker, self._maker = self._maker, None
        if maker is not None:
            maker.close()

    def _end(self, pid: int) -> None:
        """End an experiment process with all its children."""
        kill_group(pid)
        with self._floor, suppress(OSError):
            if self._maker is not None:
                self._maker.bury(pid)


class _Maker:
    """The parent's view of the process that forks experiments.

    Args:
        trouble: called with its output if it ends at once; may be ``None``.
    """

    def __init__(self, trouble: IO[bytes] | None) -> None:
        # The plugin is to see no directory, no setting and no test of the certifying process.
        clean = {k: value for k, value in os.environ.items() if not k.startswith(_TELLTALES)}
        ours = (plugwright, plugwright_toolkit, plugwright_conformance)
        homes = [str(Path(str(package.__file__)).parents[1]) for package in ours]
        start = _START.format(paths=homes, module=_MODULE)
        self._process, self._control = start_linked(
            lambda line: ["-s", "-P", "-c", start, str(line)],
            stdout=subprocess.DEVNULL,
            stderr=trouble or subprocess.DEVNULL,
            env={**clean, "PYTHONHASHSEED": "0"},
        )

    def make(self, trouble: IO[bytes]) -> tuple[socket.socket, int]:
        """Fork an experiment process; returns the connection to it, and its number.

        Raises:
            TimeoutError: if it does not start in time.
            ConnectionError: if there is no process to fork from.
        """
        ours, theirs = socket.socketpair()
        with ExitStack() as stack:
            stack.callback(ours.close)  # then it ends, because no request can come
            with theirs:
                handles = [theirs.fileno(), trouble.fileno()]
                socket.send_fds(self._control, [PID.pack(0)], handles)
            hello = _line(ours, Patience(self._process.pid, _HELLO_S))
            if not hello:
                raise ConnectionResetError
            stack.pop_all()
        return ours, int(hello)

    def has_ended(self) -> bool:
        """Whether the forking process has ended."""
        return self._process.poll() is not None

    def bury(self, pid: int) -> None:
        """Report the end of an experiment process, whose number becomes free."""
        self._control.sendall(PID.pack(pid))

    def close(self) -> None:
        """End the process after it has handled pending messages."""
        with suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)
        self._control.close()
        await_or_kill(self._process, _EXIT_TIMEOUT_S)


def _line(line: socket.socket, patience: Patience) -> bytes:
    """Output up to the end of a line, or of the stream; whatever comes is a sign of progress.

    Raises:
        TimeoutError: if it does not come in time.
    """
    heard = bytearray()
    while not heard.endswith(b"\n"):
        line.settimeout(max(min(left_s := patience.left_s(), _LOOK_S), 0.001))
        try:
            more = line.recv(_CHUNK)
        except TimeoutError:
            if left_s <= 0:
                raise
            continue
        if not more:
            break
        heard += more
        patience.renew()
    return bytes(heard)


def _read(answer: bytes, trouble: IO[bytes]) -> dict[str, Any]:
    try:
        report: dict[str, Any] = json.loads(answer)
    except ValueError as error:
        trouble.seek(0)
        lines = trouble.read().decode(errors="replace").strip().splitlines()
        last = (lines or ["no output"])[-1]
        raise ExperimentProcessError(f"the experiment process gave no report: {last}") from error
    return report
