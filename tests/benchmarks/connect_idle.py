"""What many connectors with nothing to do cost: to start, list and stop, memory and processor."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.connect_workers import processor_seconds, proportional_kib

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from tests.benchmarks.connect_rates import Course
    from tests.benchmarks.connect_workers import Worker

__all__ = ["IdleCosts", "idle_costs"]

_PATIENCE_S_EACH = 1.0
_LEAST_PATIENCE_S = 180.0
_SETTLE_S = 3.0
_REQUESTS_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class IdleCosts:
    """Costs of idle connectors with one task each.

    Attributes:
        start_s: until all of them run.
        list_s: one request for the states of all.
        stop_s: until all of them are stopped.
        memory_mib: of all processes of the worker for each task (PSS), beyond the empty worker.
        processor: of one core, by the worker and everything that it runs.
        broker: of one core, by everything else that was started here, which is Kafka.
    """

    start_s: float
    list_s: float
    stop_s: float
    memory_mib: float
    processor: float
    broker: float


def idle_costs(course: Course, worker: Worker, connectors: int, seconds: float) -> IdleCosts:
    """Create that many sources of an empty file, watch them for some seconds, and stop them."""
    empty = course.directory / "empty.txt"
    empty.touch()
    names = [f"idle-{number}" for number in range(connectors)]
    config = {"connector.class": "FileStreamSource", "file": str(empty), "topic": "idle"}
    family = _family(worker.pid)
    before = proportional_kib(family)

    begun = time.monotonic()
    with ThreadPoolExecutor(_REQUESTS_AT_ONCE) as pool:
        list(pool.map(lambda name: worker.create(name, config), names))
    _wait(worker, connectors, lambda states: states == ["RUNNING"] * (2 * connectors))
    start_s = time.monotonic() - begun

    begun = time.monotonic()
    worker.states()
    list_s = time.monotonic() - begun

    time.sleep(_SETTLE_S)
    family = _family(worker.pid)
    others = [pid for pid in _family(_own_pid()) if pid not in {*family, _own_pid()}]
    memory_mib = (proportional_kib(family) - before) / 1024 / connectors
    processor, broker = processor_seconds(family), processor_seconds(others)
    time.sleep(seconds)
    processor = (processor_seconds(family) - processor) / seconds
    broker = (processor_seconds(others) - broker) / seconds

    begun = time.monotonic()
    with ThreadPoolExecutor(_REQUESTS_AT_ONCE) as pool:
        list(pool.map(lambda name: worker.call(f"/connectors/{name}/stop", "PUT"), names))
    _wait(worker, connectors, lambda states: set(states) == {"STOPPED"})
    stop_s = time.monotonic() - begun
    with ThreadPoolExecutor(_REQUESTS_AT_ONCE) as pool:
        list(pool.map(lambda name: worker.call(f"/connectors/{name}", "DELETE"), names))
    return IdleCosts(start_s, list_s, stop_s, memory_mib, processor, broker)


def _wait(worker: Worker, connectors: int, done: Callable[[list[str]], bool]) -> None:
    deadline = time.monotonic() + max(_LEAST_PATIENCE_S, _PATIENCE_S_EACH * connectors)
    while not done(states := worker.states()):
        if time.monotonic() > deadline:
            raise RuntimeError(f"{worker.side}: {len(states)} parts, {sorted(set(states))}")
        time.sleep(0.2)


def _own_pid() -> int:
    return int(Path("/proc/self").readlink().name)


def _family(pid: int) -> Collection[int]:
    """A process and all that descend from it."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text("ascii", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found, rest = [], [pid]
    while rest:
        found.append(current := rest.pop())
        rest += children.get(current, [])
    return found
