"""The board, without the connector."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

READ = {"bool": bool, "float": float}


class BoardEndpoint:
    """A database in a private directory."""

    def __init__(self, directory):
        self._file = directory / "board.db"
        self._saved = directory / "saved.db"

    def start(self):
        with closing(sqlite3.connect(self._file)) as board, board:
            board.execute("CREATE TABLE seed (text TEXT)")
        return {"board": str(self._file)}

    def stop(self):
        for file in (self._file, self._saved):
            file.unlink(missing_ok=True)

    def seed(self, values):
        with closing(sqlite3.connect(self._file, timeout=60)) as board, board:
            board.executemany("INSERT INTO seed VALUES (?)", [(value,) for value in values])

    def _read(self):
        with closing(sqlite3.connect(self._file, timeout=60)) as board:
            board.row_factory = sqlite3.Row
            rows = [(row["text"], None) for row in board.execute("SELECT text FROM seed")]
            tables = board.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 't_*'"
            ).fetchall()
            for (table,) in tables:
                for row in board.execute(f"SELECT * FROM {table}").fetchall():
                    rows.append((_value(row), row["at"]))
        return rows

    def read_back(self):
        return [value for value, _ in self._read()]

    def read_timestamps(self):
        return [at for _, at in self._read()]

    def refuse(self):
        self._file.rename(self._saved)
        self._file.write_bytes(b"closed for repairs " * 100)
        return ("file is not a database",)

    def recover(self):
        self._file.unlink()
        self._saved.rename(self._file)
        return ()


def _value(row):
    found = {}
    for name, kind in json.loads(row["shape"]).items():
        letters = "abcdefghijklmnopqrstuvwxyz0123456789"
        column = "c_" + "".join(c if c in letters else f"_{ord(c):x}_" for c in name)
        found[name] = READ.get(kind, lambda cell: cell)(row[column])
    return found[""] if "" in found else found
