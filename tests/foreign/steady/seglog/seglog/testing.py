"""A directory of logs, without the connector."""

from __future__ import annotations

import shutil
import struct
import zlib

ENTRY = struct.Struct(">IQqI")
NO_TIME = -(2**63)


class LogEndpoint:
    """Reads the segments of each log as far as its index says; seeds are a log of their own."""

    def __init__(self, directory):
        self._home = directory / "logs"
        self._aside = directory / "aside"

    def start(self):
        self._home.mkdir()
        return {"log.directory": str(self._home)}

    def stop(self):
        if self._home.is_file():
            self._home.unlink()
        shutil.rmtree(self._home, ignore_errors=True)
        shutil.rmtree(self._aside, ignore_errors=True)

    def seed(self, values):
        log = self._home / "seeds-0"
        log.mkdir(exist_ok=True)
        data = b"".join(_frame(value) for value in values)
        with (log / "00000001.seg").open("ab") as file:
            file.write(data)
            end = file.tell()
        with (log / "index").open("ab") as file:
            packed = ENTRY.pack(1, end, 0, 0)
            file.write(packed[:-4] + struct.pack(">I", zlib.crc32(packed)))

    def read_back(self):
        return [value for _, _, value in self._frames()]

    def read_timestamps(self):
        return [time for _, time, _ in self._frames()]

    def read_topics(self):
        return [topic for topic, _, _ in self._frames()]

    def read_offsets(self):
        found = []
        for log in sorted(self._home.iterdir()):
            topic, _, partition = log.name.rpartition("-")
            entries = _entries(log)
            if entries and entries[-1][2] >= 0 and topic != "seeds":
                found.append((topic, int(partition), entries[-1][2]))
        return found

    def refuse(self):
        self._home.rename(self._aside)
        self._home.touch()
        return ("Not a directory",)

    def recover(self):
        self._home.unlink()
        self._aside.rename(self._home)
        return ()

    def _frames(self):
        found = []
        for log in sorted(self._home.iterdir()):
            ends = {number: end for number, end, _ in _entries(log)}
            for number, end in sorted(ends.items()):
                path = log / f"{number:08d}.seg"
                data = path.read_bytes()[:end] if end else b""
                found += _read(data)
        return found


def _entries(log):
    path = log / "index"
    data = path.read_bytes() if path.exists() else b""
    found = []
    for at in range(0, len(data) - ENTRY.size + 1, ENTRY.size):
        number, end, following, check = ENTRY.unpack_from(data, at)
        if zlib.crc32(ENTRY.pack(number, end, following, 0)) == check:
            found.append((number, end, following))
    return found


def _frame(value):
    match value:
        case bool():
            kind, data = 5, b"\1" if value else b"\0"
        case int():
            kind, data = 3, struct.pack(">q", value)
        case float():
            kind, data = 4, struct.pack(">d", value)
        case bytes():
            kind, data = 2, value
        case _:
            kind, data = 1, value.encode()
    content = struct.pack(">QqH", 0, NO_TIME, 5) + b"seeds" + struct.pack(">BI", 0, 0)
    content += struct.pack(">BI", kind, len(data)) + data
    return struct.pack(">II", len(content), zlib.crc32(content)) + content


def _read(data):
    at, found = 0, []
    while at < len(data):
        size, check = struct.unpack_from(">II", data, at)
        content = data[at + 8 : at + 8 + size]
        if len(content) < size or zlib.crc32(content) != check:
            raise ValueError(f"a frame is broken at byte {at}")
        _, time, long = struct.unpack_from(">QqH", content, 0)
        topic, place = content[18 : 18 + long].decode(), 18 + long
        _, key = struct.unpack_from(">BI", content, place)
        place += 5 + key
        kind, long = struct.unpack_from(">BI", content, place)
        found.append((topic, None if time == NO_TIME else time, _value(kind, content[place + 5 :])))
        at += 8 + size
    return found


def _value(kind, data):
    match kind:
        case 0:
            return None
        case 1:
            return data.decode()
        case 3:
            return struct.unpack(">q", data)[0]
        case 4:
            return struct.unpack(">d", data)[0]
        case 5:
            return data == b"\1"
    return data
