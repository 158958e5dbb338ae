"""The processes that import plugin modules, as seen by who starts them.

Where a process can fork, a fork server is started once and every location gets a fork of it; where
it cannot, or the fork server does not come up, every location gets a fresh interpreter.
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

from plugwright.plugins._lane_words import END, READY
from plugwright.plugins._sources import host_roots
from plugwright.processes import await_or_kill, ending, kill_group, start_linked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_ANSWERS_LIMIT = 16 << 20
_CHUNK = 1 << 16
_GRACE_S = 1.0
_START_S = 30.0
_LANE_S = 5.0
_PAUSE_S = 0.004
_ISOLATED = ("-I", "-S", "-B")
_START = (
    "import sys; sys.path += sys.argv[2:]; descriptor = int(sys.argv[1]); "
    "from plugwright.plugins._zygote import main; main(descriptor)"
)


@dataclass(frozen=True, slots=True)
class ConfirmLimits:
    """What the import of plugin modules may cost.

    Attributes:
        wall_s: seconds for one module.
        cpu_s: seconds of processor time for the modules of one child.
        memory: bytes of address space.
        output: bytes of what the modules print that are kept for reports.
        confined: whether the kernel is to keep the modules from files and other processes, where it
            can.
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
        """What becomes readable when the process has ended, if anything does."""

    def end(self, patience_s: float) -> int | None:
        """Wait for the end, then bring it about; the exit code, nothing if it cannot be known."""


class Children:
    """Starts children; a context manager that leaves none behind, whoever waits for them."""

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
            for lane in self._idle:
                lane.close()
            self._idle.clear()
            if self._server is not None:
                self._server.close()

    def start(self, work: Path, request: Mapping[str, object], limits: ConfirmLimits) -> Child:
        """A child that imports what a request names; it uses a directory that is to be empty.

        Raises:
            OSError: if it cannot be started, or everything has been closed.
        """
        if self._closed:
            raise OSError(errno.ESHUTDOWN, "no further plugins are looked into")
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
            lane = self._lane()
            if lane is None:
                break
            # A lane that has been idle may have been ended by what an earlier child left.
            with suppress(OSError):
                socket.send_fds(lane, [os.fsencode(work)], [answers, output])
                return _Fork(lane, self._idle)
            lane.close()
        return _Fresh(work, answers, output)

    def _lane(self) -> socket.socket | None:
        """A connection to a lane that is free; nothing if there is no fork server."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
            if not self._forks:
                return None
            try:
                self._server = self._server or _Server()
                return self._server.lane()
            except OSError:
                self._forks = False
                return None

    def prepare(self) -> None:
        """Wait until the next child can start at once."""
        lane = None if self._closed else self._lane()
        if lane is not None:
            self._idle.append(lane)


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

    def lane(self) -> socket.socket:
        """A new lane.

        Raises:
            OSError: if the fork server has ended, or does not come up.
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
        """Let it end what it has started, then itself."""
        self._control.close()
        await_or_kill(self._process, 5 * _GRACE_S)


class _Fork:
    """A child of the fork server."""

    def __init__(self, lane: socket.socket, idle: list[socket.socket]) -> None:
        self.gone = lane
        self._idle = idle

    def end(self, patience_s: float) -> int | None:
        self.gone.settimeout(patience_s)
        status = b""
        with suppress(TimeoutError, OSError):
            status = self.gone.recv(64)
        self.gone.settimeout(_LANE_S)
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
    """A fresh interpreter, the leader of its own group."""

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

    def end(self, patience_s: float) -> int | None:
        if self.gone is not None:
            os.close(self.gone)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(patience_s)
        kill_group(self._process.pid)
        return self._process.wait()


class Child:
    """One process that imports modules, and what comes out of it.

    Attributes:
        output: the beginning of what it has printed.
    """

    def __init__(self, process: _Process, answers: int, output: int, limits: ConfirmLimits) -> None:
        self._process = process
        self._answers = answers
        self._output = output
        self._limits = limits
        self._timed_out = False
        self.output = ""

    def answers(self) -> Iterator[Mapping[str, Any]]:
        """What the child says, until it ends, says too much, or is silent for too long."""
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
                    # What it has said last may still be in the pipe, which others may hold open.
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
                    deadline = time.monotonic() + self._limits.wall_s
                    yield _parsed(line)
                # Many answers at a time cost less than each by itself.
                time.sleep(_PAUSE_S)

    def _keep(self, data: bytes) -> bool:
        room = self._limits.output - len(self.output)
        self.output += data[: max(room, 0)].decode(errors="replace")
        return bool(data)

    def end(self) -> tuple[str, str]:
        """End what is left of it; how it ended, as code and message."""
        status = self._process.end(0.0 if self._timed_out else _GRACE_S)
        os.close(self._answers)
        os.close(self._output)
        if self._timed_out:
            return "import-timeout", f"no end after {self._limits.wall_s:g} s"
        if status is None:
            return "import-crash", "the process ended together with the one that watched it"
        return "import-crash", f"the process {ending(status)}"


def _parsed(line: bytes) -> Mapping[str, Any]:
    try:
        answer = json.loads(line)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}
