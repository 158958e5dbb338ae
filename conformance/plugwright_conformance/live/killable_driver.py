"""A worker process that a check kills, with its executors and tasks on this machine.

In this machine's Spark they are one tree of processes. On a cluster, executors are children of
others; where they are on other machines, Spark ends them after the loss of their driver.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright.errors import SetupError
from plugwright.processes import descendants
from plugwright_conformance.evidence.outcome import CheckFailedError, NotRunError
from plugwright_conformance.live.spark_cluster import SparkChoice
from plugwright_conformance.processes.quiet_time import QuietTime
from plugwright_conformance.processes.suspension import resume, suspend_in_call

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from plugwright.spark import Executors, TaskStatus
    from plugwright_conformance.live.spark_cluster import OpenedSpark
    from plugwright_conformance.subject.subject import Subject

__all__ = ["KillableDriver", "main"]

_LOOK_S = 0.5
_START_S = 120.0
"""Nine seconds on a quiet machine; what starts is Spark's to blame, not the plugin's."""
_READY_S = 300.0
"""How long a cluster's executors may take to appear and to run Python, before they are given up."""
_RUNNING, _UNREADY = "running", "unready"
_ELSEWHERE = ", because they are on another machine or belong to another user"


class KillableDriver:
    """A worker process that starts its Spark driver at once, then waits for connectors.

    It ends when it is killed, or with the process that has made it.

    Args:
        spark: where its tasks run; by default below its own process.
    """

    def __init__(self, spark: SparkChoice | None = None) -> None:
        # What is below a killed driver may still be about to die when this is cleaned up.
        self._scratch = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        scratch = self._scratch.name
        self._log = Path(scratch) / "driver.log"
        paths = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "SPARK_LOCAL_DIRS": scratch}
        self._suspended: list[int] = []
        self._executors: Executors | None = None
        spark = spark or SparkChoice()
        self._start_s = _START_S + (_READY_S if spark.is_cluster else 0.0)
        with self._log.open("w", encoding="utf-8") as errors:
            self._process = subprocess.Popen(  # noqa: S603  # our own module in our own interpreter
                [sys.executable, str(Path(__file__)), scratch],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,
                env={**os.environ, **paths},
            )
        self._tell(spark.to_plain())  # secret, and so no argument

    def run(
        self,
        subject: Subject,
        settings: Mapping[str, str],
        configs: Sequence[Mapping[str, str]],
    ) -> None:
        """Run connectors of a plugin there, and wait until their tasks run.

        Args:
            subject: the plugin.
            settings: of the worker.
            configs: of the connectors, with their names.

        Raises:
            CheckFailedError: if the tasks do not come up.
            NotRunError: if the machine is too busy to tell, or the cluster cannot run tasks.
        """
        job = {
            "location": str(subject.root.resolve()),
            "worker": dict(settings),
            "connectors": [dict(config) for config in configs],
        }
        self._tell(job)
        self._await_line()

    def _tell(self, words: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None  # noqa: S101  # it is a pipe
        with suppress(BrokenPipeError):  # its last words tell why
            self._process.stdin.write(f"{json.dumps(words)}\n")
            self._process.stdin.flush()

    def _await_line(self) -> None:
        assert self._process.stdout is not None  # noqa: S101  # it is a pipe
        limit, late = QuietTime(self._start_s), False
        while not (late or select.select([self._process.stdout], [], [], _LOOK_S)[0]):
            late = limit.is_over()
        line = "" if late else self._process.stdout.readline()
        word, _, rest = line.strip().partition(" ")
        if word == _UNREADY:
            raise NotRunError(f"not measured: {rest}")
        if word == _RUNNING:
            self._executors = _executors(json.loads(rest or "null"))
        else:
            words = self._log.read_text(errors="replace").strip().splitlines()
            last = (words or ["no output"])[-1]
            when = f"nothing within {self._start_s:g} s, and last: " if late else ""
            raise CheckFailedError("tasks that run in a worker of their own", f"{when}{last}")

    def suspend(self, within: Collection[str]) -> bool:
        """Suspend the driver and every process below it, as if the machine stood still.

        Args:
            within: the plugin calls during which to suspend a task; "" means between calls.

        Returns:
            Whether a task is in one of them.

        Raises:
            NotRunError: if an executor is on another machine.
        """
        self._require_all_here("cannot be suspended")
        self._suspended, met = suspend_in_call(self._pids, within)
        return met

    def resume(self) -> None:
        """Let the suspended processes go on."""
        resume(self._suspended)
        self._suspended = []

    def shown(self, *directories: Path) -> Iterator[tuple[str, str]]:
        """What others may read: Spark's files, and arguments and environments of processes.

        Args:
            directories: of Spark's files outside the driver's own directory.

        Yields:
            A name and a text each.

        Raises:
            NotRunError: if an executor is on another machine.
        """
        self._require_all_here("show nothing of their processes here")
        for directory in (Path(self._scratch.name), *directories):
            for path in sorted(directory.rglob("*")):
                with suppress(OSError):  # Spark has removed it
                    if path.is_file():
                        yield f"Spark's file {path.name}", _read(path)
        for pid in self._pids():
            for what in ("cmdline", "environ"):
                with suppress(OSError):  # it has ended
                    yield f"the {what} of a process", _read(Path(f"/proc/{pid}/{what}"))

    def _pids(self) -> list[int]:
        executors = self._executors.here() if self._executors else ()
        roots = [self._process.pid, *executors]
        return [pid for root in roots for pid in (root, *(below for below, _ in descendants(root)))]

    def _require_all_here(self, lack: str) -> None:
        if self._executors is None:
            return
        missing = self._executors.count - len(self._executors.here())
        if missing > 0:
            of_all = f"{missing} of {self._executors.count} executors"
            raise NotRunError(f"not measured: {of_all} {lack}{_ELSEWHERE}")

    def kill(self) -> int:
        """Kill -9 the driver, its executors here and every process below them; how many there were.

        Does nothing the second time.
        """
        if self._process.returncode is not None:
            return 0
        victims = self._pids()
        for pid in victims:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self._process.wait()
        self._suspended = []
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None  # noqa: S101  # both are pipes
            with suppress(BrokenPipeError):  # it ended before it read the message
                pipe.close()
        self._scratch.cleanup()
        return len(victims)


def _executors(plain: Mapping[str, Any] | None) -> Executors | None:
    if plain is None:
        return None
    from plugwright.spark import Executors  # noqa: PLC0415  # an extra

    return Executors(**plain)


def _read(path: Path) -> str:
    return path.read_bytes().replace(b"\0", b" ").decode(errors="replace")


def _settled(tasks: Sequence[TaskStatus]) -> bool:
    return all(task.state == "RUNNING" for task in tasks) or any(
        task.state == "FAILED" for task in tasks
    )


def main() -> None:
    """Run connectors until the input ends or we are killed.

    The first line of input says where Spark runs, the second describes the connectors. The
    argument names a directory for Spark's log.
    """
    from plugwright.herder import EmbeddedHerder, WorkerConfig  # noqa: PLC0415  # an extra
    from plugwright.plugins import Plugins  # noqa: PLC0415  # an extra
    from plugwright.spark import executors_of  # noqa: PLC0415  # an extra

    scratch = Path(sys.argv[1])
    events = scratch / "events"
    events.mkdir()
    logged = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": events.as_uri(),
    }
    spark = SparkChoice.from_plain(json.loads(sys.stdin.readline()))
    with ExitStack() as stack:
        opened = stack.enter_context(_opened(spark, scratch / "spark.log", logged))
        line = sys.stdin.readline()
        if not line:
            return
        job: dict[str, Any] = json.loads(line)
        worker, plugins = WorkerConfig.parse(job["worker"]), Plugins.service_load([job["location"]])
        herder = EmbeddedHerder(worker, plugins, opened.launcher)
        for running in [herder.start_connector(config) for config in job["connectors"]]:
            while not running.wait_for(_settled, _START_S):
                pass
            failed = next((task for task in running.statuses if task.state == "FAILED"), None)
            if failed:
                sys.exit(f"{failed.state}: {failed.trace.strip().splitlines()[-1]}")
        executors = executors_of(opened.session) if spark.is_cluster else None
        _say(f"{_RUNNING} {json.dumps(executors and asdict(executors))}")
        sys.stdin.read()


@contextmanager
def _opened(spark: SparkChoice, log: Path, settings: Mapping[str, str]) -> Iterator[OpenedSpark]:
    """Run Spark until the block ends; tell the check if a cluster cannot run tasks."""
    with ExitStack() as stack:
        try:
            opened = stack.enter_context(spark.opened("plugwright-victims", log, settings))
        except SetupError as error:
            if spark.is_cluster:
                _say(f"{_UNREADY} {' '.join(str(error).split())}")
            raise
        yield opened


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
