"""The books, without the connector."""

from __future__ import annotations

import json
import shutil
import zlib

NAMES = ("north.book", "east.book", "south.book", "west.book")


class BooksEndpoint:
    """A directory with four books."""

    def __init__(self, directory):
        self._directory = directory / "books"
        self._saved = directory / "saved"

    def start(self):
        self._directory.mkdir()
        for name in NAMES:
            (self._directory / name).touch()
        return {"directory": str(self._directory)}

    def stop(self):
        for path in (self._directory, self._saved):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)

    def seed(self, values):
        for value in values:
            self._append(NAMES[zlib.crc32(value.encode()) % len(NAMES)], value)

    def _append(self, name, text):
        with (self._directory / name).open("ab") as file:
            at = 1_640_000_000_000 + 997 * (file.tell() % 1_000_003)
            file.write(json.dumps({"text": text, "at": at}).encode() + b"\n")

    def _entries(self):
        return [
            json.loads(line)
            for name in NAMES
            for line in (self._directory / name).read_bytes().split(b"\n")[:-1]
        ]

    def read_back(self):
        return [entry["text"] for entry in self._entries()]

    def read_timestamps(self):
        return [entry["at"] for entry in self._entries()]

    def seed_foreign(self):
        for name in NAMES:
            self._append(name, 7)
        return ("int", "expected text")

    def refuse(self):
        self._directory.rename(self._saved)
        self._directory.touch()
        return ("Not a directory",)

    def recover(self):
        self._directory.unlink()
        self._saved.rename(self._directory)
        return ()
