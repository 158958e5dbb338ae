"""How long a record takes from a file through Kafka into another file."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.benchmarks.connect_rates import Course
    from tests.benchmarks.connect_workers import Worker

__all__ = ["latencies"]

_RATE = 1000
_WARM_UP_S = 2.0
_LOOK_S = 0.0005
_PATIENCE_S = 30.0


def latencies(course: Course, worker: Worker, seconds: float) -> list[float]:
    """Milliseconds from source to sink at 1,000 records a second, sorted.

    A record is written every millisecond and looked for twice as often.
    """
    number = next(course.numbers)
    into, out = course.directory / f"into-{number}", course.directory / f"out-{number}"
    topic, source, sink = f"pipe-{number}", f"into-{number}", f"out-{number}"
    into.touch()
    course.kafka.make(topic)
    worker.create(
        source, {"connector.class": "FileStreamSource", "file": str(into), "topic": topic}
    )
    worker.create(sink, {"connector.class": "FileStreamSink", "file": str(out), "topics": topic})
    _flow_once(into, out)
    seen: list[float] = []
    total = int((seconds + _WARM_UP_S) * _RATE)
    written = _start_writing(into, total)
    _follow(out, seen, total)
    worker.call(f"/connectors/{source}", "DELETE")
    worker.call(f"/connectors/{sink}", "DELETE")
    pairs = list(zip(written, seen, strict=True))[int(_WARM_UP_S * _RATE) :]
    return sorted((arrival - start) * 1000 for start, arrival in pairs)


def _flow_once(into: Path, out: Path) -> None:
    """Wait until both connectors work."""
    with into.open("ab") as file:
        file.write(b"first\n")
    deadline = time.monotonic() + _PATIENCE_S
    while not (out.exists() and out.stat().st_size):
        if time.monotonic() > deadline:
            raise RuntimeError(f"nothing arrived in {out}")
        time.sleep(0.05)


def _start_writing(into: Path, total: int) -> list[float]:
    """Write at an even rate on a thread; when each record was written."""
    written: list[float] = []

    def write() -> None:
        begun = time.perf_counter()
        with into.open("ab", buffering=0) as file:
            for number in range(total):
                left = begun + number / _RATE - time.perf_counter()
                if left > 0:
                    time.sleep(left)
                written.append(time.perf_counter())
                file.write(b"%0100d\n" % number)

    threading.Thread(target=write, daemon=True).start()
    return written


def _follow(out: Path, seen: list[float], total: int) -> None:
    """Note when each line arrived.

    Raises:
        RuntimeError: if not all of them do.
    """
    with out.open("rb", buffering=0) as file:
        file.readline()
        deadline = time.monotonic() + total / _RATE + _PATIENCE_S
        while len(seen) < total:
            found = file.read(1 << 20).count(b"\n")
            seen += [time.perf_counter()] * found
            if not found:
                time.sleep(_LOOK_S)
            if time.monotonic() > deadline:
                raise RuntimeError(f"{len(seen)} of {total} records arrived in {out}")
