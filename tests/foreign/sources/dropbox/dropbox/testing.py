"""Three files in a directory."""

from __future__ import annotations

import json
import zlib


class DropboxEndpoint:
    def __init__(self, directory):
        self.directory = directory / "box"
        self.away = directory / "box-away"
        self.files = [self.directory / f"part-{n}.jsonl" for n in range(3)]

    def start(self):
        self.directory.mkdir(exist_ok=True)
        for file in self.files:
            file.touch()
        return {"directory": str(self.directory)}

    def stop(self):
        if self.directory.is_file():
            self.directory.unlink()
        for place in (self.directory, self.away):
            if place.is_dir():
                for file in place.iterdir():
                    file.unlink()
                place.rmdir()

    def seed(self, values):
        for value in values:
            with self.files[zlib.crc32(value.encode()) % 3].open("a", encoding="utf-8") as file:
                file.write(json.dumps(value, ensure_ascii=False) + "\n")

    def read_back(self):
        return [
            json.loads(line)
            for file in self.files
            for line in file.read_bytes().decode().split("\n")
            if line
        ]

    def refuse(self):
        self.directory.rename(self.away)
        self.directory.touch()
        return ("Not a directory",)

    def recover(self):
        self.directory.unlink()
        self.away.rename(self.directory)
        return ()

    def seed_foreign(self):
        for file in self.files:
            with file.open("a") as opened:
                opened.write("7\n")
        return ("int", "expected text")
