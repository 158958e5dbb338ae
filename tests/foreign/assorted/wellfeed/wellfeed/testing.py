"""The wells, without the connector."""

from __future__ import annotations

import shutil
import struct
import zlib

FRAME = struct.Struct(">IQB")
LANES = ("east", "west", "south")


class WellsEndpoint:
    """Three lanes, of which each starts another well after some forty frames."""

    def __init__(self, directory):
        self._directory = directory / "wells"
        self._saved = directory / "saved"

    def start(self):
        self._directory.mkdir()
        for lane in LANES:
            (self._directory / f"{lane}-000.well").touch()
        return {"wells": str(self._directory)}

    def stop(self):
        for path in (self._directory, self._saved):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)

    def seed(self, values):
        for value in values:
            self._append(LANES[zlib.crc32(value.encode()) % 3], 0, value.encode())

    def _append(self, lane, kind, body):
        wells = sorted(self._directory.glob(f"{lane}-*.well"))
        well, count = wells[-1], len(self._frames(wells[-1]))
        if count >= 40:
            well, count = self._directory / f"{lane}-{len(wells):03d}.well", 0
        at = 1_670_000_000_009 + 733 * (count + 40 * len(wells))
        with well.open("ab") as file:
            file.write(FRAME.pack(len(body), at, kind) + body)

    def _frames(self, well):
        content, place, frames = well.read_bytes(), 0, []
        while place < len(content):
            size, at, _ = FRAME.unpack_from(content, place)
            place += FRAME.size + size
            frames.append((content[place - size : place].decode(), at))
        return frames

    def _all(self):
        wells = sorted(self._directory.glob("*.well"))
        return [frame for well in wells for frame in self._frames(well)]

    def read_back(self):
        return [text for text, _ in self._all()]

    def read_timestamps(self):
        return [at for _, at in self._all()]

    def seed_foreign(self):
        for lane in LANES:
            self._append(lane, 1, b"7")
        return ("kind 1", "expected text")

    def refuse(self):
        self._directory.rename(self._saved)
        self._directory.touch()
        return ("Not a directory",)

    def deny(self):
        self.refuse()
        return ()

    def recover(self):
        self._directory.unlink()
        self._saved.rename(self._directory)
        return ()
