"""Records a second through chains of transformations into JSON and Avro, beside Java's figures.

Each record is made, transformed and converted to bytes on one core. Chains of 0, 1, 3 and 6
transformations, payloads of 100 B and 1 kB, JSON with and without schemas, Avro. Java runs the same
chains with Kafka Connect's own classes in one process before, if there is a JDK to compile them.
A/A: the chain of three with JSON and schemas is measured twice; what the two differ by is the error
of the method.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import platform
import pstats
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.oracle.record import connect_jars

import plugwright
from plugwright.config import import_class
from plugwright.converters import AvroConverter, JsonConverter
from plugwright.errors import ConnectError
from plugwright.java import find_java
from plugwright.kafka.brokers import class_path
from plugwright.record import SourceRecord
from plugwright.schema import STRING_SCHEMA
from plugwright.transforms import TransformationChain

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = (100, 1000)
LENGTHS = (0, 1, 3, 6)
STEPS: tuple[tuple[str, dict[str, str]], ...] = (
    ("HoistField$Value", {"field": "line"}),
    (
        "InsertField$Value",
        {"topic.field": "topic", "static.field": "origin", "static.value": "benchmark"},
    ),
    ("ReplaceField$Value", {"exclude": "topic", "renames": "line:text"}),
    ("InsertField$Value", {"topic.field": "topic"}),
    ("MaskField$Value", {"fields": "origin"}),
)
NAMED = ("SetSchemaMetadata$Value", {"schema.name": "benchmark"})
WITHOUT = ("ReplaceField$Value", {"exclude": "origin"})


def main() -> int:
    """Measure and print; 0 when done."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--records", type=int, default=20_000, help="records in a round")
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each figure")
    parser.add_argument(
        "--profile", action="store_true", help="profile three with JSON and schemas"
    )
    options = parser.parse_args()
    if options.profile:
        return _profile(options.records)
    java = _java(options)
    _say(f"plugwright {plugwright.__version__}, Python {platform.python_version()}, one core of")
    _say(f"{os.cpu_count()}, {platform.system()} {platform.machine()}; records/s, median (range)\n")
    for name, rates in _measured(_contenders(), options).items():
        _say(_row(name, rates, java.get(name.removesuffix(" A/A"))))
    return 0


def _row(name: str, rates: list[float], java: float | None) -> str:
    median = statistics.median(rates)
    text = f"{name:22}{median:>10,.0f}   ({min(rates):,.0f} to {max(rates):,.0f})"
    return f"{text:54}{f'Java {java:,.0f}, ratio {median / java:.2f}' if java else ''}"


def _contenders() -> dict[str, Callable[[int], float]]:
    found = {
        f"{form} {length} {size}": _contender(form, length, size)
        for size in SIZES
        for form in ("json-schema", "json", "avro")
        for length in LENGTHS
    }
    return {**found, "json-schema 3 100 A/A": _contender("json-schema", 3, 100)}


def _contender(form: str, length: int, size: int) -> Callable[[int], float]:
    with_schema = form != "json"
    chain = _chain(length, with_schema=with_schema)
    convert = _converter(form).from_connect_data
    schema = STRING_SCHEMA if with_schema else None
    payload = "x" * size
    partition, offset = {"file": "a"}, {"position": 1}

    def run(records: int) -> float:
        apply = chain.apply
        start = time.perf_counter()
        for _ in range(records):
            record: Any = apply(SourceRecord(partition, offset, "lines", payload, schema))
            convert("lines", record.value_schema, record.value)
        return records / (time.perf_counter() - start)

    return run


def _chain(length: int, *, with_schema: bool) -> TransformationChain[SourceRecord]:
    steps = (*STEPS, NAMED if with_schema else WITHOUT)[:length]
    settings = {"transforms": ",".join(f"t{number}" for number in range(length))}
    for number, (name, given) in enumerate(steps):
        settings[f"transforms.t{number}.type"] = name
        settings |= {f"transforms.t{number}.{key}": value for key, value in given.items()}
    return TransformationChain.compile(
        settings, lambda name: import_class(f"plugwright.transforms:{name}")
    )


def _converter(form: str) -> Any:
    if form == "avro":
        avro = AvroConverter()
        avro.configure({"schema.registry.url": "mock://benchmark"}, is_key=False)
        return avro
    converter = JsonConverter()
    converter.configure({"schemas.enable": str(form == "json-schema").lower()}, is_key=False)
    return converter


def _measured(
    contenders: dict[str, Callable[[int], float]], options: argparse.Namespace
) -> dict[str, list[float]]:
    """The rates of all contenders, taken in turns so that drift hits all of them."""
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(options.rounds + 1):
        for name, run in contenders.items():
            rate = run(options.records)
            if turn:  # the first round warms up
                rates[name].append(rate)
    return rates


def _java(options: argparse.Namespace) -> dict[str, float]:
    """Java's medians by the names of ours; empty, with the reason printed, where it cannot run."""
    source = Path(__file__).with_name("Vocabulary.java")
    try:
        command = [find_java().executable, "-cp", class_path(connect_jars()), source]
        counts = [str(options.records * 5), str(options.rounds)]
        done = subprocess.run(
            [*map(str, command), *counts], capture_output=True, text=True, timeout=600, check=True
        )
    except (ConnectError, OSError, subprocess.SubprocessError) as error:
        _say(f"no figures of Java: {error}")
        return {}
    rows = [line.split() for line in done.stdout.splitlines()]
    return {f"{form} {length} {size}": float(rate) for form, length, size, rate, *_ in rows}


def _profile(records: int) -> int:
    run = _contender("json-schema", 3, 100)
    run(records)
    profile = cProfile.Profile()
    profile.runcall(run, records)
    pstats.Stats(profile, stream=sys.stdout).sort_stats("tottime").print_stats(14)
    return 0


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
