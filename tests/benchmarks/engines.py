"""The two engines of a sink side by side, and Kafka as a data source beside a bare client.

Run it as ``python -m tests.benchmarks.engines``. One worker runs a file sink on either engine in
turn; resident tasks are measured a second time in each round as an A/A control, which shows the
error of the method. Rates are from the first record that is in the file to the last, latencies from
``produce`` to the line in the file at 1,000 records a second, once a first record has come through.
The data source reads a topic into nothing, as a batch of one Spark partition in a session as any
user has it; the bare loop consumes it in this process.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import statistics
import sys
import tempfile
import threading
import time
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confluent_kafka import Consumer, Producer, TopicPartition
from pyspark.sql import SparkSession
from tests.benchmarks.connect_workers import Worker, running_ours

import plugwright
from plugwright.java import find_java
from plugwright.kafka import create_topic
from plugwright.kafka.brokers import open_broker
from plugwright.spark.kafka_source import FORMAT, KafkaDataSource

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PAYLOADS = (100, 1000)
RATE = 1000
WARM_UP = 2 * RATE
PORTION = 2000  # at which the bare client is fastest, as the data source is
PATIENCE_S = 120.0
LOOK_S = 0.001


class Bench:
    """A broker with filled topics, and places for files.

    Args:
        servers: of the broker.
        directory: for files and checkpoints.
        options: of the command line.
    """

    def __init__(self, servers: str, directory: Path, options: argparse.Namespace) -> None:
        self._servers = servers
        self._directory = directory
        self._options = options
        self._numbers = count()
        for size in PAYLOADS:
            create_topic(servers, f"lines-{size}")
            self._fill(f"lines-{size}", size)

    def engines(self) -> None:
        """Rates and latencies of a sink."""
        settings = {"spark.master": "local[8]"}
        with running_ours(self._servers, "engines", settings) as worker:
            for size in PAYLOADS:
                sides: dict[str, Callable[[], float]] = {
                    side: partial(self._rate, worker, size, side.split()[0])
                    for side in ("resident", "stream", "resident again")
                }
                self._alternate(f"file sink, {size} B", "rec/s", sides)
            self._latencies(worker)

    def readers(self) -> None:
        """The data source beside a bare client."""
        spark = _plain_session()
        spark.dataSource.register(KafkaDataSource)
        for size in PAYLOADS:
            bare = partial(self._timed, partial(self._consume, f"lines-{size}"))
            ours = partial(self._timed, partial(self._load, spark, f"lines-{size}"))
            sides = {"bare client": bare, "data source": ours, "bare client again": bare}
            self._alternate(f"reading Kafka, {size} B", "rec/s", sides)
        spark.stop()

    def _alternate(self, name: str, unit: str, sides: Mapping[str, Callable[[], float]]) -> None:
        found: dict[str, list[float]] = {side: [] for side in sides}
        for measure in list(sides.values())[:2]:
            measure()  # warm it up
        for _ in range(self._options.rounds):
            for side, measure in sides.items():
                found[side].append(measure())
        for side, figures in found.items():
            low, middle, high = min(figures), statistics.median(figures), max(figures)
            _say(f"{name:24} {side:18} {middle:12,.0f} {unit}  [{low:,.0f} .. {high:,.0f}]")

    def _rate(self, worker: Worker, size: int, engine: str) -> float:
        records = self._options.records
        name, file = self._start(worker, f"lines-{size}", engine)
        first, begun, deadline = 0, 0.0, time.monotonic() + PATIENCE_S
        while True:
            seen = file.stat().st_size // (size + 1) if file.exists() else 0
            now = time.perf_counter()
            if seen >= records:
                break
            if seen and not begun:
                first, begun = seen, now
            if time.monotonic() > deadline:
                raise RuntimeError(f"{seen} of {records} arrived: {worker.log.read_text()[-3000:]}")
            time.sleep(LOOK_S)
        worker.call(f"/connectors/{name}", "DELETE")
        file.unlink()
        return (records - first) / (now - begun) if begun else math.inf

    def _latencies(self, worker: Worker) -> None:
        for size in PAYLOADS:
            for side in ("resident", "stream", "resident again"):
                found = self._latency(worker, size, side.split()[0])
                shares = [found[math.ceil(len(found) * share / 100) - 1] for share in (50, 99)]
                _say(
                    f"{f'latency, {size} B':24} {side:18} p50 {shares[0]:8,.1f} ms  "
                    f"p99 {shares[1]:8,.1f} ms"
                )

    def _latency(self, worker: Worker, size: int, engine: str) -> list[float]:
        topic, total = f"pipe-{next(self._numbers)}", WARM_UP + self._options.seconds * RATE
        create_topic(self._servers, topic)
        name, file = self._start(worker, topic, engine)
        self._write(topic, size, 1, [])
        deadline = time.monotonic() + PATIENCE_S
        while not (file.exists() and file.stat().st_size):
            if time.monotonic() > deadline:
                raise RuntimeError(f"nothing arrived in {file}: {worker.log.read_text()[-3000:]}")
            time.sleep(LOOK_S)
        written: list[float] = []
        writer = threading.Thread(target=self._write, args=(topic, size, total, written))
        writer.start()
        seen: list[float] = []
        deadline = time.monotonic() + total / RATE + PATIENCE_S
        while len(seen) < total:
            arrived = file.stat().st_size // (size + 1) - 1
            seen += [time.perf_counter()] * (arrived - len(seen))
            if time.monotonic() > deadline:
                raise RuntimeError(f"{len(seen)} of {total} arrived in {file}")
            time.sleep(LOOK_S)
        writer.join()
        worker.call(f"/connectors/{name}", "DELETE")
        pairs = list(zip(written, seen, strict=True))[WARM_UP:]
        return sorted((arrival - start) * 1000 for start, arrival in pairs)

    def _start(self, worker: Worker, topic: str, engine: str) -> tuple[str, Path]:
        name = f"run-{next(self._numbers)}"
        file = self._directory / name
        config = {
            "connector.class": "FileStreamSink",
            "file": str(file),
            "topics": topic,
            "spark.engine": engine,
            "spark.engine.checkpoint.location": str(self._directory / "checkpoints"),
        }
        worker.create(name, config)
        return name, file

    def _write(self, topic: str, size: int, total: int, written: list[float]) -> None:
        producer = Producer({"bootstrap.servers": self._servers, "linger.ms": 0})
        begun = time.perf_counter()
        for number in range(total):
            left = begun + number / RATE - time.perf_counter()
            if left > 0:
                time.sleep(left)
            written.append(time.perf_counter())
            producer.produce(topic, b"%0*d" % (size, number))
            producer.poll(0)
        producer.flush()

    def _fill(self, topic: str, size: int) -> None:
        producer = Producer({"bootstrap.servers": self._servers, "linger.ms": 20})
        for number in range(self._options.records):
            while True:
                try:
                    producer.produce(topic, b"%0*d" % (size, number))
                    break
                except BufferError:
                    producer.poll(0.05)
        producer.flush()

    def _timed(self, read: Callable[[], None]) -> float:
        begun = time.perf_counter()
        read()
        return float(self._options.records / (time.perf_counter() - begun))

    def _consume(self, topic: str) -> None:
        consumer = Consumer({"bootstrap.servers": self._servers, "group.id": "bare"})
        consumer.assign([TopicPartition(topic, 0, 0)])
        left = self._options.records
        while left > 0:
            left -= len(consumer.consume(min(PORTION, left), 1.0))
        consumer.close()

    def _load(self, spark: Any, topic: str) -> None:
        options = {"kafka.bootstrap.servers": self._servers, "subscribe": topic}
        rows = spark.read.format(FORMAT).options(**options).load()
        rows.write.format("noop").mode("overwrite").save()


def _plain_session() -> SparkSession:
    """A session without the settings that a worker of ours chooses for its own."""
    os.environ |= {"JAVA_HOME": str(find_java().home), "PYSPARK_PYTHON": sys.executable}
    builder = SparkSession.builder.appName("engines").master("local[8]")
    for key in ("spark.ui.enabled", "spark.ui.showConsoleProgress"):
        builder = builder.config(key, "false")
    return builder.getOrCreate()


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=500_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=20, help="of each run for latencies")
    parser.add_argument("--only", choices=("readers", "engines"), help="one half of it")
    options = parser.parse_args()
    _say(
        f"plugwright {plugwright.__version__}, Python {platform.python_version()}, "
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {options.records:,} records, "
        f"{options.rounds} rounds; medians and [least .. most]"
    )
    with tempfile.TemporaryDirectory() as place, open_broker() as broker:
        bench = Bench(broker.bootstrap_servers, Path(place), options)
        if options.only != "engines":
            bench.readers()
        if options.only != "readers":
            bench.engines()


if __name__ == "__main__":
    main()
