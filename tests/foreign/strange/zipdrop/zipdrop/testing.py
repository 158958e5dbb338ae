"""A directory of archives, without the connector."""

# ruff: noqa: D102  # the methods are those of the contract

from __future__ import annotations

import json
import zipfile
from datetime import datetime
from decimal import Decimal

ROWS_OF_MEMBER = 4
MEMBERS_OF_ARCHIVE = 3


class DropEndpoint:
    """An archive has up to three members, always of the same names."""

    def __init__(self, directory):
        self._home = directory / "drop"
        self._aside = directory / "aside"

    def start(self):
        self._home.mkdir()
        return {"drop.directory": str(self._home)}

    def stop(self):
        for home in (self._home, self._aside):
            if home.is_dir():
                for file in home.iterdir():
                    file.unlink()
                home.rmdir()

    def seed(self, values):
        lines = [_line(value) for value in values]
        size = ROWS_OF_MEMBER * MEMBERS_OF_ARCHIVE
        for begin in range(0, len(lines), size):
            self._drop(lines[begin : begin + size])

    def seed_corrupt(self):
        name = self._drop(['{"number": 1, "name"'])
        return (name, "row 1")

    def read_back(self):
        values = []
        for file in sorted(self._home.glob("*.zip")):
            with zipfile.ZipFile(file) as archive:
                for member in archive.namelist():
                    values += [_value(line) for line in archive.read(member).splitlines()]
        return values

    def refuse(self):
        self._home.rename(self._aside)
        return ("No such file or directory",)

    def recover(self):
        self._aside.rename(self._home)
        return ()

    def _drop(self, lines):
        count = len(list(self._home.glob("*.zip")))
        file = self._home / f"night-{count + 1:06d}.zip"
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for begin in range(0, len(lines), ROWS_OF_MEMBER):
                part = lines[begin : begin + ROWS_OF_MEMBER]
                name = f"part-{begin // ROWS_OF_MEMBER + 1}.jsonl"
                archive.writestr(name, "".join(f"{line}\n" for line in part))
        file.with_name(f"{file.name}.done").touch()
        return file.name


def _line(row):
    stored = {**row, "price": format(row["price"], "f"), "due": row["due"].isoformat()}
    return json.dumps({name: value for name, value in stored.items() if value is not None})


def _value(line):
    row = json.loads(line)
    return {
        "note": None,
        **row,
        "price": Decimal(row["price"]),
        "due": datetime.fromisoformat(row["due"]),
    }
