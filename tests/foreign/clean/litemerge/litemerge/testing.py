"""Driver for litemerge: a database in a directory, read with plain SQL."""
import sqlite3
import uuid
from contextlib import closing
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)

DECODE = {
    "price": Decimal,
    "active": bool,
    "born": date.fromisoformat,
    "seen": lambda ms: EPOCH + timedelta(milliseconds=ms),
}
ENCODE = {
    "price": str,
    "active": int,
    "born": date.isoformat,
    "seen": lambda t: (t - EPOCH) // timedelta(milliseconds=1),
}


class LiteMergeDriver:
    def __init__(self, directory):
        self.directory = directory
        self.path = directory / "merge.db"
        self.aside = directory / "merge.aside"

    def _connect(self):
        return closing(sqlite3.connect(self.path, timeout=20))

    def start(self):
        with self._connect() as db:
            db.execute("PRAGMA user_version = 1")
        return {"sqlite.path": str(self.path)}

    def stop(self):
        if self.aside.exists():
            self.recover()
        self.path.unlink(missing_ok=True)

    def seed(self, rows):
        with self._connect() as db, db:
            db.execute("CREATE TABLE IF NOT EXISTS seeded (record_key PRIMARY KEY NOT NULL)")
            present = {c[1] for c in db.execute("PRAGMA table_info(seeded)")}
            for row in rows:
                for name in row:
                    if name not in present:
                        db.execute(f'ALTER TABLE seeded ADD COLUMN "{name}"')
                        present.add(name)
                names = ["record_key", *row]
                values = [uuid.uuid4().hex]
                for name, value in row.items():
                    encode = ENCODE.get(name, lambda v: v)
                    values.append(None if value is None else encode(value))
                columns = ", ".join(f'"{n}"' for n in names)
                db.execute(
                    f"INSERT INTO seeded ({columns}) VALUES ({', '.join('?' * len(names))})", values
                )

    def read_back(self):
        return [row for _, row in self._rows()]

    def read_topics(self):
        return [table for table, _ in self._rows()]

    def _rows(self):
        found = []
        with self._connect() as db:
            db.row_factory = sqlite3.Row
            tables = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            for (table,) in tables:
                quoted = table.replace('"', '""')
                for row in db.execute(f'SELECT * FROM "{quoted}" ORDER BY rowid'):
                    decoded = {}
                    for name in row.keys():
                        if name != "record_key":
                            decode = DECODE.get(name, lambda v: v)
                            decoded[name] = None if row[name] is None else decode(row[name])
                    found.append((table, decoded))
        return found

    def refuse(self):
        self.path.rename(self.aside)
        self.path.mkdir()
        return ("unable to open database file",)

    def recover(self):
        if self.path.is_dir():
            self.path.rmdir()
        else:
            self.path.unlink(missing_ok=True)
        self.aside.rename(self.path)
        return ()

    def deny(self):
        self.path.rename(self.aside)
        self.path.write_bytes(b"this is certainly no database\n" * 100)
        return ()
