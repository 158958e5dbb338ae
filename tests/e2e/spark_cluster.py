"""Spark's executors as processes, and a standalone cluster of Spark on this machine."""

from __future__ import annotations

import os
import secrets
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Self

from pyspark.find_spark_home import _find_spark_home
from tests.e2e.machines import Machine
from tests.e2e.workers import free_port, until

from plugwright.config import properties_text
from plugwright.java import find_java

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["StandaloneCluster", "executors"]

_EXECUTOR = "CoarseGrainedExecutorBackend"
_START_S = 240.0


def executors(root: int) -> dict[int, list[int]]:
    """The executors below a process, and the task hosts of each."""
    parents = _parents()
    found = [pid for pid in parents if _EXECUTOR in _command(pid) and root in _line(pid, parents)]
    workers = [pid for pid in parents if "plugwright.spark.daemon" in _command(pid)]
    hosts = [pid for pid in workers if parents[pid] in workers]
    return {each: [pid for pid in hosts if each in _line(pid, parents)] for each in sorted(found)}


class StandaloneCluster:
    """A master on this machine and one worker of Spark; as a context manager.

    Args:
        cores: how many the worker has to give.
        machine: where the worker and its executors run.
        home: where Spark is installed, if not where this process finds it.
        settings: of master and workers.

    Attributes:
        security: settings that it shares with its drivers.
    """

    def __init__(
        self,
        cores: int,
        machine: Machine | None = None,
        home: Path | None = None,
        settings: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._cores = cores
        self._machine = machine or Machine()
        self._settings = settings
        self._home = str(home or _find_spark_home())
        self._port = free_port()
        self._directory = Path(tempfile.mkdtemp(prefix="spark-cluster-"))
        self._processes: list[subprocess.Popen[bytes]] = []
        self.security = {
            "spark.authenticate": "true",
            "spark.authenticate.secret": secrets.token_hex(16),
            "spark.network.crypto.enabled": "true",
        }

    @property
    def master(self) -> str:
        """For ``spark.master``."""
        return f"spark://{self._machine.here}:{self._port}"

    @property
    def worker(self) -> int:
        """The process that executors are children of."""
        return self.workers[0]

    @property
    def workers(self) -> Sequence[int]:
        """The same of each worker, in the order of their starts."""
        return [process.pid for process in self._processes[1:]]

    def __enter__(self) -> Self:
        try:
            port = str(self._port)
            self._start("master.Master", Machine(self._machine.here), "--port", port)
            self._wait_for("master.Master", "I have been elected leader")
            self.start_worker()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start_worker(self) -> None:
        """Start the worker, another one in place of one that was killed, or one more."""
        memory = ("--cores", str(self._cores), "--memory", "2g")
        place = ("--work-dir", str(self._directory / "work"), self.master)
        self._start("worker.Worker", self._machine, *memory, *place)
        self._wait_for("worker.Worker", "Successfully registered with master")

    def kill_worker(self) -> None:
        """Kill -9 of the worker; its executors notice and end."""
        worker = self._processes.pop()
        worker.kill()
        worker.wait()

    def close(self) -> None:
        """End both, the worker first."""
        for process in reversed(self._processes):
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(15)
            process.kill()
            process.wait()

    def _start(self, name: str, machine: Machine, *arguments: str) -> None:
        home = self._home
        kind = f"org.apache.spark.deploy.{name}"
        secured = self._directory / "security.properties"
        secured.write_text(properties_text({**self.security, **self._settings}), "utf-8")
        command = [f"{home}/bin/spark-class", kind, "--properties-file", str(secured)]
        command += ["--host", machine.host, "--webui-port", "0", *arguments]
        command = machine.command(command, self._directory / "empty", self._directory / "work")
        environment = {**os.environ, "JAVA_HOME": str(find_java().home), "SPARK_HOME": home}
        with self._log(name).open("wb") as log:
            process = subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, env=environment
            )
        self._processes.append(process)

    def _log(self, name: str) -> Path:
        return self._directory / f"{name}.log"

    def _wait_for(self, name: str, line: str) -> None:
        log = self._log(name)
        assert until(lambda: line in log.read_text("utf-8"), _START_S), log.read_text("utf-8")


def _parents() -> dict[int, int]:
    found = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = status.read_text("utf-8").rpartition(")")[2].split()
            if fields[0] != "Z":
                found[int(status.parent.name)] = int(fields[1])
    return found


def _line(pid: int, parents: dict[int, int]) -> Sequence[int]:
    """Its parent, the parent of that, and so on."""
    line = []
    while pid := parents.get(pid, 0):
        line.append(pid)
    return line


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""
