"""Starts and supervises the child processes that import plugin modules.

If a process can fork, a fork server is started once and every location gets a fork of it;
otherwise, or if the fork server does not start, every location gets a new interpreter.
"""

from __future__ import annotations

import errno
import json
import os
import selectors
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self

from plugwright.plugins._fork_protocol import END, READY
from plugwright.plugins._sources import host_roots
from plugwright.processes import await_or_kill, ending, kill_group, start_linked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_ANSWERS_LIMIT = 16 << 20
_CHUNK = 1 << 16
_GRACE_S = 1.0
_START_S = 30.0
_SUPERVISOR_S = 5.0
_PAUSE_S = 0.004
_ISOLATED = ("-I", "-S", "-B")
_START = (
    "import sys; sys.path += sys.argv[2:]; descriptor = int(sys.argv[1]); "
    "from plugwright.plugins._fork_server import main; main(descriptor)"
)


@dataclass(frozen=True, slots=True)
class ConfirmLimits:
    """Limits on the import of plugin modules.

    Attributes:
        wall_s: seconds for one module.
        cpu_s: seconds of processor time for the modules of one child.
        memory: bytes of address space.
        output: bytes of printed output that are kept for reports.
        confined: whether the kernel restricts the modules' access to files and other processes, if
            it can.
    """

    wall_s: float = 30.0
    cpu_s: int = 120
    memory: int = 4 << 30
    output: int = 4096
    confined: bool = True


class _Process(Protocol):
    """A child process that can be waited for."""

    @property
    def gone(self) -> socket.socket | int | None:
        """A file that becomes readable when the process has ended, if there is one."""

    def end(self, timeout_s: float) -> int | None:
        """Wait for the end, then force it; returns the exit code, or ``None`` if it is unknown."""


class Children:
    """Starts child processes; a context manager that leaves none behind."""

    def __init__(self, *, forks: bool = hasattr(os, "fork") and hasattr(socket, "AF_UNIX")) -> None:
        self._forks = forks
        self._closed = False
        self._lock = threading.Lock()
        self._server: _Server | None = None
        self._idle: list[socket.socket] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._closed = True
            for supervisor in self._idle:
                supervisor.close()
            self._idle.clear()
            if self._server is not None:
                self._server.close()

    def start(self, work: Path, request: Mapping[str, object], limits: ConfirmLimits) -> Child:
        """Start a child that imports the modules of a request, in an empty directory.

        Raises:
            OSError: if it cannot be started, or this object is closed.
        """
        if self._closed:
            raise OSError(errno.ESHUTDOWN, "plugin discovery has been shut down")
        (work / "request.json").write_text(json.dumps(request))
        (work / "scratch").mkdir()
        answers, theirs = os.pipe()
        output, printed = os.pipe()
        try:
            process = self._process(work, theirs, printed)
        except BaseException:
            os.close(answers)
            os.close(output)
            raise
        finally:
            os.close(theirs)
            os.close(printed)
        return Child(process, answers, output, limits)

    def _process(self, work: Path, answers: int, output: int) -> _Process:
        for _ in range(2):
            supervisor = self._supervisor()
            if supervisor is None:
                break
            # An idle supervisor may have been killed by a process that an earlier child left
            # behind.
            with suppress(OSError):
                socket.send_fds(supervisor, [os.fsencode(work)], [answers, output])
                return _Fork(supervisor, self._idle)
            supervisor.close()
        return _Fresh(work, answers, output)

    def _supervisor(self) -> socket.socket | None:
        """A connection to a free supervisor; ``None`` without a fork server."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
            if not self._forks:
                return None
            try:
                self._server = self._server or _Server()
                return self._server.supervisor()
            except OSError:
                self._forks = False
                return None

    def prepare(self) -> None:
        """Wait until the next child can start at once."""
        supervisor = None if self._closed else self._supervisor()
        if supervisor is not None:
            self._idle.append(supervisor)


class _Server:
    """The fork server: a process that has imported the runtime and nothing else."""

    def __init__(self) -> None:
        self._is_up = False
        self._process, self._control = start_linked(
            lambda line: [*_ISOLATED, "-c", _START, str(line), *map(str, host_roots())],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={"PATH": os.defpath},
        )

    def supervisor(self) -> socket.socket:
        """Fork a supervisor and connect to it.

        Raises:
            OSError: if the fork server has ended, or does not start.
        """
        if not self._is_up:
            self._control.settimeout(_START_S)
            if self._control.recv(1) != READY:
                raise ConnectionError
            self._control.settimeout(None)
            self._is_up = True
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                socket.send_fds(self._control, [b"l"], [theirs.fileno()])
            except OSError:
                ours.close()
                raise
        return ours

    def close(self) -> None:
        """Shut down the fork server and everything that it has started."""
        self._control.close()
        await_or_kill(self._process, 5 * _GRACE_S)


class _Fork:
    """A child of the fork server."""

    def __init__(self, supervisor: socket.socket, idle: list[socket.socket]) -> None:
        self.gone = supervisor
        self._idle = idle

    def end(self, timeout_s: float) -> int | None:
        self.gone.settimeout(timeout_s)
        status = b""
        with suppress(TimeoutError, OSError):
            status = self.gone.recv(64)
        self.gone.settimeout(_SUPERVISOR_S)
        with suppress(OSError):
            self.gone.sendall(END)
            while not status.endswith(b"\n") and (more := self.gone.recv(64)):
                status += more
        if not status.endswith(b"\n"):
            self.gone.close()
            return None
        self.gone.settimeout(None)
        self._idle.append(self.gone)
        return int(status)


class _Fresh:
    """A new interpreter, in its own process group."""

    def __init__(self, work: Path, answers: int, output: int) -> None:
        script = Path(__file__).with_name("_confirm_child.py")
        scratch = work / "scratch"
        self._process = subprocess.Popen(  # noqa: S603  # our own script in our own interpreter
            [sys.executable, *_ISOLATED, str(script), str(work / "request.json"), str(answers)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=scratch,
            env={"PATH": os.defpath, "HOME": str(scratch), "TMPDIR": str(scratch)},
            pass_fds=(answers,),
            start_new_session=True,
        )
        pid = self._process.pid
        self.gone = os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None

    def end(self, timeout_s: float) -> int | None:
        if self.gone is not None:
            os.close(self.gone)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout_s)
        kill_group(self._process.pid)
        return self._process.wait()


class Child:
    """One process that imports modules, and its results.

    Attributes:
        output: the beginning of its printed output.
        began: whether it has come to its first import.
    """

    def __init__(self, process: _Process, answers: int, output: int, limits: ConfirmLimits) -> None:
        self._process = process
        self._answers = answers
        self._output = output
        self._limits = limits
        self._timed_out = False
        self.output = ""
        self.began = False

    def answers(self) -> Iterator[Mapping[str, Any]]:
        """The answers of the child, until it ends, sends too much, or exceeds its time."""
        pending, total, ended = b"", 0, False
        deadline = time.monotonic() + _START_S + self._limits.wall_s
        with selectors.DefaultSelector() as selector:
            for source in (self._answers, self._output, self._process.gone):
                if source is not None:
                    selector.register(source, selectors.EVENT_READ)
            while total < _ANSWERS_LIMIT:
                events = selector.select(max(0.0, deadline - time.monotonic()))
                if time.monotonic() >= deadline:
                    self._timed_out = not ended
                    return
                ready = {key.fileobj for key, _ in events}
                if self._output in ready and not self._keep(os.read(self._output, _CHUNK)):
                    selector.unregister(self._output)
                if self._process.gone in ready:
                    # Its last answer may still be in the pipe, which other processes may hold open.
                    selector.unregister(self._process.gone)
                    ended, deadline = True, time.monotonic() + _GRACE_S
                if self._answers not in ready:
                    continue
                data = os.read(self._answers, _CHUNK)
                if not data:
                    return
                total += len(data)
                *lines, pending = (pending + data).split(b"\n")
                for line in lines:
                    self.began = True
                    deadline = time.monotonic() + self._limits.wall_s
                    yield _parsed(line)
                # Reading many answers at once is cheaper than one at a time.
                time.sleep(_PAUSE_S)

    def _keep(self, data: bytes) -> bool:
        free = self._limits.output - len(self.output)
        self.output += data[: max(free, 0)].decode(errors="replace")
        return bool(data)

    def end(self) -> tuple[str, str]:
        """End the child and its descendants; returns how it ended, as code and message."""
        status = self._process.end(0.0 if self._timed_out else _GRACE_S)
        os.close(self._answers)
        os.close(self._output)
        if self._timed_out:
            return "import-timeout", f"the process did not end within {self._limits.wall_s:g} s"
        if status is None:
            return "import-crash", "the process ended together with its supervisor"
        return "import-crash", f"the process {ending(status)}"


def _parsed(line: bytes) -> Mapping[str, Any]:
    try:
        answer = json.loads(line)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}
