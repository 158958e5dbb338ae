"""Real worker processes: started as users start them, asked over REST, ended without remains."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

from tests.peer.java_connect import free_port, rest_call

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["WorkerProcess", "cluster_settings", "free_port", "marked_processes", "until"]

_COMMAND = "from plugwright.cli import connect_{mode}; connect_{mode}()"
_SERVES = "Kafka Connect worker is running at"
_MARK = "PLUGWRIGHT_TEST_WORKER"
_START_S = 240.0
_STOP_S = 60.0
_REMAINS_S = 15.0
_STRINGS = "org.apache.kafka.connect.storage.StringConverter"


def until(condition, seconds=120.0, pause=0.05):
    """Whether something becomes true in time."""
    deadline = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < deadline:
        time.sleep(pause)
    return found


def cluster_settings(name: str) -> dict[str, str]:
    """What the workers of one group share, with small topics of their own."""
    settings = {"group.id": name}
    for kind in ("config", "offset", "status"):
        settings[f"{kind}.storage.topic"] = f"{name}-{kind}"
        settings[f"{kind}.storage.replication.factor"] = "1"
    return settings | {"offset.storage.partitions": "1", "status.storage.partitions": "1"}


def marked_processes(variable: str, value: str) -> dict[int, str]:
    """The processes with a variable in their environment, in whatever session: id and command."""
    found = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if f"{variable}={value}".encode() in (place / "environ").read_bytes():
                command = (place / "cmdline").read_bytes().replace(b"\0", b" ")
                found[int(place.name)] = command.decode(errors="replace")[:200]
        except OSError:
            continue  # ended meanwhile, or not ours
    return found


class WorkerProcess:
    """``connect-standalone``, or ``connect-distributed``, in a process of its own.

    As a context manager it has started when the block begins, and has gone with all that it
    started when the block ends.

    Args:
        settings: the worker's properties; converters are those of strings and REST stands on a
            free port unless they say otherwise.
        connectors: configurations that a standalone worker starts with, or their files.
        distributed: which of the two commands runs.
        log_level: of the start.
        environment: variables beside those of the tests.
        python: the interpreter, which determines whose code runs.

    Attributes:
        url: of its REST API.
        log: the file that takes all its output.
    """

    def __init__(
        self,
        settings: Mapping[str, str],
        *connectors: Mapping[str, str] | Path,
        distributed: bool = False,
        log_level: str = "INFO",
        environment: Mapping[str, str] | None = None,
        python: str = sys.executable,
    ) -> None:
        # Not the test's own directory: sockets beneath it would have too long a name.
        self.directory = Path(tempfile.mkdtemp(prefix="worker-"))
        self.log = self.directory / "worker.log"
        self.url = f"http://127.0.0.1:{free_port()}"
        self._settings = {
            "key.converter": _STRINGS,
            "value.converter": _STRINGS,
            "listeners": self.url,
            "offset.flush.interval.ms": "500",
            **settings,
        }
        self.url = self._settings["listeners"]
        self._connectors = connectors
        self._mode = "distributed" if distributed else "standalone"
        self._log_level = log_level
        self._python = python
        self._mark = uuid4().hex
        self._environment = {
            **os.environ,
            "TMPDIR": str(self.directory),
            _MARK: self._mark,
            **(environment or {}),
        }
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            self.start()
            self.wait_until_ready()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """Of the worker itself."""
        return self._running().pid

    @property
    def said(self) -> str:
        """All that it has written so far."""
        return self.log.read_text("utf-8", errors="replace")

    def start(self) -> None:
        """Start the process; does not wait."""
        files = [_write(self.directory / "worker.properties", self._settings)]
        for number, config in enumerate(self._connectors):
            given = isinstance(config, Path)
            place = self.directory / f"connector-{number}.properties"
            files.append(config if given else _write(place, config))
        program = [self._python, "-c", _COMMAND.format(mode=self._mode)]
        command = [*program, "--log-level", self._log_level, *map(str, files)]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self._environment,
                start_new_session=True,
            )

    def wait_until_ready(self) -> None:
        """Wait until its herder serves and the connectors that it starts with are created.

        Raises:
            RuntimeError: with the log, if it ends before that or takes too long.
        """
        process = self._running()
        if not until(lambda: process.poll() is not None or self._is_ready(), _START_S):
            raise RuntimeError(f"the worker is not ready:\n{self.said[-6000:]}")
        if process.poll() is not None:
            raise RuntimeError(f"the worker ended ({process.returncode}):\n{self.said[-6000:]}")

    def call(self, path: str, method: str = "GET", body: object = None) -> tuple[int, Any]:
        """Status and parsed answer of a request."""
        return rest_call(f"{self.url}{path}", method, body)

    def create(self, name: str, config: Mapping[str, str]) -> tuple[int, Any]:
        """Status and answer of ``POST /connectors``."""
        return self.call("/connectors", "POST", {"name": name, "config": config})

    def wait_for_state(
        self, connector: str, state: str = "RUNNING", *, tasks: int = 1, timeout_s: float = 60
    ) -> dict[str, Any]:
        """Wait until a connector and so many tasks are all in a state; its status.

        Raises:
            TimeoutError: with the status and the log, if they are not in time.
        """
        status: Any = None

        def reached() -> bool:
            nonlocal status
            code, status = self.call(f"/connectors/{connector}/status")
            if code != 200:
                return False
            parts = [status["connector"], *status["tasks"]]
            return len(parts) == tasks + 1 and {part["state"] for part in parts} == {state}

        if not until(reached, timeout_s):
            raise TimeoutError(f"{connector} is not {state}: {self.report()}")
        return status

    def report(self) -> str:
        """For the message of a test that failed: statuses, processes and the end of the log."""
        try:
            statuses = self.call("/connectors?expand=status")[1]
        except OSError as error:
            statuses = str(error)
        running = "\n".join(f"{pid} {command}" for pid, command in self.processes().items())
        return f"{json.dumps(statuses, indent=1)}\n{running}\n{self.said[-6000:]}"

    def wait(self, timeout_s: float = _STOP_S) -> int:
        """Wait for the process to end by itself; its exit status."""
        return self._running().wait(timeout_s)

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal and wait; the exit status, negative if the signal itself ended it."""
        process = self._running()
        process.send_signal(number)
        return process.wait(_STOP_S)

    def processes(self) -> dict[int, str]:
        """Everything that runs because of this worker, in whatever session: id and command."""
        return marked_processes(_MARK, self._mark)

    def close(self) -> None:
        """End the worker if it still runs; what it started has to end with it.

        Raises:
            AssertionError: naming the processes that were still there; they are killed.
        """
        try:
            if self._process is not None and self._process.poll() is None:
                self._end()
            until(lambda: not self.processes(), _REMAINS_S)
            remains = self.processes()
            for pid in remains:
                _kill(pid)
            assert not remains, f"the worker has ended, but not {remains}"
        finally:
            shutil.rmtree(self.directory, ignore_errors=True)

    def _end(self) -> None:
        try:
            self.stop()
        except subprocess.TimeoutExpired:
            self.stop(signal.SIGKILL)

    def _is_ready(self) -> bool:
        """Whether it is healthy, and a signal stops it in order instead of breaking its start."""
        try:
            return self.call("/health")[0] == 200 and _SERVES in self.said
        except OSError:
            return False  # not listening yet

    def _running(self) -> subprocess.Popen[bytes]:
        assert self._process is not None, "the worker has not been started"
        return self._process


def _write(path: Path, settings: Mapping[str, str]) -> Path:
    path.write_text("".join(f"{key}={value}\n" for key, value in settings.items()), "utf-8")
    return path


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
