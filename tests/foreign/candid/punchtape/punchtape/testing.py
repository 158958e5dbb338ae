"""The recorder: begins a segment after every forty frames."""

from __future__ import annotations

import struct
import zlib

A_SEGMENT = 40


class TapeEndpoint:
    """A directory of segments."""

    def __init__(self, directory):
        self._tape = directory / "tape"
        self._away = directory / "tape.away"

    def start(self):
        self._tape.mkdir()
        return {"tape.directory": str(self._tape)}

    def stop(self):
        self.recover()
        for file in self._tape.iterdir():
            file.unlink()
        self._tape.rmdir()

    def seed(self, values):
        count = len(self._frames())
        for number, value in enumerate(values, count + 1):
            content = struct.pack(">q", number) + value.encode("utf-8")
            self._append(number, content, zlib.crc32(content))

    def seed_corrupt(self):
        number = len(self._frames()) + 1
        content = struct.pack(">q", number) + b"half"
        file, begin = self._append(number, content, zlib.crc32(content) ^ 1)
        return (file.name, f"byte {begin}", "checksum")

    def read_back(self):
        return [text for _, text in self._frames()]

    def read_keys(self):
        return [number for number, _ in self._frames()]

    def refuse(self):
        self._tape.rename(self._away)
        self._tape.write_bytes(b"")
        return ("Not a directory",)

    def recover(self):
        if self._tape.is_file():
            self._tape.unlink()
            self._away.rename(self._tape)
        return ()

    def deny(self):
        self.refuse()
        return ()

    def _append(self, number, content, checksum):
        file = self._tape / f"{(number - 1) // A_SEGMENT + 1:010}.tape"
        with file.open("ab") as tape:
            begin = tape.tell()
            tape.write(struct.pack(">II", len(content) - 8, checksum) + content)
        return file, begin

    def _frames(self):
        found = []
        for file in sorted(self._tape.glob("*.tape")):
            data, at = file.read_bytes(), 0
            while at < len(data):
                length, checksum = struct.unpack_from(">II", data, at)
                content = data[at + 8 : at + 16 + length]
                if zlib.crc32(content) == checksum:
                    found.append((int.from_bytes(content[:8], "big"), content[8:].decode("utf-8")))
                at += 16 + length
        return found
