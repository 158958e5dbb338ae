"""Writing text that others have chosen, so that it breaks no line and steers no terminal."""

from __future__ import annotations

from typing import TextIO


def write(text: str, stream: TextIO) -> None:
    """Write text, with escapes for what the stream's encoding lacks."""
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
