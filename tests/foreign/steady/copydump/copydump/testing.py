"""A directory of exports, without the connector."""

from __future__ import annotations

import shutil
from datetime import UTC, date, datetime
from decimal import Decimal

NAMES = ("id", "name", "price", "seen", "live", "day", "note")
ROWS = (7, 45, 1)
MARKS = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\v": "\\v", "\b": "\\b", "\f": "\\f"}
BACK = {escape: plain for plain, escape in MARKS.items()}


class DumpEndpoint:
    """Exports have a row, a few or more than a poll takes; each has its mark."""

    def __init__(self, directory):
        self._home = directory / "exports"
        self._aside = directory / "aside"

    def start(self):
        self._home.mkdir()
        return {"dump.directory": str(self._home)}

    def stop(self):
        if self._home.is_file():
            self._home.unlink()
        shutil.rmtree(self._home, ignore_errors=True)
        shutil.rmtree(self._aside, ignore_errors=True)

    def seed(self, values):
        lines = [_line(value) for value in values]
        while lines:
            number = self._count()
            end = "\\.\n" if number % 2 else ""
            size = ROWS[number % len(ROWS)]
            self._put("".join(lines[:size]) + end)
            lines = lines[size:]

    def read_back(self):
        return [row for path in sorted(self._home.glob("*.copy")) for row in _rows(path)]

    def read_keys(self):
        return [row["id"] for row in self.read_back()]

    def seed_foreign(self):
        line = _line(
            {
                "id": 4,
                "name": "n",
                "price": Decimal("1.00"),
                "seen": datetime(2024, 1, 1, tzinfo=UTC),
                "live": True,
                "day": date(2024, 1, 1),
            }
        )
        self._put("four" + line[1:])
        return ("column id", "four")

    def seed_corrupt(self):
        name = self._put("1\thalf a row\n")
        return (name, "line 1")

    def refuse(self):
        self._home.rename(self._aside)
        self._home.touch()
        return ("Not a directory",)

    def recover(self):
        self._home.unlink()
        self._aside.rename(self._home)
        return ()

    def _count(self):
        return len(list(self._home.glob("*.copy")))

    def _put(self, text):
        name = f"stock-{self._count():06d}.copy"
        (self._home / name).write_bytes(text.encode())
        (self._home / f"{name}.done").touch()
        return name


def _line(value):
    cells = [
        str(value["id"]),
        _escaped(value["name"]),
        format(value["price"], "f"),
        value["seen"].astimezone(UTC).isoformat(" ", "milliseconds"),
        "t" if value["live"] else "f",
        value["day"].isoformat(),
        "\\N" if value.get("note") is None else _escaped(value["note"]),
    ]
    return "\t".join(cells) + "\n"


def _escaped(text):
    return "".join(MARKS.get(each, each) for each in text)


def _plain(text):
    found, at = [], 0
    while at < len(text):
        step = 2 if text[at] == "\\" else 1
        found.append(BACK.get(text[at : at + step], text[at : at + step]))
        at += step
    return "".join(found)


def _rows(path):
    rows = []
    for line in path.read_bytes().decode().split("\n"):
        if not line or line == "\\.":
            continue
        cells = dict(zip(NAMES, line.split("\t"), strict=False))
        if len(cells) < len(NAMES) or not cells["id"].lstrip("-").isdigit():
            continue
        rows.append(
            {
                "id": int(cells["id"]),
                "name": _plain(cells["name"]),
                "price": Decimal(cells["price"]),
                "seen": datetime.fromisoformat(cells["seen"]),
                "live": cells["live"] == "t",
                "day": date.fromisoformat(cells["day"]),
                "note": None if cells["note"] == "\\N" else _plain(cells["note"]),
            }
        )
    return rows
