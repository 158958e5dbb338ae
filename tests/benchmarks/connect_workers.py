"""Workers of both runtimes for the benchmarks, and what their processes use."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.e2e.workers import WorkerProcess, cluster_settings, until
from tests.peer.java_connect import JavaConnect, rest_call

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

__all__ = ["Worker", "processor_seconds", "proportional_kib", "running_ours", "running_peer"]

ROOT = Path(__file__).parents[2]

_OK, _CREATED = 200, 201
_START_S, _LOOK_S = 120.0, 0.01
_CONVERTER = "org.apache.kafka.connect.storage.StringConverter"
_TICKS = os.sysconf("SC_CLK_TCK")
_STARTED = 19  # in ``stat``, after the name of the program


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker that answers.

    Attributes:
        side: ``ours`` or ``peer``.
        url: of its REST API.
        first_s: seconds from the start of its process to its first answer.
        start_s: seconds until it is healthy, so that a connector can be created.
        pid: of its process.
        log: what it has to say.
    """

    side: str
    url: str
    first_s: float
    start_s: float
    pid: int
    log: Path

    def call(self, path: str, method: str = "GET", body: object = None) -> tuple[int, Any]:
        """Status and parsed answer of a request."""
        return rest_call(f"{self.url}{path}", method, body)

    def create(self, name: str, config: Mapping[str, str]) -> None:
        """Create a connector.

        Raises:
            RuntimeError: if the worker refuses.
        """
        status, answer = self.call("/connectors", "POST", {"name": name, "config": dict(config)})
        if status != _CREATED:
            raise RuntimeError(f"{self.side}: {name} was not created: {status} {answer}")

    def states(self) -> list[str]:
        """The states of all connectors and their tasks."""
        _, found = self.call("/connectors?expand=status")
        parts = [each["status"] for each in found.values()]
        return [part["connector"]["state"] for part in parts] + [
            task["state"] for part in parts for task in part["tasks"]
        ]


@contextmanager
def running_ours(
    bootstrap_servers: str, group: str, settings: Mapping[str, str]
) -> Iterator[Worker]:
    """Run our worker until the block ends."""
    every = {
        "bootstrap.servers": bootstrap_servers,
        "plugin.path": str(ROOT / "plugin-path"),
        "plugin.discovery": "service_load",
        "offset.flush.interval.ms": "60000",
        **cluster_settings(f"{group}-ours"),
        **settings,
    }
    worker = WorkerProcess(every, distributed=True)
    with _answers(worker.url) as answers, worker as process:
        first, healthy = _since_start(process.pid, answers())
        yield Worker("ours", process.url, first, healthy, process.pid, process.log)


@contextmanager
def running_peer(
    bootstrap_servers: str, group: str, settings: Mapping[str, str]
) -> Iterator[Worker]:
    """Run Kafka Connect until the block ends; settings of Spark are not for it."""
    every = {
        "key.converter": _CONVERTER,
        "value.converter": _CONVERTER,
        **cluster_settings(f"{group}-peer"),
        **{key: value for key, value in settings.items() if not key.startswith("spark.")},
    }
    worker = JavaConnect(bootstrap_servers, every)
    with _answers(worker.url) as answers, worker as process:
        pid = process._process.pid
        first, healthy = _since_start(pid, answers())
        yield Worker("peer", process.url, first, healthy, pid, process.log)


@contextmanager
def _answers(url: str) -> Iterator[Callable[[], Sequence[float]]]:
    """Look for answers until the block ends; a function that waits for their times since boot."""
    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(_first_answers, url, ("/", "/health")).result


def _first_answers(url: str, paths: Sequence[str]) -> Sequence[float]:
    """When each path is answered with success for the first time, in seconds since boot."""
    times = []
    for path in paths:
        until(partial(_succeeds, f"{url}{path}"), _START_S, _LOOK_S)
        times.append(time.clock_gettime(time.CLOCK_BOOTTIME))
    return times


def _succeeds(url: str) -> bool:
    try:
        return rest_call(url)[0] == _OK
    except OSError:
        return False  # not listening yet


def _since_start(pid: int, times: Sequence[float]) -> Sequence[float]:
    """Those times in seconds since a process has started, to a hundredth."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return [each - int(fields[_STARTED]) / _TICKS for each in times]


def processor_seconds(pids: Collection[int]) -> float:
    """User and system time that processes have used."""
    total = 0.0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        total += (int(fields[11]) + int(fields[12])) / _TICKS
    return total


def proportional_kib(pids: Collection[int]) -> int:
    """Memory of processes, pages that are shared counted in parts (PSS)."""
    total = 0
    for pid in pids:
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()
        except OSError:
            continue  # it has ended
        total += next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
    return total
