"""A stream store in a directory, without the connector."""

# ruff: noqa: D102  # the methods are those of the contract

from __future__ import annotations

import struct

ENTRIES_OF_SHARD = 12


class ShardEndpoint:
    """Writes to two shards in turn, and begins another one when one is full."""

    def __init__(self, directory):
        self._home = directory / "stream"
        self._aside = directory / "aside"

    def start(self):
        self._home.mkdir()
        for number in (1, 2):
            self._file(number).touch()
        return {"shard.directory": str(self._home)}

    def stop(self):
        for home in (self._home, self._aside):
            if home.is_dir():
                for file in home.iterdir():
                    file.unlink()
                home.rmdir()

    def seed(self, values):
        for value in values:
            self._append(_encoded(value))

    def seed_foreign(self):
        name, position = self._append(b"d2026-11-30")
        return (f"byte {position}", name, "'d'")

    def seed_corrupt(self):
        name, position = self._append(b"i\0\0\0")
        return (f"byte {position}", name)

    def read_back(self):
        values = []
        for file in sorted(self._home.glob("*.shard")):
            values += [_decoded(entry) for entry in _entries(file.read_bytes()) if entry]
        return values

    def refuse(self):
        self._home.rename(self._aside)
        return ("No such file or directory",)

    def recover(self):
        self._aside.rename(self._home)
        return ()

    def _file(self, number):
        return self._home / f"shard-{number:04d}.shard"

    def _append(self, entry):
        sizes = {}
        for file in sorted(self._home.glob("*.shard")):
            entries = list(_entries(file.read_bytes()))
            if not entries or entries[-1]:
                sizes[file] = len(entries)
        file = min(sizes, key=sizes.__getitem__)
        position = file.stat().st_size
        full = sizes[file] + 1 >= ENTRIES_OF_SHARD
        if full:
            self._file(len(list(self._home.glob("*.shard"))) + 1).touch()
        with file.open("ab") as stream:
            stream.write(struct.pack(">I", len(entry)) + entry + (bytes(4) if full else b""))
        return file.stem, position


def _entries(data):
    at = 0
    while at < len(data):
        (size,) = struct.unpack_from(">I", data, at)
        at += 4
        yield data[at : at + size]
        at += size


def _encoded(value):
    match value:
        case bool():
            return b"b" + bytes([value])
        case int():
            return b"i" + struct.pack(">q", value)
        case float():
            return b"f" + struct.pack(">d", value)
        case bytes():
            return b"x" + value
        case _:
            return b"s" + value.encode()


def _decoded(entry):
    kind, data = entry[:1], entry[1:]
    match kind:
        case b"b":
            return data == b"\1"
        case b"i":
            return struct.unpack(">q", data)[0]
        case b"f":
            return struct.unpack(">d", data)[0]
        case b"x":
            return data
        case _:
            return data.decode()
