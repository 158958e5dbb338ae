"""Where a record's time goes: the rows of the connector benchmark, in one process.

Run it as ``python -m tests.benchmarks.profile ROW``. The task of a bundled file connector runs
under the worker's loop, with its converters, transformations and Kafka clients, against a real
broker, but without Spark and without a worker around it. A timer looks every millisecond where the
program is. The time of a record is divided among the parts of the runtime, and the lines that cost
most are listed; Python answers a timer at calls and jumps only, so a line stands for what was done
since the one before. The bare loop is the client alone over the same bytes; it is measured before
and after, and the two figures are the A/A control.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.benchmarks.bare_loops import consumed, produced
from tests.benchmarks.connect_rates import PAYLOAD, STEPS, Kafka, line

from plugwright.config import import_class
from plugwright.converters import JsonConverter, SimpleHeaderConverter, StringConverter
from plugwright.kafka import (
    KafkaOffsetStore,
    KafkaRecordConsumer,
    KafkaRecordProducer,
    KafkaTransactionalProducer,
    consumer_settings,
    producer_settings,
    transactional_settings,
)
from plugwright.kafka.brokers import open_broker
from plugwright.transforms import TransformationChain
from plugwright.worker import (
    AtLeastOnceGuarantee,
    Conversion,
    ExactlyOnceGuarantee,
    RecordCodec,
    SinkClients,
    SinkTaskLoop,
    SourceTaskLoop,
    TaskControl,
    TaskEnvironment,
    TaskIdentity,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from plugwright.worker import DeliveryGuarantee

    Loop = SourceTaskLoop | SinkTaskLoop

ROWS = ("source", "source-exactly-once", "source-json", "sink")
_ROOT = Path(__file__).parents[2]
_LOOK_S = 0.001
_LINES = 12
_PARTS = {
    "plugin-path/": "task",
    "runtime/plugwright/transforms/": "transformations",
    "runtime/plugwright/schema/": "transformations",
    "runtime/plugwright/converters/": "converters",
    "runtime/plugwright/kafka/": "Kafka's client",
    "runtime/plugwright/": "worker's loop",
}


@dataclass(slots=True)
class Samples:
    """Where the program was at each sample.

    Attributes:
        lines: how often it was in each line of this repository, the innermost one.
    """

    lines: Counter[tuple[str, int]] = field(default_factory=Counter)

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Look every millisecond for as long as the block lasts."""
        before = signal.signal(signal.SIGALRM, self.look)
        signal.setitimer(signal.ITIMER_REAL, _LOOK_S, _LOOK_S)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def look(self, _: int, frame: FrameType | None) -> None:
        """Count where the program is: the handler of the timer's signal."""
        while frame is not None:
            path = frame.f_code.co_filename
            if path.startswith(str(_ROOT)) and "/.venv/" not in path:
                # Instructions of no line of its own, such as a comprehension's, have no number.
                line: int | None = frame.f_lineno
                number = frame.f_code.co_firstlineno if line is None else line
                self.lines[path.removeprefix(f"{_ROOT}/"), number] += 1
                return
            frame = frame.f_back

    def parts(self) -> Counter[str]:
        """How often it was in each part of the runtime."""
        found: Counter[str] = Counter()
        for (path, _), times in self.lines.items():
            found[next((part for at, part in _PARTS.items() if path.startswith(at)), "rest")] += (
                times
            )
        return found


class Surroundings:
    """What a loop needs besides clients: an offset store and a listener that do nothing."""

    def offset(self, _: object) -> None:
        """Nothing is stored."""

    def failed(self, error: Exception) -> None:
        """A benchmark that fails measures nothing."""
        raise error

    def _nothing(self, *_: object) -> None:
        """Nothing to do."""

    store = close = running = paused = stopped = _nothing


class Bench:
    """The loops of all rows, on one broker.

    Args:
        kafka: the broker.
        directory: for files.
        records: of each run.
    """

    def __init__(self, kafka: Kafka, directory: Path, records: int) -> None:
        self._kafka, self._directory, self._records = kafka, directory, records
        self._numbers = count()
        self._lines = directory / "lines.txt"
        with self._lines.open("wb") as file:
            file.writelines(line(number) + b"\n" for number in range(records))
        kafka.fill("filled", records)

    def profile(self, row: str) -> tuple[float, Samples]:
        """Seconds that the loop of a row took for all records, and where it was."""
        control, samples = TaskControl(), Samples()
        with ExitStack() as stack:
            loop = self._loop(row, control, stack)
            steps = loop.steps()
            while not loop.counters.polled:  # the first records bring connections and caches
                next(steps)
            first, begun = loop.counters.polled, time.perf_counter()
            with samples.taken():
                while loop.counters.polled < self._records:
                    next(steps)
                control.stop()
                for _ in steps:
                    pass
            took = time.perf_counter() - begun
        return took * self._records / (self._records - first), samples

    def bare(self, row: str) -> float:
        """Seconds that the client alone takes for the same records."""
        name = f"bare-{next(self._numbers)}"
        servers = self._kafka.bootstrap_servers
        if row == "sink":
            return consumed(servers, "filled", name, self._records)
        self._kafka.make(name)
        return produced(servers, name, self._lines.read_bytes().splitlines())

    def _loop(self, row: str, control: TaskControl, stack: ExitStack) -> Loop:
        return self._sink(control, stack) if row == "sink" else self._source(row, control, stack)

    def _source(self, row: str, control: TaskControl, stack: ExitStack) -> SourceTaskLoop:
        name = f"profile-{next(self._numbers)}"
        self._kafka.make(name)
        around: Any = Surroundings()
        chain: TransformationChain[Any] | None = None
        if row == "source-json":
            chain = TransformationChain.compile(STEPS, lambda each: import_class(_transform(each)))
        return SourceTaskLoop(
            import_class("plugwright_file_source:FileStreamSourceTask")(),
            TaskEnvironment(
                identity=TaskIdentity(name, 0, "FileStreamSourceTask", "", ""),
                configs={"file": str(self._lines), "topic": name},
                conversion=Conversion(_codec(as_json=row == "source-json"), chain),
                control=control,
                status=around,
            ),
            self._guarantee(row, name, around, stack),
        )

    def _guarantee(self, row: str, name: str, around: Any, stack: ExitStack) -> DeliveryGuarantee:
        servers = self._kafka.bootstrap_servers
        if row == "source-exactly-once":
            settings = transactional_settings(servers, name, name, {})
            settings["delivery.report.only.error"] = True
            store = partial(KafkaOffsetStore, servers, f"{name}-offsets", name)
            transactions = KafkaTransactionalProducer(settings, store)
            stack.callback(transactions.close)
            return ExactlyOnceGuarantee(transactions, transactions.offsets)
        producer = KafkaRecordProducer(producer_settings(servers, name, {}))
        stack.callback(producer.close)
        return AtLeastOnceGuarantee(producer, around)

    def _sink(self, control: TaskControl, stack: ExitStack) -> SinkTaskLoop:
        name = f"profile-{next(self._numbers)}"
        around: Any = Surroundings()
        settings = consumer_settings(self._kafka.bootstrap_servers, name, name, {})
        consumer = KafkaRecordConsumer(settings, None)
        stack.callback(consumer.close)
        return SinkTaskLoop(
            import_class("plugwright_file_sink:FileStreamSinkTask")(),
            TaskEnvironment(
                identity=TaskIdentity(name, 0, "FileStreamSinkTask", "", ""),
                configs={"file": str(self._directory / name), "topics": "filled"},
                conversion=Conversion(_codec(as_json=False)),
                control=control,
                status=around,
            ),
            SinkClients(consumer, ["filled"]),
        )


def _codec(*, as_json: bool) -> RecordCodec:
    value: Any = JsonConverter() if as_json else StringConverter()
    value.configure({}, is_key=False)
    return RecordCodec(StringConverter(), value, SimpleHeaderConverter())


def _transform(name: str) -> str:
    return f"plugwright.transforms:{name.rpartition('.')[2]}"


def _show(row: str, records: int, took: float, samples: Samples, bare: list[float]) -> None:
    nanoseconds = took / records * 1e9
    total = samples.lines.total() or 1
    _say(f"{row}: {records:,} records of {PAYLOAD} B, load {os.getloadavg()[0]:.1f}")
    _say(f"  {records / took:,.0f} records a second, {nanoseconds:,.0f} ns each")
    alone = " and A/A ".join(f"{records / each:,.0f}" for each in bare)
    _say(f"  {min(bare) / took:.2f} of the bare loop, which has {alone} a second\n")
    for part, times in samples.parts().most_common():
        _say(f"  {part:18}{times / total:7.1%}{nanoseconds * times / total:10,.0f} ns")
    _say("")
    for (path, number), times in samples.lines.most_common(_LINES):
        text = (_ROOT / path).read_text("utf-8").splitlines()[number - 1].strip()
        _say(f"  {times / total:6.1%}  {path}:{number}  {text[:70]}")


def main() -> int:
    """Profile and print; 0 when done."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"of {', '.join(ROWS)}; or all")
    parser.add_argument("--records", type=int, default=400_000, help="records of a run")
    options = parser.parse_args()
    if unknown := {*options.rows} - {*ROWS}:
        parser.error(f"no such row: {', '.join(sorted(unknown))}")
    sys.path += [str(_ROOT / "plugin-path" / name) for name in ("file-source", "file-sink")]
    with tempfile.TemporaryDirectory() as scratch, open_broker() as broker:
        bench = Bench(Kafka(broker.bootstrap_servers), Path(scratch), options.records)
        for row in options.rows or ROWS:
            bare = [bench.bare(row)]
            took, samples = bench.profile(row)
            bare.append(bench.bare(row))
            _show(row, options.records, took, samples, bare)
    return 0


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
