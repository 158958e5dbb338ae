"""The drawers, without the connector."""

from __future__ import annotations

import os
import re
import shutil
import zlib

DRAWERS = ("left", "right")
CHARSET = "gb18030"
ROWS = 10
ROW = re.compile(rb'(\d+),(\d+),(?:"((?:[^"]|"")*)"|7)\n')


class DrawersEndpoint:
    """Two drawers with files of ten rows; the files were copied in pairs with their times."""

    def __init__(self, directory):
        self._directory = directory / "drawers"
        self._saved = directory / "saved"

    def start(self):
        for name in DRAWERS:
            (self._directory / name).mkdir(parents=True)
        return {
            "drawers.directory": str(self._directory),
            "drawers.names": ", ".join(DRAWERS),
            "drawers.charset": CHARSET,
        }

    def stop(self):
        for path in (self._directory, self._saved):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)

    def seed(self, values):
        for value in values:
            text = value.encode(CHARSET).replace(b'"', b'""')
            self._add(DRAWERS[zlib.crc32(value.encode()) % 2], b'"' + text + b'"')

    def _add(self, name, text):
        count = len(self._rows(name))
        file = self._directory / name / f"{count // ROWS + 1}.csv"
        with file.open("ab") as out:
            out.write(b"%d,%d,%s\n" % (count, 1_680_000_000_000 + 977 * count, text))
        copied = 1_690_000_000 + count // (2 * ROWS)
        os.utime(file, (copied, copied))

    def _rows(self, name):
        files = sorted((self._directory / name).iterdir(), key=lambda file: int(file.stem))
        return [found for file in files for found in ROW.findall(file.read_bytes())]

    def read_back(self):
        return [
            text.replace(b'""', b'"').decode(CHARSET)
            for name in DRAWERS
            for _, _, text in self._rows(name)
        ]

    def read_timestamps(self):
        return [int(at) for name in DRAWERS for _, at, _ in self._rows(name)]

    def read_keys(self):
        return [name for name in DRAWERS for _ in self._rows(name)]

    def seed_foreign(self):
        for name in DRAWERS:
            self._add(name, b"7")
        return ("has no quoted text",)

    def refuse(self):
        self._directory.rename(self._saved)
        self._directory.touch()
        return ("Not a directory",)

    def recover(self):
        self._directory.unlink()
        self._saved.rename(self._directory)
        return ()
