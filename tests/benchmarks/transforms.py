"""Records a second through HoistField, InsertField and ReplaceField, with and without schema.

Run it as ``python tests/benchmarks/transforms.py``; it starts no JVM and opens no socket. Each
figure is the median of several rounds with its spread. A/A: the chain with schema is measured a
second time under another name; what the two differ by is the error of the method.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import time
from typing import TYPE_CHECKING

import plugwright
from plugwright.config import import_class
from plugwright.record import SourceRecord
from plugwright.schema import STRING_SCHEMA
from plugwright.transforms import TransformationChain

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright.schema import Schema

PAYLOAD = "x" * 100
CHAIN = {
    "transforms": "hoist,insert,replace",
    "transforms.hoist.type": "HoistField$Value",
    "transforms.hoist.field": "line",
    "transforms.insert.type": "InsertField$Value",
    "transforms.insert.topic.field": "topic",
    "transforms.insert.static.field": "origin",
    "transforms.insert.static.value": "benchmark",
    "transforms.replace.type": "ReplaceField$Value",
    "transforms.replace.exclude": "topic",
    "transforms.replace.renames": "line:text",
}
CONDITION = {
    "transforms.hoist.predicate": "dead",
    "transforms.hoist.negate": "true",
    "predicates": "dead",
    "predicates.dead.type": "RecordIsTombstone",
}


def main() -> int:
    """Measure and print; 0 when done."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--records", type=int, default=20_000, help="records in a round")
    parser.add_argument("--rounds", type=int, default=9, help="rounds of each figure")
    options = parser.parse_args()
    _print_circumstances(options)
    contenders = {
        "schema": _contender(STRING_SCHEMA, CHAIN),
        "schema (A/A)": _contender(STRING_SCHEMA, CHAIN),
        "schemaless": _contender(None, CHAIN),
        "schema, predicate": _contender(STRING_SCHEMA, {**CHAIN, **CONDITION}),
        "no transformation": _contender(STRING_SCHEMA, {}),
    }
    for name, rates in _measured(contenders, options.records, options.rounds).items():
        median, low, high = statistics.median(rates), min(rates), max(rates)
        _say(f"{name:20}{median:>12,.0f} records/s   {low:,.0f} to {high:,.0f}")
    return 0


def _measured(
    contenders: dict[str, Callable[[int], float]], records: int, rounds: int
) -> dict[str, list[float]]:
    """The rates of all contenders, taken in turns so that drift hits all of them."""
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(rounds + 1):
        for name, run in contenders.items():
            rate = run(records)
            if turn:  # the first round warms up
                rates[name].append(rate)
    return rates


def _contender(schema: Schema | None, settings: dict[str, str]) -> Callable[[int], float]:
    chain: TransformationChain[SourceRecord] = TransformationChain.compile(settings, _resolve)
    record = SourceRecord({"file": "a"}, {"position": 1}, "lines", PAYLOAD, schema)

    def run(records: int) -> float:
        apply = chain.apply
        start = time.perf_counter()
        for _ in range(records):
            apply(record)
        return records / (time.perf_counter() - start)

    return run


def _resolve(name: str) -> type:
    return import_class(f"plugwright.transforms:{name}")


def _print_circumstances(options: argparse.Namespace) -> None:
    _say(f"plugwright {plugwright.__version__}, Python {platform.python_version()}")
    _say(f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors, one used")
    _say(f"{len(PAYLOAD)} B payload, {options.rounds} rounds of {options.records:,} records\n")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
