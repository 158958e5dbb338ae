"""Logs what plugins print, line by line, with the connector whose thread printed it."""

from __future__ import annotations

import io
import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TextIO

OUTPUT_LOGGER: Final = "plugwright.output"
"""The logger of what plugins print."""

_MOST_CHARACTERS = 4_096
_MARK = "\x1e"
_END_OF_MARK = "\x1f"


class LineStream(io.TextIOBase):
    """Replaces ``sys.stdout`` or ``sys.stderr`` and passes on whole lines.

    Lines of different threads are not mixed; very long lines are split.

    Args:
        take: receives each line, without its line end.
        original: the replaced stream, which keeps its descriptor and byte buffer.
    """

    def __init__(self, take: Callable[[str], object], original: TextIO) -> None:
        super().__init__()
        self._take = take
        self._original = original
        self._begun: dict[int, str] = {}
        self._taking: set[int] = set()

    @property
    def encoding(self) -> str:  # type: ignore[override]  # read-only here
        """The encoding of the original."""
        return self._original.encoding

    @property
    def buffer(self) -> object:
        """The original's buffer, so that bytes go to the original."""
        return self._original.buffer

    def fileno(self) -> int:
        """The original's descriptor, for processes that a plugin starts."""
        return self._original.fileno()

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, text: str) -> int:
        """Add text and pass on the lines that it completes."""
        thread = threading.get_ident()
        if thread in self._taking:
            return self._original.write(text)  # the receiver of a line has printed itself
        *lines, rest = (self._begun.pop(thread, "") + text).split("\n")
        while len(rest) > _MOST_CHARACTERS:
            lines.append(rest[:_MOST_CHARACTERS])
            rest = rest[_MOST_CHARACTERS:]
        if rest:
            self._begun[thread] = rest
        self._hand_on(thread, lines)
        return len(text)

    def finish(self) -> None:
        """Pass on incomplete lines."""
        for thread in list(self._begun):
            self._hand_on(thread, [self._begun.pop(thread, "")])

    def _hand_on(self, thread: int, lines: Sequence[str]) -> None:
        self._taking.add(thread)
        try:
            for line in lines:
                self._take(line)
        finally:
            self._taking.discard(thread)


def printable(text: str) -> str:
    """Text without characters that control a terminal or break log lines."""
    return "".join(c if c.isprintable() or c == "\t" else "?" for c in text)


def mark_line(connector: str, line: str) -> str:
    """A line with the connector that printed it, for `read_mark` at the other end of a pipe."""
    return f"{_MARK}{connector}{_END_OF_MARK}{line}" if connector else line


def read_mark(line: str) -> tuple[str, str]:
    """The connector that printed a line, or an empty string, and the line itself."""
    if line.startswith(_MARK):
        connector, end, rest = line[1:].partition(_END_OF_MARK)
        if end:
            return connector, rest
    return "", line
