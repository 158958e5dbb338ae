"""A directory of ledgers, without the connector."""

# ruff: noqa: D102  # the methods are those of the contract

from __future__ import annotations

import json
import struct
import zlib
from urllib.parse import unquote

HEADER = struct.Struct(">2sIIQ")


class LedgerEndpoint:
    """Reads every ledger from its beginning."""

    def __init__(self, directory):
        self._home = directory / "ledgers"
        self._aside = directory / "aside"

    def start(self):
        self._home.mkdir()
        return {"ledger.directory": str(self._home)}

    def stop(self):
        for home in (self._home, self._aside):
            if home.is_dir():
                for file in home.iterdir():
                    file.unlink()
                home.rmdir()
            home.unlink(missing_ok=True)

    def seed(self, values):
        body = json.dumps([["seed", value] for value in values]).encode()
        head = HEADER.pack(b"LF", len(body), zlib.crc32(body), 0)
        with (self._home / "+seed.ledger").open("ab") as file:
            file.write(head + body)

    def read_back(self):
        return [value for _, value in self._entries()]

    def read_topics(self):
        return [topic for topic, _ in self._entries()]

    def read_offsets(self):
        found = []
        for file in sorted(self._home.glob("[!+]*.ledger")):
            topic, _, partition = file.stem.rpartition("-")
            offsets = [offset for offset, _ in _frames(file.read_bytes())]
            if offsets:
                found.append((unquote(topic), int(partition), offsets[-1]))
        return found

    def refuse(self):
        self._home.rename(self._aside)
        self._home.touch()
        return ("Not a directory",)

    def recover(self):
        self._home.unlink()
        self._aside.rename(self._home)
        return ()

    def _entries(self):
        for file in sorted(self._home.glob("*.ledger")):
            for _, body in _frames(file.read_bytes()):
                yield from json.loads(body)


def _frames(data):
    at = 0
    while at + HEADER.size <= len(data):
        _, size, checksum, offset = HEADER.unpack_from(data, at)
        body = data[at + HEADER.size : at + HEADER.size + size]
        if len(body) < size or zlib.crc32(body) != checksum:
            return
        yield offset, body
        at += HEADER.size + size
