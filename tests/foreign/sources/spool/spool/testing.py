"""A directory of messages."""

from __future__ import annotations

import os


class SpoolEndpoint:
    def __init__(self, directory):
        self.spool = directory / "spool"
        self.history = directory / "history"

    def start(self):
        self.spool.mkdir(exist_ok=True)
        self.history.touch()
        return {"spool": str(self.spool)}

    def stop(self):
        import shutil

        if self.spool.is_file():
            self.spool.unlink()
        shutil.rmtree(self.spool, ignore_errors=True)
        shutil.rmtree(self.spool.with_suffix(".away"), ignore_errors=True)
        self.history.unlink(missing_ok=True)

    def _put(self, content):
        number = self.history.stat().st_size
        with self.history.open("ab") as file:
            file.write(b".")
        place = self.spool / f"{number:08d}.new"
        place.write_bytes(content)
        os.replace(place, place.with_suffix(".msg"))

    def seed(self, values):
        for value in values:
            self._put(value.encode())

    def read_back(self):
        return [path.read_bytes().decode() for path in sorted(self.spool.glob("*.msg"))]

    def refuse(self):
        self.spool.rename(self.spool.with_suffix(".away"))
        self.spool.touch()
        return ("Not a directory",)

    def recover(self):
        self.spool.unlink()
        self.spool.with_suffix(".away").rename(self.spool)
        return ()

    def seed_foreign(self):
        self._put(b"\xff\xfe")
        return ("not UTF-8", "byte 0")
