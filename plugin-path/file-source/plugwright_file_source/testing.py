"""The endpoint that the conformance suite reads through: a text file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.subject.text_file import TextFileEndpoint

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["FileEndpoint"]


class FileEndpoint(TextFileEndpoint):
    """A file in a private directory, written and read without the connector."""

    def seed_foreign(self) -> Sequence[str]:
        """Append invalid bytes; returns the words that the error about them must contain."""
        with self._file.open("ab") as file:
            file.write(b"\xff\xfe\n")
        return ("not UTF-8", "byte 0")

    def seed_corrupt(self) -> Sequence[str]:
        """Append a line that is not text; the words by which the error tells where."""
        with self._file.open("ab") as file:
            position = file.tell()
            file.write(b"\xff\xfe\n")
        return (str(self._file), f"not UTF-8 at byte {position}")
