"""An inbox of CSV files, without the connector."""

import csv
import io
import os
import random
import shutil
from datetime import UTC, datetime
from decimal import Decimal

NAMES = ("number", "name", "price", "due", "open", "note")
ROWS = 5


class InboxEndpoint:
    def __init__(self, directory):
        self._inbox = directory / "inbox"
        self._finished = directory / "finished"
        self._aside = directory / "aside"

    def start(self):
        self._inbox.mkdir()
        return {"csv.inbox": str(self._inbox), "csv.finished": str(self._finished)}

    def stop(self):
        if self._inbox.is_file():
            self._inbox.unlink()
        for directory in (self._inbox, self._finished, self._aside):
            shutil.rmtree(directory, ignore_errors=True)

    def seed(self, values):
        for begin in range(0, len(values), ROWS):
            rows = [_texts(value) for value in values[begin : begin + ROWS]]
            self._put(_content(rows, len(self._files())))

    def read_back(self):
        return [value for _, value in self._rows()]

    def read_keys(self):
        return [name for name, _ in self._rows()]

    def seed_corrupt(self):
        name = self._put(",".join(NAMES).encode() + b'\r\n1,"half a row\r\n')
        return (name, "line 2")

    def seed_foreign(self):
        self._put(",".join(NAMES).encode() + b"\r\nseven,a,1.50,2026-01-02T03:04:05Z,true,b\r\n")
        return ("number", "seven")

    def refuse(self):
        self._inbox.rename(self._aside)
        self._inbox.touch()
        return ("Not a directory",)

    def recover(self):
        self._inbox.unlink()
        self._aside.rename(self._inbox)
        return ()

    def _put(self, content):
        """Exports are named by a number that is free; each is newer than those before."""
        number = 1
        while (self._inbox / f"export-{number}.csv").exists():
            number += 1
        name = f"export-{number}.csv"
        draft = self._inbox / f".{name}.part"
        draft.write_bytes(content)
        newest = max((_written(file) for file in self._files()), default=0)
        written = max(draft.stat().st_mtime_ns, newest + 1000)
        os.utime(draft, ns=(written, written))
        draft.rename(self._inbox / name)
        return name

    def _files(self):
        files = [*self._inbox.glob("[!.]*.csv"), *self._finished.glob("*.csv")]
        return sorted(files, key=_written)

    def _rows(self):
        rows = []
        for file in self._files():
            name = "export" + file.name.rpartition("export")[2]
            with file.open(newline="", encoding="utf-8-sig") as lines:
                rows += [(name, _value(row)) for row in csv.DictReader(lines)]
        return rows


def _written(file):
    return file.stat().st_mtime_ns


def _texts(value):
    due = value["due"].astimezone(UTC).isoformat(timespec="milliseconds")
    note = value.get("note")
    return {
        **value,
        "price": format(value["price"], "f"),
        "due": due,
        "open": "true" if value["open"] else "false",
        "note": "\\N" if note is None else note,
    }


def _content(rows, count):
    """A file as different programs write it: columns in any order, some marked as UTF-8."""
    text = io.StringIO()
    names = random.sample(NAMES, len(NAMES))
    writer = csv.DictWriter(text, names, quoting=csv.QUOTE_ALL if count % 2 else csv.QUOTE_MINIMAL)
    writer.writeheader()
    writer.writerows(rows)
    return (b"\xef\xbb\xbf" if count % 3 == 2 else b"") + text.getvalue().encode()


def _value(row):
    return {
        "number": int(row["number"]),
        "name": row["name"],
        "price": Decimal(row["price"]),
        "due": datetime.fromisoformat(row["due"]),
        "open": row["open"] == "true",
        "note": None if row["note"] == "\\N" else row["note"],
    }
