"""An endpoint driver for text files: one value per line."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["TextFileEndpoint"]


class TextFileEndpoint:
    """A file in a private directory, accessed without the connector.

    Args:
        directory: an empty directory of this endpoint's own.
    """

    SETTING: ClassVar[str] = "file"
    """The setting of the connector that takes the path."""

    def __init__(self, directory: Path) -> None:
        self._file = directory / "lines.txt"

    def start(self) -> Mapping[str, str]:
        """Make the file; the settings that point the connector at it."""
        self._file.touch()
        return {self.SETTING: str(self._file)}

    def stop(self) -> None:
        """Remove the file."""
        if self._file.is_dir():
            self._file.rmdir()
        self._file.unlink(missing_ok=True)

    def seed(self, values: Sequence[str]) -> None:
        """Append values, one line each."""
        with self._file.open("a", encoding="utf-8", newline="") as file:
            file.writelines(f"{value}\n" for value in values)

    def read_back(self) -> list[str]:
        """Every line that is complete, in order; a sink may be writing the next one."""
        complete, newline, _ = self._file.read_bytes().rpartition(b"\n")
        return complete.decode().split("\n") if newline else []

    def refuse(self) -> Sequence[str]:
        """Replace the file with a directory; return the system's error text."""
        self._file.unlink()
        self._file.mkdir()
        return ("Is a directory",)
