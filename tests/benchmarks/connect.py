"""Workers and connectors beside Kafka Connect's: rates, latency, start-up, idle connectors.

Run it as ``python -m tests.benchmarks.connect``. Both workers run as processes on the same broker,
take the same requests and do the same work in turn; each rate is measured a third time as an A/A
control, ours against ours, which shows the error of the method. Figures are read from outside: end
offsets of the topic, size of the file. The first round of each rate warms both up; further ones
follow until there are enough of them or the time of the row is over, so that the whole takes about
six minutes. Where the records are the client's own bytes, the client alone in a Python process, the
bare loop, takes its turn as well. Results are written to ``build/benchmarks/summary.json`` and
``summary.svg``.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import signal
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import confluent_kafka
import pyspark
from tests.benchmarks.bar_plot import bar_plot, figure
from tests.benchmarks.connect_idle import idle_costs
from tests.benchmarks.connect_latency import latencies
from tests.benchmarks.connect_rates import PAYLOAD, STEPS, Course, Kafka
from tests.benchmarks.connect_workers import ROOT, running_ours, running_peer

import plugwright
from plugwright.kafka.brokers import open_broker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tests.benchmarks.connect_workers import Worker

RESULTS = ROOT / "build" / "benchmarks" / "summary"
EXACTLY_ONCE = {"exactly.once.source.support": "enabled"}
INTERVAL = {"transaction.boundary": "interval", "transaction.boundary.interval.ms": "1000"}
PARTS = ("rates", "exactly-once", "latency", "idle")


@dataclass(slots=True)
class Row:
    """One line of the table.

    Attributes:
        unit: of the figures; ``rec/s`` is better when larger, everything else when smaller, but a
            plain ``number`` is neither.
        figures: what was measured, for ``ours``, ``peer``, the ``control`` and the ``bare`` loop.
        load: of the machine when it was measured, as ``uptime`` has it for the last minute.
    """

    name: str
    unit: str
    payload_bytes: int = 0
    figures: dict[str, list[float]] = field(default_factory=dict)
    load: float = 0.0

    def add(self, side: str, found: float) -> None:
        """Note one figure."""
        self.figures.setdefault(side, []).append(found)

    def to_plain(self, versions: Mapping[str, str]) -> dict[str, Any]:
        """The row as the results file has it."""
        spread = {
            side: [min(found), statistics.median(found), max(found)]
            for side, found in self.figures.items()
        }
        ours, peer = spread["ours"][1], spread.get("peer", [0, 0, 0])[1]
        better = (ours, peer) if self.unit == "rec/s" else (peer, ours)
        comparable = peer and self.unit != "number"
        bare = spread.get("bare")
        return {
            "name": self.name,
            "unit": self.unit,
            "ours": ours,
            "peer": peer or None,
            "ratio": better[0] / better[1] if comparable else None,
            "bare": bare[1] if bare else None,
            "of_bare": ours / bare[1] if bare else None,
            "spread": spread,
            "rounds": len(self.figures["ours"]),
            "load": round(self.load, 1),
            "payload_bytes": self.payload_bytes,
            "versions": versions,
        }


class Benchmark:
    """All parts, on one broker.

    Args:
        course: where connectors run.
        options: of the command line.
    """

    def __init__(self, course: Course, options: argparse.Namespace) -> None:
        self._course = course
        self._options = options
        self._answered = Row("start-up to REST answering", "s")
        self._started = Row("start-up to healthy", "s")
        self._first: dict[str, Any] = {}
        self._transactions: dict[str, list[int]] = {}
        self.rows = [self._answered, self._started]

    def run(self, part: str) -> None:
        """Measure one part with fresh workers."""
        work = {
            "rates": self._rates,
            "exactly-once": self._exactly_once,
            "latency": self._latency,
            "idle": self._idle,
        }[part]
        settings = EXACTLY_ONCE if part == "exactly-once" else {}
        own = {**settings, "tasks.per.process": str(self._options.tasks_per_process)}
        servers = self._course.kafka.bootstrap_servers
        with ExitStack() as stack:
            workers = {
                "ours": stack.enter_context(running_ours(servers, part, own)),
                "peer": stack.enter_context(running_peer(servers, part, settings)),
            }
            self._answered.load = self._started.load = os.getloadavg()[0]
            for side, worker in workers.items():
                self._answered.add(side, worker.first_s)
                self._started.add(side, worker.start_s)
            work(workers)

    def _rates(self, workers: Mapping[str, Worker]) -> None:
        records = self._options.records
        bare = partial(self._course.bare_source_rate, records)
        self._alternate("file source, strings", workers, partial(self._source, records, {}), bare)
        self._alternate(
            "file source, JSON with schemas, 3 SMTs",
            workers,
            partial(self._source, records // 2, STEPS),
        )
        self._alternate(
            "file sink, strings",
            workers,
            lambda each: self._course.sink_rate(each, records),
            partial(self._course.bare_sink_rate, records),
        )

    def _exactly_once(self, workers: Mapping[str, Worker]) -> None:
        measure = partial(self._source, self._options.records, INTERVAL)
        self._transactions.clear()
        bare = partial(self._course.bare_source_rate, self._options.records)
        self._alternate("file source, exactly-once, interval 1 s", workers, measure, bare)
        row = Row("transactions in a round of that", "number")
        for side, found in self._transactions.items():
            for transactions in found:
                row.add(side, transactions)
        self._done(row)

    def _source(self, records: int, extra: Mapping[str, str], worker: Worker) -> float:
        run = self._course.source_rate(worker, records, extra)
        made = json.loads(run.value) if "transforms" in extra else run.value
        if made != self._first.setdefault(str(extra), made):
            raise RuntimeError(f"{worker.side} produced something else: {run.value!r}")
        self._transactions.setdefault(worker.side, []).append(run.transactions)
        return run.rate

    def _alternate(
        self,
        name: str,
        workers: Mapping[str, Worker],
        measure: Callable[[Worker], float],
        bare: Callable[[], float] | None = None,
    ) -> None:
        row = Row(name, "rec/s", PAYLOAD)
        for worker in workers.values():  # warm it up
            measure(worker)
        for turns in self._rounds(workers):
            for side, worker in turns.items():
                row.add(side, measure(worker))
            if bare is not None:
                row.add("bare", bare())
        self._done(row)

    def _rounds(self, workers: Mapping[str, Worker]) -> Iterator[Mapping[str, Worker]]:
        """Whose turns a round has, while there is time; at least one round."""
        deadline = time.monotonic() + self._options.row_seconds
        for _ in range(self._options.rounds):
            yield {**workers, "control": workers["ours"]}
            if time.monotonic() > deadline:
                return

    def _turns(self, workers: Mapping[str, Worker]) -> Iterator[tuple[str, Worker]]:
        for turns in self._rounds(workers):
            yield from turns.items()

    def _latency(self, workers: Mapping[str, Worker]) -> None:
        rows = {
            share: Row(f"latency at 1,000 rec/s, p{share}", "ms", PAYLOAD) for share in (50, 99)
        }
        for side, worker in self._turns(workers):
            found = latencies(self._course, worker, self._options.seconds)
            for share, row in rows.items():
                row.add(side, found[math.ceil(len(found) * share / 100) - 1])
        for row in rows.values():
            self._done(row)

    def _idle(self, workers: Mapping[str, Worker]) -> None:
        connectors = self._options.connectors
        units = {
            "start_s": ("all running", "s"),
            "list_s": ("states listed", "s"),
            "stop_s": ("all stopped", "s"),
            "memory_mib": ("memory of a task (PSS)", "MiB"),
            "processor": ("processor when idle", "cores"),
            "broker": ("processor of the broker", "cores"),
        }
        shared = self._options.tasks_per_process
        what = f"{connectors} idle" + (f", {shared} a process" if shared > 1 else "")
        rows = {key: Row(f"{what}: {name}", unit) for key, (name, unit) in units.items()}
        for side, worker in self._turns(workers):
            costs = idle_costs(self._course, worker, connectors, self._options.seconds)
            for key, row in rows.items():
                row.add(side, getattr(costs, key))
        for row in rows.values():
            self._done(row)

    def _done(self, row: Row) -> None:
        row.load = os.getloadavg()[0]
        self.rows.append(row)
        _print(row)


def main() -> int:
    """Measure, print and write; 0 when done."""
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the workers are to end with this
    with open_broker() as broker, tempfile.TemporaryDirectory() as directory:
        versions = _versions(broker.version or "")
        _say(", ".join(f"{name} {version}" for name, version in versions.items()))
        _say(
            f"{os.cpu_count()} processors, {platform.system()} {platform.machine()}, load "
            f"{os.getloadavg()[0]:.1f}; {options.records:,} records, up to {options.rounds} rounds "
            "after one that is not counted; median (least to most)\n"
        )
        kafka = Kafka(broker.bootstrap_servers)
        benchmark = Benchmark(Course.prepare(kafka, Path(directory), options.records), options)
        for part in options.parts:
            benchmark.run(part)
            _write([row.to_plain(versions) for row in benchmark.rows])
        for row in benchmark.rows[:2]:
            _print(row)
    _say(f"\n{RESULTS}.json")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--records", type=int, default=400_000, help="records in a round")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of each figure")
    parser.add_argument("--row-seconds", type=float, default=25.0, help="when no round follows")
    parser.add_argument("--connectors", type=int, default=100, help="how many are idle")
    parser.add_argument("--tasks-per-process", type=int, default=1, help="of our worker")
    parser.add_argument("--seconds", type=float, default=4.0, help="of a latency or idle figure")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="what to measure")
    return parser.parse_args()


def _versions(kafka: str) -> dict[str, str]:
    return {
        "plugwright": plugwright.__version__,
        "python": platform.python_version(),
        "spark": pyspark.__version__,
        "confluent-kafka": confluent_kafka.__version__,
        "librdkafka": confluent_kafka.libversion()[0],
        "kafka": kafka,
        "kafka-connect": "4.3.1",
    }


def _print(row: Row) -> None:
    plain = row.to_plain({})
    sides = [
        f"{side} {figure(found[1])} ({figure(found[0])} to {figure(found[2])})"
        for side, found in plain["spread"].items()
    ]
    ratio = f"{plain['ratio']:.2f} x" if plain["ratio"] else ""
    of_bare = f"   {plain['of_bare']:.2f} of bare" if plain["of_bare"] else ""
    _say(f"{row.name:42}{row.unit:6} {ratio:>8}   {'   '.join(sides)}{of_bare}")


def _write(rows: Sequence[Mapping[str, Any]]) -> None:
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.with_suffix(".json").write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    versions = rows[0]["versions"]
    names = {
        "ours": f"Plugwright {versions['plugwright']}",
        "peer": f"Kafka Connect {versions['kafka-connect']}",
        "bare": "client alone",
    }
    note = (
        f"one broker, {os.cpu_count()} processors, {PAYLOAD} bytes a record; bars: medians, "
        "lines: least to most"
    )
    plot = bar_plot("Records, latency and costs beside Kafka Connect", names, note, rows)
    RESULTS.with_suffix(".svg").write_text(plot, "utf-8")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
