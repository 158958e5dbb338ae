"""Starts, monitors and ends one host process and its children."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import threading
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.hosts.frames import Frames
from plugwright.hosts.shared_buffers import map_shared_buffers, new_shared_buffers
from plugwright.logs import (
    OUTPUT_LOGGER,
    LineLimit,
    LogContext,
    in_context,
    printable,
    read_mark,
)
from plugwright.plugins import host_roots
from plugwright.processes import ending, kill_group, memory_variables, start_linked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

log = logging.getLogger(OUTPUT_LOGGER)

_LINES_KEPT = 20
_LINE_LIMIT = 500
_LAST_WORDS_S = 1.0
_FOREIGN_VARIABLES = ("PYTHON", "LD_LIBRARY_PATH", "LD_PRELOAD")


class HostProcess:
    """An interpreter for some locations; it ends when its owner does.

    Args:
        path: directories of the locations, in import order.
        buffers: whether large batches are passed in shared memory, one at a time.
    """

    def __init__(self, path: Sequence[str], *, buffers: bool = False) -> None:
        self.path = tuple(path)
        shared = new_shared_buffers() if buffers else []
        self._lines: deque[str] = deque(maxlen=_LINES_KEPT)
        self._limit = LineLimit(lambda what: log.warning("host %d: %s", self.pid, what))
        script = Path(__file__).with_name("_main.py")
        paths = json.dumps([[str(root) for root in host_roots()], path])
        self._process, own = start_linked(
            lambda line: ["-I", "-S", str(script), str(line), json.dumps(shared), paths],
            handles=shared,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=_environment(),
        )
        self.frames = Frames(own, map_shared_buffers(shared))
        self._gone = threading.Event()
        self._listener = threading.Thread(target=self._listen, name="host-output", daemon=True)
        self._listener.start()
        threading.Thread(target=self._clean_up, name="host-end", daemon=True).start()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it is still running."""
        return not self._gone.is_set()

    def watch(self, ended: Callable[[], None]) -> None:
        """Call a function once, on another thread, when the process has ended."""

        def wait() -> None:
            self._gone.wait()
            ended()

        threading.Thread(target=wait, name="host-watch", daemon=True).start()

    def end(self) -> str:
        """How the process ended, and its last output; waits briefly for it."""
        self._gone.wait(_LAST_WORDS_S)
        status = self._process.returncode
        how = "does not answer" if status is None else ending(status)
        said = " | ".join(self._lines)
        return f"{how}; it printed {said!r}" if said else how

    def kill(self, reader: threading.Thread | None = None) -> None:
        """Kill it and everything that it has started.

        Args:
            reader: the thread that reads its frames, which still handles what was sent before the
                end.
        """
        kill_group(self.pid)
        self._gone.wait(_LAST_WORDS_S)
        if reader is not None:
            reader.join(_LAST_WORDS_S)
        self.frames.close()

    def _listen(self) -> None:
        """Log what the plugins print, and keep it from our own output.

        Lines printed by Python code carry the connector of their thread.
        """
        output = self._process.stdout
        if output is None:
            return
        with output:
            connector, whole = "", True
            while raw := output.readline(_LINE_LIMIT):
                marked, said = read_mark(raw.decode(errors="replace").rstrip())
                connector = marked if whole else connector  # a long line comes in pieces
                whole = raw.endswith(b"\n")
                self._log_line(connector, printable(said))
            self._limit.settle()

    def _log_line(self, connector: str, line: str) -> None:
        self._lines.append(line)
        if self._limit.admits():
            with in_context(LogContext(connector) if connector else None):
                log.info("host %d (%s): %s", self.pid, ", ".join(self.path), line)

    def _clean_up(self) -> None:
        # Not reaped yet, so that its id still identifies its group.
        os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
        kill_group(self.pid)  # its children may hold the socket and the output open
        self._process.wait()
        self._listener.join(_LAST_WORDS_S)
        self._gone.set()


def _environment() -> dict[str, str]:
    """The environment without the variables that control an interpreter or a loader."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(_FOREIGN_VARIABLES)}
    return kept | memory_variables()
