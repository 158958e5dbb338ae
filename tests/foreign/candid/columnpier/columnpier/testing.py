"""A directory of Parquet files."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pyarrow.parquet as pq

SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("name", pa.string()),
        ("price", pa.decimal128(38, 2)),
        ("weight", pa.float64()),
        ("ratio", pa.float32()),
        ("day", pa.date32()),
        ("opens", pa.time32("ms")),
        ("changed", pa.timestamp("ms", "UTC")),
        ("picture", pa.binary()),
        ("active", pa.bool_()),
        ("small", pa.int8()),
    ]
)


class PierEndpoint:
    """The directory, which is read as a reader of such files would read it."""

    def __init__(self, directory):
        self._pier = directory / "pier"
        self._away = directory / "pier.away"

    def start(self):
        self._pier.mkdir()
        return {"pier.directory": str(self._pier)}

    def stop(self):
        self.recover()
        for file in self._pier.rglob("*"):
            if file.is_file():
                file.unlink()
        for directory in self._pier.iterdir():
            directory.rmdir()
        self._pier.rmdir()

    def seed(self, values):
        directory = self._pier / "day=seeded"
        directory.mkdir(exist_ok=True)
        number = len(list(directory.iterdir()))
        table = pa.Table.from_pylist([dict(value) for value in values], schema=SCHEMA)
        pq.write_table(table, directory / f"seeds+0+{number:020}.parquet")

    def read_back(self):
        found = []
        for file in sorted(self._pier.glob("day=*/*.parquet"), key=lambda file: file.name):
            table = pq.read_table(pa.BufferReader(file.read_bytes()))
            found += [dict.fromkeys(SCHEMA.names) | row for row in table.to_pylist()]
        for row in found:
            if row["changed"] is not None:
                row["changed"] = row["changed"].astimezone(dt.UTC)
        return found

    def refuse(self):
        self._pier.rename(self._away)
        self._pier.write_bytes(b"")
        return ("Not a directory",)

    def recover(self):
        if self._pier.is_file():
            self._pier.unlink()
            self._away.rename(self._pier)
        return ()

    def deny(self):
        self.refuse()
        return ()
