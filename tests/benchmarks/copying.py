"""Records a second into a table of PostgreSQL, by the SQL sink's task and by COPY alone.

Run it as ``python -m tests.benchmarks.copying``; it starts a server on a socket in a temporary
directory, and no JVM. Both write rows of three columns in transactions of as many records as a
worker puts at once: the task from records with Structs, by ``put_batch``, with the offsets of
Kafka in the same transaction, and by INSERT to show what COPY is worth; psycopg's COPY from the
same values as tuples. Records and tuples exist before the clock starts, and garbage collections
leave them out. The server works, too, so the clock on the wall counts. A/A: COPY alone is measured
a second time under another name; what the two differ by is the error of the method.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import psycopg
from tests.benchmarks.garbage import set_aside
from tests.postgres_server import postgres_server

import plugwright
from plugwright import (
    FLOAT64_SCHEMA,
    INT64_SCHEMA,
    STRING_SCHEMA,
    SchemaBuilder,
    SinkColumns,
    SinkRecord,
    Struct,
    TopicPartition,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    Rows = list[tuple[int, str, float]]

sys.path.append(str(Path(__file__).parents[2] / "plugin-path" / "sql"))

HOME = TopicPartition("t", 0)
SCHEMA = (
    SchemaBuilder.struct()
    .field("id", INT64_SCHEMA)
    .field("text", STRING_SCHEMA)
    .field("ratio", FLOAT64_SCHEMA)
    .build()
)
TABLE = "CREATE TABLE t (id bigint NOT NULL, text text NOT NULL, ratio double precision NOT NULL)"


def main() -> int:
    """Measure and print; 0 when done."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--records", type=int, default=90_000, help="records in a round")
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each figure")
    parser.add_argument(
        "--batch", type=int, default=500, help="rows of a transaction (500: of a worker's put)"
    )
    options = parser.parse_args()
    rows = [(n, f"text {n % 1000}", n / 3) for n in range(options.records)]
    contenders = {"COPY": _copy, "COPY (A/A)": _copy, "sink": _sink, "sink, INSERT": _insert}
    with postgres_server() as url:
        _say(f"plugwright {plugwright.__version__}, Python {platform.python_version()}")
        _say(f"{_version(url)}, psycopg {psycopg.__version__}, {options.batch} rows a transaction")
        _say(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, {options.rounds} rounds")
        rates = _measured(contenders, url, _parts(rows, options.batch), options.rounds)
    base = statistics.median(rates["COPY"])
    for name, found in rates.items():
        median = statistics.median(found)
        _say(
            f"{name:15}{median:>11,.0f} records/s   {min(found):,.0f} to {max(found):,.0f}"
            f"   {median / base:.2f} of COPY"
        )
    return 0


def _measured(
    contenders: dict[str, Callable[[str, list[Rows]], float]],
    url: str,
    parts: list[Rows],
    rounds: int,
) -> dict[str, list[float]]:
    """The rates of all contenders, taken in turns; the first round warms up."""
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(rounds + 1):
        for name, run in contenders.items():
            with psycopg.connect(url, autocommit=True) as database:
                database.execute(f"DROP TABLE IF EXISTS t, plugwright_offsets; {TABLE}")
            taken = run(url, parts)
            count = _verified(url, parts)
            if turn:
                rates[name].append(count / taken)
    return rates


def _copy(url: str, parts: list[Rows]) -> float:
    with psycopg.connect(url) as database, set_aside():
        start = time.perf_counter()
        for part in parts:
            with database.cursor() as cursor:
                with cursor.copy("COPY t (id, text, ratio) FROM STDIN") as copy:
                    for row in part:
                        copy.write_row(row)
                database.commit()
        return time.perf_counter() - start


def _sink(url: str, parts: list[Rows]) -> float:
    from plugwright_conformance.subject.contexts import SinkContext  # noqa: PLC0415
    from plugwright_sql import SqlSinkTask  # noqa: PLC0415  # from its location

    batches = [SinkColumns.of([_record(row) for row in part]) for part in parts]
    task = SqlSinkTask()
    task.initialize(SinkContext())
    task.start({"name": "c", "connection.url": url})
    task.open([HOME])
    with set_aside():
        start = time.perf_counter()
        for batch in batches:
            task.put_batch(batch)
        taken = time.perf_counter() - start
    task.stop()
    return taken


def _insert(url: str, parts: list[Rows]) -> float:
    with patch("plugwright_sql.layout.knows_copy", lambda *_: False):
        return _sink(url, parts)


def _record(row: tuple[int, str, float]) -> SinkRecord:
    value = Struct(SCHEMA).put("id", row[0]).put("text", row[1]).put("ratio", row[2])
    return SinkRecord("t", 0, None, None, SCHEMA, value, row[0])


def _verified(url: str, parts: list[Rows]) -> int:
    """How many rows the table has, each of them once."""
    rows = [row for part in parts for row in part]
    with psycopg.connect(url) as database:
        found: Any = database.execute("SELECT count(*), sum(id) FROM t").fetchone()
    if found != (len(rows), sum(row[0] for row in rows)):
        raise AssertionError(f"{found} is in the table")
    return len(rows)


def _parts(rows: Rows, size: int) -> list[Rows]:
    return [rows[begin : begin + size] for begin in range(0, len(rows), size)]


def _version(url: str) -> str:
    with psycopg.connect(url) as database:
        found: Any = database.execute("SHOW server_version").fetchone()
    return f"PostgreSQL {found[0]}"


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
