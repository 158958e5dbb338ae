"""What a bridge to a stage host costs a record, and a host process its driver.

Run it as ``python -m tests.benchmarks.isolation``; it starts no JVM. Batches are of 500 records
with 1 KiB values. Overhead is the difference to the same transformation or converter in this
process. A/A: the bridged transformation is measured a second time under another name; what the two
differ by is the error of the method.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import plugwright
from plugwright.hosts import PluginHosts, StagePipeline, StageSetup
from plugwright.plugins import ClassReference, Location, Plugins
from plugwright.record import SourceRecord
from plugwright.schema import OPTIONAL_INT64_SCHEMA, STRING_SCHEMA, SchemaBuilder, Struct
from plugwright.transforms import TransformationChain
from plugwright.worker import RecordCodec

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plugwright.schema import Schema

BATCH = 500
VALUE = b"x" * 1024
PLUGIN = """
from plugwright import ConfigDef, Converter, SchemaAndValue, Transformation

class Same(Transformation):
    def config(self): return ConfigDef()
    def apply(self, record): return record

class Bytes(Converter):
    def from_connect_data(self, topic, schema, value): return value
    def to_connect_data(self, topic, data): return SchemaAndValue(None, data)
"""
SCHEMA = (
    SchemaBuilder.struct().field("id", OPTIONAL_INT64_SCHEMA).field("text", STRING_SCHEMA).build()
)


def main() -> int:
    """Measure and print; 0 when done."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--batches", type=int, default=40, help="batches in a round")
    parser.add_argument("--rounds", type=int, default=9, help="rounds of each figure")
    options = parser.parse_args()
    _say(f"plugwright {plugwright.__version__}, Python {platform.python_version()}")
    _say(f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors, two used")
    _say(f"{options.rounds} rounds of {options.batches} batches of {BATCH} records\n")
    with tempfile.TemporaryDirectory() as directory, ExitStack() as stack:
        (Path(directory) / "bench_plugin.py").write_text(PLUGIN, encoding="utf-8")
        _bridges(directory, stack, options)
        _starts(Location(Path(directory)), options.rounds)
    return 0


def _bridges(directory: str, stack: ExitStack, options: argparse.Namespace) -> None:
    sys.path.append(directory)
    contenders = {
        "transformation": _contender(directory, stack, "transform", _bytes),
        "transformation (A/A)": _contender(directory, stack, "transform", _bytes),
        "transformation, struct": _contender(directory, stack, "transform", _struct),
        "converter": _contender(directory, stack, "convert", _bytes),
        "both, one process": _contender(directory, stack, "both", _bytes),
    }
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(options.rounds + 1):
        for name, (bridged, direct) in contenders.items():
            overhead = bridged(options.batches) - direct(options.batches)
            if turn:  # the first round warms up
                taken[name].append(overhead)
    for name, costs in taken.items():
        median, low, high = statistics.median(costs), min(costs), max(costs)
        _say(f"{name:26}{median:6.2f} µs a record more   {low:.2f} to {high:.2f}")


def _contender(
    directory: str, stack: ExitStack, what: str, make: Callable[[int], tuple[object, Schema | None]]
) -> tuple[Callable[[int], float], Callable[[int], float]]:
    """The same work beside this process and in it, in µs a record."""
    setup = _setup(directory, what)
    pipeline = stack.enter_context(StagePipeline(setup))
    partition = {"file": "a"}  # one for a poll, as the bundled file source has it
    records = [
        SourceRecord(partition, {"position": number}, "lines", *make(number))
        for number in range(BATCH)
    ]

    transform = pipeline.transform if pipeline.has_chain else None
    encode_all = pipeline.codec.encode_all

    def beside(batches: int) -> float:
        start = time.perf_counter()
        for _ in range(batches):
            pipeline.prepare_source(records)
            changed = records if transform is None else [transform(each) for each in records]
            encode_all(iter(changed), [], _delivered)
        return (time.perf_counter() - start) / batches / len(records) * 1e6

    return beside, _within(setup, records)


def _within(setup: StageSetup, records: Sequence[SourceRecord]) -> Callable[[int], float]:
    """What a task does that needs no other process."""
    chain: TransformationChain[SourceRecord] = TransformationChain.compile(
        setup.transforms, lambda name: setup.transform_classes[name].load()
    )
    codec = RecordCodec(
        *(setup.converters[f"{part}.converter"].load()() for part in ("key", "value", "header"))
    )
    codec.key.configure({}, is_key=True)

    transform, encode_all = chain.apply if chain else None, codec.encode_all

    def run(batches: int) -> float:
        start = time.perf_counter()
        for _ in range(batches):
            changed = records if transform is None else [transform(each) for each in records]
            encode_all(iter(changed), [], _delivered)
        return (time.perf_counter() - start) / batches / len(records) * 1e6

    return run


def _setup(directory: str, what: str) -> StageSetup:
    plain = ClassReference("plugwright.converters", "StringConverter")
    mine = {"location": directory, "version": "1.0"}
    same = ClassReference("bench_plugin", "Same", process=int(what != "convert"), **mine)
    raw = ClassReference("bench_plugin", "Bytes", process=int(what != "transform"), **mine)
    chain = {} if what == "convert" else {"transforms": "same", "transforms.same.type": "Same"}
    converters = {"key.converter": plain, "value.converter": raw}
    simple = ClassReference("plugwright.converters", "SimpleHeaderConverter")
    return StageSetup(
        chain,
        {"Same": same} if chain else {},
        {**converters, "header.converter": simple},
        ((directory,),),
    )


def _bytes(number: int) -> tuple[object, Schema | None]:
    return b"%d" % number + VALUE, None


def _struct(number: int) -> tuple[object, Schema | None]:
    return Struct(SCHEMA).put("id", number).put("text", f"{number}{VALUE.decode()}"), SCHEMA


def _delivered(error: object, message: object) -> None:
    """Nothing is delivered here."""


def _starts(location: Location, rounds: int) -> None:
    """Start and memory of a host process that has a location's plugins to serve."""
    seconds, memory = [], []
    for _ in range(rounds):
        hosts = PluginHosts(Plugins([location], [], []))
        start = time.perf_counter()
        service = hosts.acquire((location,))
        service.stop("none")  # answered once it is up
        seconds.append(time.perf_counter() - start)
        memory.append(_proportional_kib(service.pid()))
        hosts.close()
    _say(
        f"\nhost process: up in {statistics.median(seconds):.3f} s "
        f"({min(seconds):.3f} to {max(seconds):.3f}), "
        f"{statistics.median(memory) / 1024:.1f} MiB"
    )


def _proportional_kib(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
