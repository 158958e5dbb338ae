"""Distributed workers of one group, each a process as an operator starts it."""

from __future__ import annotations

import signal
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.e2e.workers import WorkerProcess, cluster_settings, until

from plugwright.kafka import read_topic

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Cluster", "Code", "DistributedWorker"]

_PLUGIN_PATH = Path(__file__).parents[2] / "plugin-path"
_STRING = "org.apache.kafka.connect.storage.StringConverter"


@dataclass(frozen=True)
class Code:
    """The code that a worker runs: an interpreter that imports it, and its plugins."""

    python: str
    plugin_path: Path


class DistributedWorker(WorkerProcess):
    """A worker of a group, known by the address that statuses name."""

    def __init__(self, settings: Mapping[str, str], python: str = sys.executable) -> None:
        super().__init__(settings, distributed=True, python=python)
        self.worker_id = self.url.removeprefix("http://")

    @property
    def runs(self) -> bool:
        """Whether the process is there."""
        return self._running().poll() is None

    def task_hosts(self) -> list[int]:
        """The processes that its tasks run in: children of Spark's Python daemon."""
        daemons = [pid for pid, command in self.processes().items() if "daemon" in command]
        return sorted(pid for pid in daemons if _parent(pid) in daemons)

    def kill(self) -> dict[int, str]:
        """Kill -9 of this process alone; what it had started by then."""
        others = self.processes()
        self.stop(signal.SIGKILL)
        others.pop(self.pid, None)
        return others


class Cluster:
    """A group of workers, and the connectors that a test gives it.

    Args:
        servers: of the broker.
        name: the group's; its topics are named after it.
        settings: of every worker, beside the usual.
    """

    def __init__(self, servers: str, name: str, **settings: str) -> None:
        self.servers = servers
        self.name = name
        self.settings = {
            "bootstrap.servers": servers,
            **cluster_settings(name),
            "key.converter": _STRING,
            "value.converter": _STRING,
            "offset.flush.interval.ms": "300",
            **settings,
        }
        self.workers: list[DistributedWorker] = []

    def grow(self, count: int, code: Code | None = None) -> list[DistributedWorker]:
        """Start workers until so many run, all at once, and wait for them.

        Args:
            count: number of workers.
            code: what the fresh ones run; by default what is tested.
        """
        code = code or Code(sys.executable, _PLUGIN_PATH)
        for gone in [each for each in self.workers if not each.runs]:
            self.workers.remove(gone)
            gone.close()
        ours = {
            "plugin.path": str(code.plugin_path),
            "plugin.discovery": "service_load",
            "session.timeout.ms": "6000",
            "heartbeat.interval.ms": "300",
            **self.settings,
        }
        fresh = [DistributedWorker(ours, code.python) for _ in range(count - len(self.workers))]
        self.workers += fresh
        for worker in fresh:
            worker.start()
        for worker in fresh:
            worker.wait_until_ready()
        return self.workers

    def create(self, connector: str, config: Mapping[str, str]) -> None:
        """Create a connector at the first worker, however often the cluster asks to try again."""
        body = {"name": connector, "config": {"tasks.max": "1", **config}}
        answers: list[tuple[int, Any]] = []

        def created() -> bool:
            answers.append(self.workers[0].call("/connectors", "POST", body))
            return answers[-1][0] != 409

        assert until(created), answers[-1]
        assert answers[-1][0] == 201, answers[-1]

    def source(self, connector: str, file: Path, topic: str, **config: str) -> None:
        """Create a file source."""
        kind = "org.apache.kafka.connect.file.FileStreamSourceConnector"
        named = {"connector.class": kind, "file": str(file), "topic": topic}
        self.create(connector, named | config)

    def status(self, connector: str, worker: int = 0) -> dict[str, Any]:
        """What a worker knows of a connector."""
        code, body = self.workers[worker].call(f"/connectors/{connector}/status")
        return body if code == 200 else {"connector": {"state": code, "worker_id": ""}, "tasks": []}

    def parts(self, connector: str, worker: int = 0) -> list[dict[str, Any]]:
        """Connector and tasks."""
        status = self.status(connector, worker)
        return [status["connector"], *status["tasks"]]

    def wait_for(
        self, connector: str, state: str, *, on: str | None = None, worker: int = 0, tasks: int = 1
    ) -> None:
        """Wait until connector and tasks are in a state, where a worker's address is given there.

        Raises:
            AssertionError: if that takes too long.
        """

        def reached() -> bool:
            parts = self.parts(connector, worker)
            reported = {(part["state"], part["worker_id"] if on else None) for part in parts}
            return len(parts) == tasks + 1 and reported == {(state, on)}

        assert until(reached), self.report()

    def report(self) -> str:
        """For the message of a test that failed: what each worker knows, and its log."""
        return "\n".join(each.report() for each in self.workers)

    def owner(self, connector: str) -> DistributedWorker:
        """The worker that a connector runs on, once a live one says that it does.

        Raises:
            AssertionError: if none says so in time.
        """

        def found() -> DistributedWorker | None:
            worker_id = self.status(connector)["connector"]["worker_id"]
            return next((each for each in self.workers if each.worker_id == worker_id), None)

        owner = until(found)
        assert isinstance(owner, DistributedWorker), self.status(connector)
        return owner

    def other(self, connector: str) -> DistributedWorker:
        """A worker that it does not run on."""
        owner = self.owner(connector)
        return next(each for each in self.workers if each is not owner)

    def offset(self, connector: str) -> int | None:
        """The stored position of a file source."""
        code, body = self.workers[0].call(f"/connectors/{connector}/offsets")
        found = body["offsets"] if code == 200 else []
        return int(found[0]["offset"]["position"]) if found else None

    def values(self, topic: str) -> list[str]:
        """What a committed reader finds in a topic."""
        try:
            return [(m.value() or b"").decode() for m in read_topic(self.servers, topic)]
        except Exception as error:  # noqa: BLE001  # the topic is not there yet
            return [str(error)]

    def close(self) -> None:
        """Stop all workers, though one of them may not go well."""
        with ExitStack() as stack:
            for worker in self.workers:
                stack.callback(worker.close)


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[1])
    except OSError:
        return 0
