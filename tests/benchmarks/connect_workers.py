"""Workers of both runtimes for the benchmarks, and what their processes use."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.e2e.workers import WorkerProcess, cluster_settings
from tests.peer.java_connect import JavaConnect, rest_call

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

__all__ = ["Worker", "processor_seconds", "proportional_kib", "running_ours", "running_peer"]

ROOT = Path(__file__).parents[2]

_CREATED = 201
_CONVERTER = "org.apache.kafka.connect.storage.StringConverter"
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker that answers.

    Attributes:
        side: ``ours`` or ``peer``.
        url: of its REST API.
        start_s: seconds from its start to its first answer.
        pid: of its process.
        log: what it has to say.
    """

    side: str
    url: str
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
    begun = time.monotonic()
    with WorkerProcess(every, distributed=True) as process:
        seconds = time.monotonic() - begun
        yield Worker("ours", process.url, seconds, process.pid, process.log)


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
    begun = time.monotonic()
    with JavaConnect(bootstrap_servers, every) as process:
        seconds = time.monotonic() - begun
        yield Worker("peer", process.url, seconds, process._process.pid, process.log)


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
