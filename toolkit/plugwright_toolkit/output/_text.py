"""Writing text that others have chosen, so that it breaks no line and steers no terminal."""

from __future__ import annotations

from typing import TextIO

__all__ = ["printable", "write"]


def printable(text: str) -> str:
    r"""The text with an escape for whatever is not plainly visible: controls, line ends, marks.

    >>> printable("a\tb\x1b[1m\u202e")
    'a\\tb\\x1b[1m\\u202e'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def write(text: str, stream: TextIO) -> None:
    """Write text, with escapes for what the stream's encoding lacks."""
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
