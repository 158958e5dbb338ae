"""Kafka's client alone, over the same bytes as a connector: the limit that a task could reach.

Run as a module it is a process of one loop, so that no other loop shares its interpreter:
``python -m tests.benchmarks.bare_loops produce SERVERS TOPIC FILE`` sends the lines of a file,
``consume SERVERS TOPIC RECORDS`` reads that many records. Either prints its seconds.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from confluent_kafka import Consumer, Producer

from plugwright.kafka import consumer_settings, producer_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["consumed", "produce_all", "produced"]

_CHUNK = 500


def produced(bootstrap_servers: str, topic: str, values: Sequence[bytes]) -> float:
    """Seconds that a producer takes for values, at the rate after its first acknowledgement."""
    producer = Producer(producer_settings(bootstrap_servers, topic, {}))
    produce_all(producer, topic, values[:1])
    begun = time.perf_counter()
    produce_all(producer, topic, values[1:])
    took = time.perf_counter() - begun
    return took * len(values) / (len(values) - 1)


def consumed(bootstrap_servers: str, topic: str, group: str, records: int) -> float:
    """Seconds that a consumer takes for that many records, at the rate after its first batch."""
    consumer = Consumer(consumer_settings(bootstrap_servers, group, group, {}))
    consumer.subscribe([topic])
    begun, done, first = 0.0, 0, 0
    while done < records:
        values = [message.value() for message in consumer.consume(_CHUNK, 0.2)]
        done += len(values)
        if values and not begun:
            begun, first = time.perf_counter(), done
    took = time.perf_counter() - begun
    consumer.close()
    return took * records / (records - first)


def produce_all(producer: Producer, topic: str, values: Sequence[bytes]) -> None:
    """Produce values as fast as the client takes them, and wait for all of them."""
    for number, value in enumerate(values):
        while True:
            try:
                producer.produce(topic, value)
                break
            except BufferError:
                producer.poll(0.05)
        if not number % _CHUNK:
            producer.poll(0)
    producer.flush()


def main() -> int:
    """Run one loop and print its seconds; 0 when done."""
    what, servers, topic, last = sys.argv[1:]
    if what == "produce":
        took = produced(servers, topic, Path(last).read_bytes().splitlines())
    else:
        took = consumed(servers, topic, f"bare-{time.time_ns()}", int(last))
    sys.stdout.write(f"{took}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
