"""One run of a tap or a target: its process, private files, and reader threads."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import select
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from plugwright import ConnectError, RetriableError
from plugwright_singer import supervisor
from plugwright_singer.lines import LineQueue, read_lines
from plugwright_singer.values import exact_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright_singer.masking import Mask

__all__ = ["ChildRun", "Command", "Limits", "environment_of"]

_LOG = logging.getLogger("plugwright_singer")
_SUPERVISOR = Path(supervisor.__file__)
_ENDING_S = 10.0
_KEPT_LINES = 20
_HEARD = 65536  # more than is shown, so that no secret is cut before it is hidden
_SHOWN = 4096


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits on a program's buffered output.

    Attributes:
        line: the most bytes of one line.
        held: the most bytes of lines that wait for the task.
    """

    line: int
    held: int


@dataclass(frozen=True, slots=True)
class Command:
    """The command to start.

    Attributes:
        program: path of the executable file.
        files: what stands after each option, as JSON, in a file that only this user can read.
        flags: arguments without a file.
        directory: where it runs; where the worker runs if it is ``None``.
        mask: hides the secrets of the configuration.
    """

    program: str
    files: Mapping[str, object]
    mask: Mask
    flags: Sequence[str] = ()
    directory: str | None = None

    @property
    def name(self) -> str:
        """The program as people call it."""
        return Path(self.program).name


class ChildRun:
    """A running tap or target.

    Args:
        command: what to start.
        limits: of its standard output.
        feeds: whether it reads its standard input.

    Raises:
        RetriableError: if no process can be started now.
    """

    def __init__(self, command: Command, limits: Limits, *, feeds: bool = False) -> None:
        self.command = command
        self.lines = LineQueue(limits.held)
        self._last_words: deque[str] = deque(maxlen=_KEPT_LINES)
        started = _started(command, feeds=feeds)
        self._process = started.process
        self._control: int | None = started.control
        self._input = started.input
        self._input_lock = threading.Lock()  # another may be opened under a closed one's number
        output = _reader(started.output)
        self._threads = (
            threading.Thread(
                target=read_lines, args=(output, self.lines, limits.line), daemon=True
            ),
            threading.Thread(target=self._hear, args=(_reader(started.errors),), daemon=True),
        )
        for thread in self._threads:
            thread.start()

    def exit_code(self) -> int:
        """How the program ended, after the end of its output; waits for it."""
        try:
            return self._process.wait(_ENDING_S)
        except subprocess.TimeoutExpired:  # it has closed its output and goes on
            self.stop()
            return self._process.returncode

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def stop(self) -> None:
        """End the program and all that it has started; safe more than once, from any thread."""
        self.lines.end()
        control, self._control = self._control, None
        if control is not None:
            os.close(control)
        try:
            self._process.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, 9)
            self._process.wait()
        for thread in self._threads:
            thread.join(_ENDING_S)
        self.end_input()

    def feed(self, data: memoryview) -> int | None:
        """Write to its standard input what fits at once; how much, ``None`` after its end.

        Raises:
            OSError: as `os.write`.
        """
        with self._input_lock:
            return None if self._input is None else os.write(self._input, data)

    def await_input(self, timeout_s: float) -> None:
        """Wait until it takes more, at most so long."""
        descriptor = self._input
        if descriptor is not None:
            with contextlib.suppress(OSError):  # closed meanwhile
                select.select([], [descriptor], [], timeout_s)

    def end_input(self) -> None:
        """Say that the program is fed no more; safe more than once, from any thread."""
        with self._input_lock:
            descriptor, self._input = self._input, None
            if descriptor is not None:
                os.close(descriptor)

    def last_words(self) -> str:
        """The last lines that it wrote to standard error, without secrets; for messages."""
        self._threads[1].join(1.0)
        words = "\n".join(self._last_words)
        return f"; its last words: {words}" if words else "; it wrote nothing to standard error"

    def failure(self) -> ConnectError:
        """Why the program has ended with another code than 0."""
        code = self.exit_code()
        name = self.command.name
        return ConnectError(
            f"{name} ended with {_ending(code)}{self.last_words()}",
            code="singer.cannot-start" if code == supervisor.CANNOT_START else "singer.died",
            hint=f"fix what {name} reports, then restart the task",
            facts={"program": self.command.program, "exit_code": code},
        )

    def _hear(self, pipe: BinaryIO) -> None:
        """Log the beginning of every line, and keep the last ones; for a thread."""
        with pipe:
            goes_on = False
            while line := pipe.readline(_HEARD):
                if not goes_on:
                    text = self.command.mask.excerpt(line.rstrip(), _SHOWN)
                    self._last_words.append(text)
                    _LOG.info("%s: %s", self.command.name, text)
                goes_on = not line.endswith(b"\n")


def _reader(descriptor: int) -> BinaryIO:
    return io.BufferedReader(io.FileIO(descriptor))


def _ending(code: int) -> str:
    signalled = code - 128
    return f"signal {signalled}" if 0 < signalled < 65 else f"exit code {code}"  # noqa: PLR2004


@dataclass(frozen=True, slots=True)
class _Started:
    """A supervisor with its program, and this side of its pipes."""

    process: subprocess.Popen[bytes]
    control: int
    output: int
    errors: int
    input: int | None


def _started(command: Command, *, feeds: bool) -> _Started:
    """Start a program.

    Raises:
        RetriableError: if the system has no room for a process or its files now.
    """
    with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
        try:
            directory = tempfile.mkdtemp(prefix="plugwright-singer-")
            ours.callback(shutil.rmtree, directory, ignore_errors=True)
            started = _spawned(command, directory, ours, theirs, feeds=feeds)
        except OSError as error:
            raise RetriableError(
                f"{command.name} cannot be started now: {error.strerror}",
                code="singer.cannot-start",
                hint="it is retried; free some space for its process and files",
                facts={"program": command.program},
            ) from error
        ours.pop_all()
    if started.input is not None:
        os.set_blocking(started.input, False)
    return started


def _spawned(
    command: Command,
    directory: str,
    ours: contextlib.ExitStack,
    theirs: contextlib.ExitStack,
    *,
    feeds: bool,
) -> _Started:
    kept, control = _pipe(theirs, ours)
    output, written = _pipe(ours, theirs)
    errors, said = _pipe(ours, theirs)
    fed, fill = _pipe(theirs, ours) if feeds else (subprocess.DEVNULL, None)
    process = subprocess.Popen(  # noqa: S603  # the settings name it
        [
            *(sys.executable, "-I", "-S", str(_SUPERVISOR), str(kept), directory),
            *(command.program, *_arguments(command, Path(directory))),
        ],
        stdin=fed,
        stdout=written,
        stderr=said,
        pass_fds=(kept,),
        cwd=command.directory,
        env=environment_of(),
        start_new_session=True,
    )
    return _Started(process, control, output, errors, fill)


def _pipe(readers: contextlib.ExitStack, writers: contextlib.ExitStack) -> tuple[int, int]:
    reading, writing = os.pipe()
    readers.callback(os.close, reading)
    writers.callback(os.close, writing)
    return reading, writing


def environment_of() -> dict[str, str]:
    """The worker's environment without what would lead another Python to the worker's packages."""
    misleading = {"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "VIRTUAL_ENV"}
    return {name: value for name, value in os.environ.items() if name not in misleading}


def _arguments(command: Command, directory: Path) -> list[str]:
    """The command line, after its files have been written."""
    arguments = list(command.flags)
    for option, content in command.files.items():
        path = directory / f"{option.lstrip('-')}.json"
        with open(path, "x", encoding="utf-8", opener=_private) as file:
            file.write(exact_json(content))
        arguments += [option, str(path)]
    return arguments


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
