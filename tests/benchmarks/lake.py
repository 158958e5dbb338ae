"""Records a second into Parquet files, by the lake sink's task and by pyarrow alone.

Run it as ``python -m tests.benchmarks.lake``; it starts no JVM and opens no socket. Both write
files of 10,000 rows with three columns to a temporary directory and wait for the disk: the task
from records with Structs, by ``put`` and by ``put_batch``, which a worker calls, pyarrow from the
same values as dictionaries. Records and dictionaries exist before the clock starts, and garbage
collections leave them out. Processor time counts, not the clock on the wall, so that neighbours
matter less. A/A: pyarrow is measured a second time under another name; what the two differ by is
the error of the method.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
from tests.benchmarks.garbage import set_aside

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

    from plugwright import SinkTask

sys.path.append(str(Path(__file__).parents[2] / "plugin-path" / "lake"))

ROWS_A_FILE = 10_000
BATCH = 500
SCHEMA = (
    SchemaBuilder.struct()
    .field("id", INT64_SCHEMA)
    .field("text", STRING_SCHEMA)
    .field("ratio", FLOAT64_SCHEMA)
    .build()
)
COLUMNS = pa.schema([("id", pa.int64()), ("text", pa.string()), ("ratio", pa.float64())])


def main() -> int:
    """Measure and print; 0 when done."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--records", type=int, default=100_000, help="records in a round")
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each figure")
    options = parser.parse_args()
    _say(f"plugwright {plugwright.__version__}, Python {platform.python_version()}")
    _say(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, {options.rounds} rounds\n")
    rows = [{"id": n, "text": f"text {n % 1000}", "ratio": n / 3} for n in range(options.records)]
    contenders = {
        "pyarrow": _pyarrow,
        "pyarrow (A/A)": _pyarrow,
        "sink, records": _put_records,
        "sink, columns": _put_columns,
    }
    rates = _measured(contenders, rows, options.rounds)
    base = statistics.median(rates["pyarrow"])
    for name, found in rates.items():
        median = statistics.median(found)
        _say(
            f"{name:15}{median:>11,.0f} records/s   {min(found):,.0f} to {max(found):,.0f}"
            f"   {median / base:.2f} of pyarrow"
        )
    return 0


def _measured(
    contenders: dict[str, Callable[[list[dict[str, Any]], Path], float]],
    rows: list[dict[str, Any]],
    rounds: int,
) -> dict[str, list[float]]:
    """The rates of all contenders, taken in turns; the first round warms up."""
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(rounds + 1):
        for name, run in contenders.items():
            with tempfile.TemporaryDirectory() as directory:
                taken = run(rows, Path(directory))
            if turn:
                rates[name].append(len(rows) / taken)
    return rates


def _pyarrow(rows: list[dict[str, Any]], directory: Path) -> float:
    with set_aside():
        start = time.process_time()
        for number, part in enumerate(_parts(rows, ROWS_A_FILE)):
            with (directory / f"{number}.parquet").open("wb") as file:
                pq.write_table(pa.Table.from_pylist(part, COLUMNS), file)
                file.flush()
                os.fsync(file.fileno())
        return time.process_time() - start


def _put_records(rows: list[dict[str, Any]], directory: Path) -> float:
    batches = _parts(_records(rows), BATCH)
    return _sink(directory, len(rows), lambda task: [task.put(each) for each in batches])


def _put_columns(rows: list[dict[str, Any]], directory: Path) -> float:
    batches = [SinkColumns.of(each) for each in _parts(_records(rows), BATCH)]
    return _sink(directory, len(rows), lambda task: [task.put_batch(each) for each in batches])


def _sink(directory: Path, count: int, put: Callable[[SinkTask], object]) -> float:
    from plugwright_lake import LakeSinkTask  # noqa: PLC0415  # from its location

    task, home = LakeSinkTask(), TopicPartition("t", 0)
    task.start(
        {
            "store.url": str(directory),
            "format.class": "parquet",
            "flush.size": str(ROWS_A_FILE),
        }
    )
    with set_aside():
        start = time.process_time()
        task.open([home])
        put(task)
        promised = task.pre_commit({home: count})[home]
        taken = time.process_time() - start
    if promised != count:
        raise AssertionError(f"{promised} of {count} records are in files")
    return taken


def _parts(elements: list[Any], size: int) -> list[list[Any]]:
    """Stretches of that size, the last one shorter."""
    return [elements[begin : begin + size] for begin in range(0, len(elements), size)]


def _records(rows: list[dict[str, Any]]) -> list[SinkRecord]:
    return [_record(number, row) for number, row in enumerate(rows)]


def _record(offset: int, row: dict[str, Any]) -> SinkRecord:
    value = Struct(SCHEMA)
    for name, each in row.items():
        value.put(name, each)
    return SinkRecord("t", 0, None, None, SCHEMA, value, offset, 1_700_000_000_000 + offset)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
