"""The logs, read and written without the connector."""

from __future__ import annotations

import datetime as dt
import shutil
import struct
import zlib
from decimal import Decimal
from urllib.parse import unquote

READERS = {
    b"n": lambda content: None,
    b"o": lambda content: content == b"\x01",
    b"i": int,
    b"f": lambda content: struct.unpack(">d", content)[0],
    b"s": lambda content: content.decode("utf-8", "surrogatepass"),
    b"b": bytes,
    b"d": lambda content: Decimal(content.decode()),
    b"m": lambda content: dt.datetime.fromisoformat(content.decode()),
    b"a": lambda content: dt.date.fromisoformat(content.decode()),
    b"t": lambda content: dt.time.fromisoformat(content.decode()),
}


class ReelsEndpoint:
    """A directory with a directory for each partition."""

    def __init__(self, directory):
        self._reels = directory / "reels"
        self._saved = directory / "saved"
        self._seeds = 0

    def start(self):
        self._reels.mkdir()
        return {"reels.directory": str(self._reels)}

    def stop(self):
        if self._reels.is_file():
            self._reels.unlink()
        shutil.rmtree(self._reels, ignore_errors=True)
        shutil.rmtree(self._saved, ignore_errors=True)

    def seed(self, values):
        log = self._reels / "+seeds-0"
        log.mkdir(exist_ok=True)
        with (log / f"{0:019d}.reel").open("ab") as file:
            for value in values:
                parts = [b"s" + struct.pack(">I", 0), b"n" + struct.pack(">I", 0), _packed(value)]
                body = struct.pack(">Bq?q", 1, self._seeds, False, 0) + b"".join(parts)
                file.write(struct.pack(">II", len(body), zlib.crc32(body)) + body)
                self._seeds += 1

    def _frames(self):
        """The name of a log, and the parts of each of its frames."""
        for log in sorted(self._reels.iterdir()):
            for path in sorted(log.glob("*.reel")):
                content = path.read_bytes()
                while len(content) >= 8:
                    length, checksum = struct.unpack_from(">II", content)
                    body, content = content[8 : 8 + length], content[8 + length :]
                    if zlib.crc32(body) != checksum or len(body) < length:
                        break
                    kind, offset, timed, at = struct.unpack_from(">Bq?q", body)
                    yield log.name, kind, offset, at if timed else None, _parts(body[18:])

    def _records(self):
        return [(at, parts) for _, kind, _, at, parts in self._frames() if kind == 1]

    def read_back(self):
        return [parts[2] for _, parts in self._records()]

    def read_timestamps(self):
        return [at for at, _ in self._records()]

    def read_topics(self):
        return [parts[0] for _, parts in self._records()]

    def read_headers(self):
        return [list(zip(parts[3::2], parts[4::2], strict=True)) for _, parts in self._records()]

    def read_offsets(self):
        places = {}
        for name, _, offset, _, _ in self._frames():
            topic, _, partition = name.rpartition("-")
            if topic != "+seeds":
                places[unquote(topic), int(partition)] = offset + 1
        return [(topic, partition, place) for (topic, partition), place in places.items()]

    def refuse(self):
        self._reels.rename(self._saved)
        self._reels.write_bytes(b"")
        return ("Not a directory",)

    def recover(self):
        self._reels.unlink()
        self._saved.rename(self._reels)
        return ()


def _parts(content):
    parts = []
    while content:
        (length,) = struct.unpack_from(">I", content, 1)
        parts.append(READERS[content[:1]](content[5 : 5 + length]))
        content = content[5 + length :]
    return parts


def _packed(value):
    letter, content = {
        bool: lambda: (b"o", b"\x01" if value else b"\x00"),
        int: lambda: (b"i", str(value).encode()),
        float: lambda: (b"f", struct.pack(">d", value)),
        str: lambda: (b"s", value.encode("utf-8", "surrogatepass")),
        bytes: lambda: (b"b", value),
        Decimal: lambda: (b"d", str(value).encode()),
        dt.datetime: lambda: (b"m", value.isoformat().encode()),
        dt.date: lambda: (b"a", value.isoformat().encode()),
        dt.time: lambda: (b"t", value.isoformat().encode()),
    }[type(value)]()
    return letter + struct.pack(">I", len(content)) + content
