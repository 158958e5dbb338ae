"""A write-ahead log in a directory, without the connector."""

# ruff: noqa: D102  # the methods are those of the contract

from __future__ import annotations

import struct
import time
import zlib

HEADER = struct.Struct(">2sIIQH")
ROWS_OF_FRAME = 3
FRAMES_OF_SEGMENT = 2


class WalEndpoint:
    """Writes transactions of three rows, two of them in a segment."""

    def __init__(self, directory):
        self._log = directory / "log"
        self._aside = directory / "aside"

    def start(self):
        self._log.mkdir()
        return {"wal.directory": str(self._log)}

    def stop(self):
        for home in (self._log, self._aside):
            if home.is_dir():
                for file in home.iterdir():
                    file.unlink()
                home.rmdir()

    def seed(self, values):
        rows = [value.encode() for value in values]
        for begin in range(0, len(rows), ROWS_OF_FRAME):
            self._append(rows[begin : begin + ROWS_OF_FRAME])

    def seed_corrupt(self):
        number = self._append([b"broken"], damage=1)
        return (f"{number}.wal", "checksum")

    def read_back(self):
        return [row.decode() for _, row in self._all()]

    def read_timestamps(self):
        return [moment for moment, _ in self._all()]

    def refuse(self):
        self._log.rename(self._aside)
        return ("No such file or directory",)

    def recover(self):
        self._aside.rename(self._log)
        return ()

    def _numbers(self):
        return sorted(int(file.stem) for file in self._log.glob("*.wal"))

    def _append(self, rows, damage=0):
        numbers = self._numbers()
        number = numbers[-1] if numbers else 1
        if numbers and len(list(self._frames(number))) >= FRAMES_OF_SEGMENT:
            number += 1
        body = b"".join(struct.pack(">I", len(row)) + row for row in rows)
        moment = int(time.time() * 1000)
        head = HEADER.pack(b"WF", len(body), zlib.crc32(body) ^ damage, moment, len(rows))
        with (self._log / f"{number}.wal").open("ab") as file:
            file.write(head + body)
        return number

    def _frames(self, number):
        data = (self._log / f"{number}.wal").read_bytes()
        at = 0
        while at < len(data):
            _, size, _, moment, _ = HEADER.unpack_from(data, at)
            at += HEADER.size
            yield moment, data[at : at + size]
            at += size

    def _all(self):
        for number in self._numbers():
            for moment, body in self._frames(number):
                at = 0
                while at < len(body):
                    (size,) = struct.unpack_from(">I", body, at)
                    yield moment, body[at + 4 : at + 4 + size]
                    at += 4 + size
