"""Lines on their way from a thread that reads a pipe to the task: bounded, and ended on demand."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import BinaryIO

__all__ = ["END", "TOO_LONG", "LineQueue", "read_lines"]

END = b""
"""Comes after the last line, again and again."""

TOO_LONG = b"\n"
"""Comes in the place of a line that is longer than the limit; no line is a bare line feed."""


class LineQueue:
    """A queue of lines that holds at most so many bytes, and always at least one line.

    Args:
        budget: bytes.

    Attributes:
        failure: why nothing more could be read, though there may be more.
        torn: the last line, if it has no end.
    """

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._held = 0
        self._lines: deque[bytes] = deque()
        self._ended = False
        self.failure: OSError | None = None
        self.torn: bytes | None = None
        self._changed = threading.Condition()

    def put(self, line: bytes) -> bool:
        """Add a line, waiting for space; ``False`` if the reader is gone."""
        with self._changed:
            self._changed.wait_for(lambda: self._ended or self._held < self._budget)
            if not self._ended:
                self._lines.append(line)
                self._held += len(line)
                self._changed.notify_all()
            return not self._ended

    def end(self) -> None:
        """Say that no line follows."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def take(self, timeout_s: float) -> bytes | None:
        """The next line, ``END`` after the last, ``None`` if none arrives in time."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._ended or bool(self._lines), timeout_s):
                return None
            if not self._lines:
                return END
            line = self._lines.popleft()
            self._held -= len(line)
            self._changed.notify_all()
            return line


def read_lines(pipe: BinaryIO, queue: LineQueue, limit: int) -> None:
    """Move every line from the pipe to the queue; for a thread.

    Stops at the first line of more than ``limit`` bytes, which is replaced by ``TOO_LONG``: what
    comes after it looks like the rest of it.
    """
    try:
        _move(pipe, queue, limit)
    except OSError as error:
        queue.failure = error
    finally:
        queue.end()
        pipe.close()


def _move(pipe: BinaryIO, queue: LineQueue, limit: int) -> None:
    while line := pipe.readline(limit + 1):
        if len(line) > limit and not line.endswith(b"\n"):
            queue.put(TOO_LONG)
            return
        if not line.endswith(b"\n"):
            queue.torn = line
        if line.strip() and not queue.put(line.rstrip(b"\n")):
            return
