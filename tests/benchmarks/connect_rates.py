"""Records a second through connectors, read from outside: from end offsets or a file's size."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from tests.benchmarks.bare_loops import produce_all
from tests.benchmarks.connect_workers import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from tests.benchmarks.connect_workers import Worker

__all__ = ["PAYLOAD", "STEPS", "Course", "Kafka", "SourceRun", "line"]

PAYLOAD = 100
STEPS = {
    "value.converter": "org.apache.kafka.connect.json.JsonConverter",
    "value.converter.schemas.enable": "true",
    "transforms": "a,b,c",
    "transforms.a.type": "org.apache.kafka.connect.transforms.HoistField$Value",
    "transforms.a.field": "line",
    "transforms.b.type": "org.apache.kafka.connect.transforms.InsertField$Value",
    "transforms.b.static.field": "origin",
    "transforms.b.static.value": "benchmark",
    "transforms.c.type": "org.apache.kafka.connect.transforms.ReplaceField$Value",
    "transforms.c.renames": "line:text",
}

_CRITICAL = 2  # of syslog's levels: the broker ends before those who look at it
_LOOK_S = 0.005
_PATIENCE_S = 120.0


@dataclass(frozen=True, slots=True)
class SourceRun:
    """One run of a file source.

    Attributes:
        rate: records a second.
        value: the first value in the topic.
        transactions: how many there were.
    """

    rate: float
    value: bytes
    transactions: int


class Kafka:
    """The broker, seen from outside."""

    def __init__(self, bootstrap_servers: str) -> None:
        self.bootstrap_servers = bootstrap_servers
        client = {"bootstrap.servers": bootstrap_servers, "log_level": _CRITICAL}
        self._admin = AdminClient(client)
        self._readers = {
            level: Consumer({**client, "group.id": "looker", "isolation.level": level})
            for level in ("read_uncommitted", "read_committed")
        }

    def make(self, topic: str) -> None:
        """Make a topic of one partition."""
        self._admin.create_topics([NewTopic(topic, 1, 1)])[topic].result()

    def remove(self, topic: str) -> None:
        """Delete a topic, lest the disk fills."""
        self._admin.delete_topics([topic])[topic].result()

    def end(self, topic: str, level: str = "read_uncommitted") -> int:
        """Where the next record of a topic goes."""
        place = TopicPartition(topic, 0)
        return int(self._readers[level].get_watermark_offsets(place, timeout=10)[1])

    def fill(self, topic: str, records: int) -> None:
        """Make a topic and put records of the payload there."""
        self.make(topic)
        producer = Producer({"bootstrap.servers": self.bootstrap_servers, "linger.ms": 20})
        produce_all(producer, topic, [line(number) for number in range(records)])

    def first(self, topic: str) -> bytes:
        """The value of a topic's first record."""
        reader = self._readers["read_committed"]
        reader.assign([TopicPartition(topic, 0, 0)])
        message = reader.poll(10)
        reader.unassign()
        if message is None or message.error() is not None:
            raise RuntimeError(f"nothing to read in {topic}")
        return bytes(message.value() or b"")


@dataclass(frozen=True, slots=True)
class Course:
    """Where connectors run for a time.

    Attributes:
        kafka: between them.
        directory: for files.
        filled: a topic of records.
        numbers: make names unique.
    """

    kafka: Kafka
    directory: Path
    filled: str
    numbers: Iterator[int]

    @classmethod
    def prepare(cls, kafka: Kafka, directory: Path, records: int) -> Course:
        """A topic of that many records."""
        kafka.fill("filled", records)
        return cls(kafka, directory, "filled", count())

    def source_rate(self, worker: Worker, records: int, extra: Mapping[str, str]) -> SourceRun:
        """From a file of that many records into a new topic."""
        name = f"run-{next(self.numbers)}"
        self.kafka.make(name)
        config = {
            "connector.class": "FileStreamSource",
            "file": str(self._file(records)),
            "topic": name,
            **extra,
        }
        worker.create(name, config)
        rate = _rate(lambda: self.kafka.end(name), records, worker)
        self._finish(worker, name, records)
        # The end of a transaction takes an offset of its own.
        transactions = self.kafka.end(name) - records
        value = self.kafka.first(name)
        self.kafka.remove(name)
        return SourceRun(rate, value, transactions)

    def sink_rate(self, worker: Worker, records: int) -> float:
        """Records a second from the filled topic into a new file."""
        name = f"run-{next(self.numbers)}"
        file = self.directory / name
        config = {"connector.class": "FileStreamSink", "file": str(file), "topics": self.filled}
        worker.create(name, config)

        def written() -> int:
            return file.stat().st_size // (PAYLOAD + 1) if file.exists() else 0

        rate = _rate(written, records, worker)
        worker.call(f"/connectors/{name}", "DELETE")
        file.unlink()
        return rate

    def bare_source_rate(self, records: int) -> float:
        """Records a second of a producer alone, from the same file into a new topic."""
        name = f"bare-{next(self.numbers)}"
        self.kafka.make(name)
        took = self._bare("produce", name, str(self._file(records)))
        self.kafka.remove(name)
        return records / took

    def bare_sink_rate(self, records: int) -> float:
        """Records a second of a consumer alone, from the filled topic."""
        return records / self._bare("consume", self.filled, str(records))

    def _bare(self, loop: str, topic: str, last: str) -> float:
        """Seconds of a bare loop in a process of its own."""
        command = [sys.executable, "-m", "tests.benchmarks.bare_loops", loop]
        done = subprocess.run(
            [*command, self.kafka.bootstrap_servers, topic, last],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            timeout=_PATIENCE_S,
        )
        return float(done.stdout)

    def _file(self, records: int) -> Path:
        """A file of that many records, made once."""
        path = self.directory / f"{records}-records.txt"
        if not path.exists():
            with path.open("wb") as file:
                file.writelines(line(number) + b"\n" for number in range(records))
        return path

    def _finish(self, worker: Worker, topic: str, records: int) -> None:
        """Everything has to be there for readers of committed records as well."""
        deadline = time.monotonic() + _PATIENCE_S
        while self.kafka.end(topic, "read_committed") < records:
            if time.monotonic() > deadline:
                raise RuntimeError(f"{worker.side}: records of {topic} were not committed")
            time.sleep(_LOOK_S)
        worker.call(f"/connectors/{topic}", "DELETE")


def line(number: int) -> bytes:
    """The payload of a record, without the line feed."""
    return b"%0*d" % (PAYLOAD, number)


def _rate(seen: Callable[[], int], records: int, worker: Worker) -> float:
    """Records over time from the first look that sees any to the first that sees all."""
    deadline = time.monotonic() + _PATIENCE_S
    first, begun = 0, 0.0
    while True:
        now, found = time.perf_counter(), seen()
        if found >= records:
            return (records - first) / (now - begun) if begun else float("inf")
        if found and not begun:
            first, begun = found, now
        if time.monotonic() > deadline:
            tail = worker.log.read_text(errors="replace")[-3000:]
            raise RuntimeError(f"{worker.side}: {found} of {records} records arrived:\n{tail}")
        time.sleep(_LOOK_S)
