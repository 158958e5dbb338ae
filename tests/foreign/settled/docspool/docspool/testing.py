"""A directory of documents in three shelves, with files that are not complete beside them."""

from __future__ import annotations

import json
import shutil

SHELVES = ("east", "north", "süd")
FIRST = 97
TIME = 1_680_000_000_000


class SpoolEndpoint:
    """The directory; a document gets its name when it is complete."""

    def __init__(self, directory):
        self._spool = directory / "spool"
        self._aside = directory / "aside"

    def start(self):
        for shelf in SHELVES:
            (self._spool / shelf).mkdir(parents=True)
        return {"spool.directory": str(self._spool)}

    def stop(self):
        self.recover()
        shutil.rmtree(self._spool, ignore_errors=True)

    def seed(self, values):
        there = sum(len(self._numbers(shelf)) for shelf in SHELVES)
        for at, value in enumerate(values, there):
            shelf = SHELVES[at % len(SHELVES)]
            document = {
                "value": value,
                "key": f"{shelf}-{at}" if at % 4 else None,
                "time": TIME + at,
                "headers": {"shelf": shelf},
            }
            self._put(shelf, self._free(shelf), json.dumps(document, ensure_ascii=bool(at % 2)))
        for shelf in SHELVES:
            number = self._free(shelf) + 1
            (self._spool / shelf / f"{number}.json.part").write_text('{"value": "ha', "utf-8")

    def seed_foreign(self):
        return self._add(json.dumps({"value": 1.5}))

    def seed_corrupt(self):
        return self._add('{"value": "ha')

    def read_back(self):
        return [document["value"] for document in self._documents()]

    def read_timestamps(self):
        return [document["time"] for document in self._documents()]

    def read_keys(self):
        return [document["key"] for document in self._documents()]

    def refuse(self):
        self._spool.rename(self._aside)
        self._spool.write_text("gone", "utf-8")
        return ("Not a directory", str(self._spool))

    def recover(self):
        if self._aside.exists():
            self._spool.unlink()
            self._aside.rename(self._spool)
        return ()

    def deny(self):
        self.refuse()
        return ()

    def _add(self, text):
        shelf = SHELVES[0]
        number = self._free(shelf)
        self._put(shelf, number, text)
        return (f"{number}.json",)

    def _put(self, shelf, number, text):
        part = self._spool / shelf / f"{number}.json.part"
        part.write_text(text, "utf-8")
        part.rename(self._spool / shelf / f"{number}.json")

    def _free(self, shelf):
        """The number of the next document."""
        return max(self._numbers(shelf), default=FIRST) + 1

    def _numbers(self, shelf):
        return sorted(int(path.stem) for path in (self._spool / shelf).glob("*.json"))

    def _documents(self):
        texts = [
            (self._spool / shelf / f"{number}.json").read_text("utf-8")
            for shelf in SHELVES
            for number in self._numbers(shelf)
        ]
        return sorted(map(json.loads, texts), key=lambda document: document["time"])
