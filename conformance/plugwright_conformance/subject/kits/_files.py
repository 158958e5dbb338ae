"""Kits for files: one text file, and a directory of files."""

from __future__ import annotations

import os
import zlib
from typing import TYPE_CHECKING, Any

from plugwright_conformance.subject.kits._endpoint import (
    KitEndpoint,
    decoder,
    encoder,
    move_away,
    move_back,
    remove_all,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

__all__ = ["DirectoryKit", "FileKit", "append_lines", "whole_lines"]


class FileKit(KitEndpoint):
    """A text file with a value in each line."""

    def __init__(self, options: Mapping[str, Any], directory: Path) -> None:
        super().__init__(options, directory)
        self._file = directory / options.get("name", "lines.txt")

    def stop(self) -> None:
        """Remove the file."""
        remove_all(self._file)

    def seed(self, values: Sequence[Any]) -> None:
        """Append values, one line each."""
        append_lines(self._file, map(encoder(self._options), values))

    def read_back(self) -> list[Any]:
        """Every line that is complete, in order; a sink may be writing the next one."""
        return [*map(decoder(self._options), whole_lines(self._file.read_bytes()))]

    def refuse(self) -> Sequence[str]:
        """Put a directory in the file's place; the system's words about it."""
        move_away(self._file, leave_directory=True)
        return ("Is a directory",)

    def recover(self) -> Sequence[str]:
        """Put the file back."""
        move_back(self._file)
        return ()

    def _open(self) -> Mapping[str, str]:
        self._file.touch()
        return {"file": str(self._file), "directory": str(self._directory)}


class DirectoryKit(KitEndpoint):
    """A directory of files, which hold a value in each line or one value each."""

    def __init__(self, options: Mapping[str, Any], directory: Path) -> None:
        super().__init__(options, directory)
        self._root = directory / "files"
        self._written = 0
        self._suffix = options.get("suffix", ".txt")
        self._whole = options.get("content", "lines") == "value"
        self._parts = [
            self._root / f"part-{n}{self._suffix}" for n in range(options.get("files", 1))
        ]

    def stop(self) -> None:
        """Remove the directory."""
        remove_all(self._root)

    def seed(self, values: Sequence[Any]) -> None:
        """Append each value to one of the files, or write a file of its own for it."""
        for text in map(encoder(self._options), values):
            if self._whole:
                self._write(text)
            else:
                append_lines(self._parts[zlib.crc32(text.encode()) % len(self._parts)], [text])

    def read_back(self) -> list[Any]:
        """Every value, by the names of the files."""
        decode = decoder(self._options)
        paths = sorted(path for path in self._root.rglob("*") if path.name.endswith(self._suffix))
        contents = [path.read_bytes() for path in paths if path.is_file()]
        if self._whole:
            return [decode(content.decode()) for content in contents]
        return [decode(line) for content in contents for line in whole_lines(content)]

    def refuse(self) -> Sequence[str]:
        """Put a file in the directory's place; the system's words about it."""
        move_away(self._root)
        return ("Not a directory",)

    def recover(self) -> Sequence[str]:
        """Put the directory back."""
        move_back(self._root)
        return ()

    def _open(self) -> Mapping[str, str]:
        self._root.mkdir()
        if not self._whole:
            for part in self._parts:
                part.touch()
        return {"directory": str(self._root)}

    def _write(self, text: str) -> None:
        """Write a whole file at once, under a number that no earlier one has had."""
        fresh = self._directory / "fresh"
        fresh.write_bytes(text.encode())
        fresh.rename(self._root / f"{self._written:08d}{self._suffix}")
        self._written += 1


def append_lines(path: Path, lines: Iterable[str]) -> None:
    """Append lines in one write, so that a reader at the same time sees whole ones."""
    data = "".join(f"{line}\n" for line in lines).encode()
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    with os.fdopen(descriptor, "ab", buffering=0) as file:
        file.write(data)


def whole_lines(data: bytes) -> list[str]:
    """The lines that end with a line feed; one without an end is still being written."""
    complete, newline, _ = data.rpartition(b"\n")
    return complete.decode().split("\n") if newline else []
