"""A directory of CSV files, whose writer writes in blocks: a file may end within a row."""

from __future__ import annotations

import re
import shutil
from datetime import date
from decimal import Decimal

COLUMNS = ("id", "name", "amount", "day", "paid", "note")
FILES = 3
CELL = re.compile(r'(?:"((?:[^"]|"")*)"|([^",\n]*))([,\n])')


def _cell(value):
    if value is None:
        return ""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if isinstance(value, Decimal):
        text = format(value, "f")
    return '"' + text.replace('"', '""') + '"'


class SheetsEndpoint:
    def __init__(self, directory):
        self._sheets = directory / "sheets"
        self._saved = directory / "saved"

    def start(self):
        self._sheets.mkdir()
        return {"sheets.directory": str(self._sheets)}

    def stop(self):
        if self._sheets.is_file():
            self._sheets.unlink()
        shutil.rmtree(self._sheets, ignore_errors=True)
        shutil.rmtree(self._saved, ignore_errors=True)

    def seed(self, values):
        count = len(self._rows())
        for number, value in enumerate(values, count):
            row = dict(value)
            self._append(number % FILES, ",".join(_cell(row[name]) for name in COLUMNS))

    def read_back(self):
        return [
            {
                "id": int(row[0]),
                "name": row[1],
                "amount": Decimal(row[2]),
                "day": date.fromisoformat(row[3]),
                "paid": row[4] == "true",
                "note": row[5],
            }
            for row in self._rows()
        ]

    def refuse(self):
        self._sheets.rename(self._saved)
        self._sheets.write_bytes(b"")
        return ("ot a directory",)

    def recover(self):
        self._sheets.unlink()
        self._saved.rename(self._sheets)
        return ()

    def deny(self):
        self._sheets.rename(self._saved)
        return ()

    def seed_foreign(self):
        self._append(0, '"seven","seven","7.00","2024-07-07","true",')
        return ("column id", "int64", "sheet0.csv")

    def seed_corrupt(self):
        self._append(1, '"7","half a row"')
        return ("sheet1.csv", "2 cells")

    def _append(self, number, row):
        """Each row begins with a quote, which is on the disk before the rest of the row is."""
        path = self._sheets / f"sheet{number}.csv"
        new = not path.exists()
        with path.open("a", encoding="utf-8", newline="") as file:
            if new:
                file.write(",".join(COLUMNS) + '\n"')
            file.write(row[1:] + '\n"')

    def _rows(self):
        rows = []
        for path in sorted(self._sheets.glob("*.csv")):
            with path.open(encoding="utf-8", newline="") as file:
                text = file.read()
            cells = []
            at = text.index("\n") + 1
            while match := CELL.match(text, at):
                quoted, plain, end = match.groups()
                cells.append((plain or None) if quoted is None else quoted.replace('""', '"'))
                if end == "\n":
                    rows.append(cells)
                    cells = []
                at = match.end()
        return rows
