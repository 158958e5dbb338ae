"""A directory of scrolls, which are read and written here as the format says."""

from __future__ import annotations

import base64
import json
import struct
import urllib.parse
import zlib

READ = {
    "int": int,
    "float": float,
    "bytes": base64.b64decode,
    "list": lambda items: [_plain(item) for item in items],
    "map": lambda items: {_plain(name): _plain(item) for name, item in items},
}
WRITE = {
    str: str,
    bool: bool,
    type(None): lambda _: None,
    int: lambda value: {"int": str(value)},
    float: lambda value: {"float": repr(value)},
    bytes: lambda value: {"bytes": base64.b64encode(value).decode("ascii")},
    list: lambda value: {"list": [_typed(each) for each in value]},
    dict: lambda value: {"map": [[_typed(k), _typed(v)] for k, v in value.items()]},
}


class ScrollEndpoint:
    """The directory."""

    def __init__(self, directory):
        self._scrolls = directory / "scrolls"
        self._away = directory / "scrolls.away"

    def start(self):
        self._scrolls.mkdir()
        return {"scrolls.directory": str(self._scrolls)}

    def stop(self):
        self.recover()
        for file in self._scrolls.iterdir():
            file.unlink()
        self._scrolls.rmdir()

    def seed(self, values):
        begin = sum(topic == "seeds" for topic, _, _ in self._entries())
        with (self._scrolls / "seeds-0.scroll").open("ab") as file:
            for number, value in enumerate(values, begin + 1):
                entry = {"next": number, "at": None, "key": None, "value": _typed(value)}
                content = json.dumps(entry).encode("ascii")
                file.write(struct.pack(">II", len(content), zlib.crc32(content)) + content)

    def read_back(self):
        return [_plain(entry["value"]) for _, _, entry in self._entries()]

    def read_timestamps(self):
        return [entry["at"] for _, _, entry in self._entries()]

    def read_topics(self):
        return [topic for topic, _, _ in self._entries()]

    def read_offsets(self):
        found = {
            (topic, partition): entry["next"]
            for topic, partition, entry in self._entries(everything=True)
            if topic != "seeds"
        }
        return [(*place, offset) for place, offset in found.items() if offset is not None]

    def refuse(self):
        self._scrolls.rename(self._away)
        self._scrolls.write_bytes(b"")
        return ("Not a directory",)

    def recover(self):
        if self._scrolls.is_file():
            self._scrolls.unlink()
            self._away.rename(self._scrolls)
        return ()

    def deny(self):
        self.refuse()
        return ()

    def _entries(self, *, everything=False):
        found = []
        for file in sorted(self._scrolls.glob("*.scroll")):
            topic, _, partition = file.stem.rpartition("-")
            data, at = file.read_bytes(), 0
            while at + 8 <= len(data):
                length, checksum = struct.unpack_from(">II", data, at)
                content = data[at + 8 : at + 8 + length]
                if zlib.crc32(content) != checksum:
                    break
                entry = json.loads(content)
                if everything or "value" in entry:
                    found.append((urllib.parse.unquote(topic), int(partition), entry))
                at += 8 + length
        return found


def _typed(value):
    return WRITE[type(value)](value)


def _plain(value):
    if isinstance(value, dict):
        ((kind, content),) = value.items()
        return READ[kind](content)
    return value
