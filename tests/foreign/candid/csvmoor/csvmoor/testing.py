"""Files that a producer writes next to the inbox and renames into it."""

from __future__ import annotations

import csv

A_FILE = 4


class MoorEndpoint:
    """An inbox, and the directory to which the connector moves files."""

    def __init__(self, directory):
        self._inbox, self._finished = directory / "inbox", directory / "finished"
        self._draft, self._away = directory / "draft", directory / "inbox.away"

    def start(self):
        for each in (self._inbox, self._finished):
            each.mkdir()
        return {"inbox": str(self._inbox), "finished": str(self._finished)}

    def stop(self):
        self.recover()
        for each in (self._inbox, self._finished):
            for file in each.iterdir():
                file.unlink()
            each.rmdir()

    def seed(self, values):
        for begin in range(0, len(values), A_FILE):
            self._deliver(values[begin : begin + A_FILE], "utf-8")

    def seed_corrupt(self):
        return (self._deliver(["caf\xe9"], "latin-1"), "line 2")

    def seeded(self, value):
        return value["text"]

    def read_back(self):
        return [text for text, _ in self._rows()]

    def read_keys(self):
        return [key for _, key in self._rows()]

    def refuse(self):
        self._inbox.rename(self._away)
        self._inbox.write_bytes(b"")
        return ("Not a directory",)

    def recover(self):
        if self._inbox.is_file():
            self._inbox.unlink()
            self._away.rename(self._inbox)
        return ()

    def deny(self):
        self.refuse()
        return ()

    def _files(self):
        files = [*self._inbox.glob("*.csv"), *self._finished.glob("*.csv")]
        return sorted(files, key=lambda file: file.name)

    def _deliver(self, values, encoding):
        name = f"orders {len(self._files()):06}.csv"
        with self._draft.open("w", encoding=encoding, newline="") as file:
            writer = csv.writer(file, delimiter=";")
            writer.writerow(["id", "text", "unit"])
            for number, value in enumerate(values):
                writer.writerow([f"{name}/{number}", value, "piece"])
        self._draft.rename(self._inbox / name)
        return name

    def _rows(self):
        csv.field_size_limit(1 << 30)
        found = []
        for path in self._files():
            try:
                with path.open(encoding="utf-8", newline="") as file:
                    rows = list(csv.DictReader(file, delimiter=";"))
            except UnicodeDecodeError:
                continue
            found += [(row["text"], row["id"]) for row in rows]
        return found
