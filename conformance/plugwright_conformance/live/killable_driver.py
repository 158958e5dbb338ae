"""A worker process that a check kills: Spark driver, connectors and tasks in one tree."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright.processes import descendants
from plugwright_conformance.evidence.outcome import CheckFailedError
from plugwright_conformance.processes.quiet_time import QuietTime
from plugwright_conformance.processes.suspension import resume, suspend_in_call

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from plugwright.spark import TaskStatus
    from plugwright_conformance.subject.subject import Subject

__all__ = ["KillableDriver", "main"]

_LOOK_S = 0.5
_START_S = 120.0
"""Nine seconds on a quiet machine; what starts is Spark's to blame, not the plugin's."""


class KillableDriver:
    """A worker process that starts its Spark driver at once, then waits for connectors.

    It ends when it is killed, or with the process that has made it.
    """

    def __init__(self) -> None:
        # What is below a killed driver may still be about to die when this is cleaned up.
        self._scratch = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        scratch = self._scratch.name
        self._log = Path(scratch) / "driver.log"
        paths = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "SPARK_LOCAL_DIRS": scratch}
        self._suspended: list[int] = []
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
            NotRunError: if the machine is too busy to tell.
        """
        job = {
            "location": str(subject.root.resolve()),
            "worker": dict(settings),
            "connectors": [dict(config) for config in configs],
        }
        assert self._process.stdin is not None  # noqa: S101  # it is a pipe
        with suppress(BrokenPipeError):  # its last words tell why
            self._process.stdin.write(f"{json.dumps(job)}\n")
            self._process.stdin.flush()
        self._await_line()

    def _await_line(self) -> None:
        assert self._process.stdout is not None  # noqa: S101  # it is a pipe
        limit, late = QuietTime(_START_S), False
        while not (late or select.select([self._process.stdout], [], [], _LOOK_S)[0]):
            late = limit.is_over()
        line = "" if late else self._process.stdout.readline()
        if line.strip() != "running":
            words = self._log.read_text(errors="replace").strip().splitlines()
            last = (words or ["no output"])[-1]
            when = f"nothing within {_START_S:g} s, and last: " if late else ""
            raise CheckFailedError("tasks that run in a worker of their own", f"{when}{last}")

    def suspend(self, within: Collection[str]) -> bool:
        """Suspend the driver and every process below it, as if the machine stood still.

        Args:
            within: the plugin calls during which to suspend a task; "" means between calls.

        Returns:
            Whether a task is in one of them.
        """
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
        """
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
        return [self._process.pid, *(pid for pid, _ in descendants(self._process.pid))]

    def kill(self) -> int:
        """Kill -9 the driver and every process below it; how many there were.

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


def _read(path: Path) -> str:
    return path.read_bytes().replace(b"\0", b" ").decode(errors="replace")


def _settled(tasks: Sequence[TaskStatus]) -> bool:
    return all(task.state == "RUNNING" for task in tasks) or any(
        task.state == "FAILED" for task in tasks
    )


def main() -> None:
    """Run the connectors that the first line of input describes, until it ends or we are killed.

    The argument names a directory for Spark's log.
    """
    from plugwright.herder import EmbeddedHerder, WorkerConfig  # noqa: PLC0415  # an extra
    from plugwright.plugins import Plugins  # noqa: PLC0415  # when there is a job
    from plugwright.spark import SparkLauncher, open_session  # noqa: PLC0415  # an extra

    scratch = Path(sys.argv[1])
    events = scratch / "events"
    events.mkdir()
    logged = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": events.as_uri(),
    }
    session = open_session("plugwright-victims", log=scratch / "spark.log", settings=logged)
    line = sys.stdin.readline()
    if not line:
        return
    job: dict[str, Any] = json.loads(line)
    worker, plugins = WorkerConfig.parse(job["worker"]), Plugins.service_load([job["location"]])
    herder = EmbeddedHerder(worker, plugins, SparkLauncher(session))
    for running in [herder.start_connector(config) for config in job["connectors"]]:
        while not running.wait_for(_settled, _START_S):
            pass
        failed = next((task for task in running.statuses if task.state == "FAILED"), None)
        if failed:
            sys.exit(f"{failed.state}: {failed.trace.strip().splitlines()[-1]}")
    sys.stdout.write("running\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main()
