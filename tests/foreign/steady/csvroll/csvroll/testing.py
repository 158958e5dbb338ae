"""A directory of CSV files, without the connector."""

from __future__ import annotations

import shutil
from datetime import UTC, date, datetime
from decimal import Decimal
from urllib.parse import unquote

NAMES = ("id", "label", "price", "seen", "live", "day", "ratio", "note")
READERS = {
    "id": int,
    "price": Decimal,
    "seen": datetime.fromisoformat,
    "live": lambda text: text == "true",
    "day": date.fromisoformat,
    "ratio": float,
}


class CsvEndpoint:
    """Reads every file, with a small parser that tells a null from an empty text."""

    def __init__(self, directory):
        self._home = directory / "csv"
        self._aside = directory / "aside"

    def start(self):
        self._home.mkdir()
        return {"csv.directory": str(self._home)}

    def stop(self):
        if self._home.is_file():
            self._home.unlink()
        shutil.rmtree(self._home, ignore_errors=True)
        shutil.rmtree(self._aside, ignore_errors=True)

    def seed(self, values):
        number = len(list(self._home.glob("*.csv")))
        lines = [";".join(f'"{name}"' for name in NAMES)]
        lines += [";".join(_text(value.get(name)) for name in NAMES) for value in values]
        path = self._home / f"seeds+seeds+0+{number:020d}-{number:020d}.csv"
        path.write_bytes("".join(line + "\r\n" for line in lines).encode())

    def read_back(self):
        return [row for _, row in self._rows()]

    def read_topics(self):
        return [topic for topic, _ in self._rows()]

    def refuse(self):
        self._home.rename(self._aside)
        self._home.touch()
        return ("Not a directory",)

    def recover(self):
        self._home.unlink()
        self._aside.rename(self._home)
        return ()

    def _rows(self):
        found = []
        for path in sorted(self._home.glob("[!.]*.csv"), key=_order):
            names, *rows = _table(path.read_bytes().decode())
            topic = unquote(path.name.split("+")[0])
            for row in rows:
                cells = zip(names, row, strict=False)  # as lenient as most readers are
                found.append((topic, {name: _value(name, cell) for name, cell in cells}))
        return found


def _order(path):
    """Partitions one after the other, each by its offsets."""
    _, topic, partition, offsets = path.name.split("+")
    return topic, partition, offsets


def _table(text):
    """Rows of a text, each a list of cells; a null is ``None``."""
    rows, row, at = [], [], 0
    while at < len(text):
        if text[at] == '"':
            cell, at = _quoted(text, at + 1)
        else:
            cell = None
        end = at
        while text[end] not in ";\r":
            end += 1
        row.append((cell or "") + text[at:end] if end > at else cell)
        at = end
        if text[at] == ";":
            at += 1
            continue
        if text[at : at + 2] != "\r\n":
            raise ValueError(f"a line ends with {text[at : at + 2]!r}")
        rows.append(row)
        row, at = [], at + 2
    return rows


def _quoted(text, begin):
    end = text.index('"', begin)
    while text[end : end + 2] == '""':
        end = text.index('"', end + 2)
    return text[begin:end].replace('""', '"'), end + 1


def _text(value):
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case str():
            return '"' + value.replace('"', '""') + '"'
        case datetime():
            return value.astimezone(UTC).isoformat(timespec="milliseconds")
        case Decimal():
            return format(value, "f")
        case date():
            return value.isoformat()
    return repr(value)


def _value(name, cell):
    return None if cell is None else READERS.get(name, str)(cell)
