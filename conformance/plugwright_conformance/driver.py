"""A worker of its own, to be killed: Spark driver, connectors and tasks in one process tree."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright_conformance.outcome import CheckFailedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plugwright_conformance.subject import Subject

__all__ = ["DoomedDriver", "main"]

_START_S = 120.0
"""Nine seconds on a quiet machine; what starts is Spark's to blame, not the plugin's."""


class DoomedDriver:
    """A running worker process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    @classmethod
    @contextmanager
    def started(
        cls,
        subject: Subject,
        settings: Mapping[str, str],
        configs: Sequence[Mapping[str, str]],
        log: Path,
    ) -> Iterator[DoomedDriver]:
        """Start one over a plugin, wait until its tasks run, and see to it that it ends.

        Args:
            subject: the plugin.
            settings: of the worker.
            configs: of the connectors, with their names.
            log: takes what the process prints.

        Raises:
            CheckFailedError: if the tasks do not come up.
        """
        job = {
            "location": str(subject.root.resolve()),
            "worker": dict(settings),
            "connectors": [dict(config) for config in configs],
        }
        command = [sys.executable, str(Path(__file__)), json.dumps(job)]
        with log.open("w", encoding="utf-8") as errors:
            process = subprocess.Popen(  # noqa: S603  # our own module in our own interpreter
                command,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        driver = cls(process)
        try:
            driver._await_line(log)  # its own
            yield driver
        finally:
            driver.kill()

    def _await_line(self, log: Path) -> None:
        assert self._process.stdout is not None  # noqa: S101  # it is a pipe
        watchdog = threading.Timer(_START_S, self._process.kill)
        watchdog.start()
        begun = time.monotonic()
        line = self._process.stdout.readline()
        late = time.monotonic() - begun >= _START_S
        watchdog.cancel()
        if line.strip() != "running":
            last = (log.read_text(errors="replace").strip().splitlines() or ["no output"])[-1]
            when = f"nothing within {_START_S:g} s, and last: " if late else ""
            raise CheckFailedError("tasks that run in a worker of their own", f"{when}{last}")

    def kill(self) -> int:
        """Kill -9 the driver and every process below it; how many there were."""
        doomed = [self._process.pid, *_descendants(self._process.pid)]
        for pid in doomed:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        return len(doomed)


def _descendants(root: int) -> list[int]:
    """Every process below one, as /proc has it."""
    children: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(status.parent.name))
    found: list[int] = []
    waiting = [root]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def main() -> None:
    """Run the connectors that the command line describes, until somebody kills this process."""
    from plugwright.herder import StandaloneHerder, WorkerConfig  # noqa: PLC0415  # an extra
    from plugwright.plugins import Plugins  # noqa: PLC0415  # after the arguments
    from plugwright.spark import SparkLauncher, open_session  # noqa: PLC0415  # an extra

    job: dict[str, Any] = json.loads(sys.argv[1])
    plugins = Plugins.service_load([job["location"]])
    with tempfile.TemporaryDirectory() as scratch:
        session = open_session("plugwright-doomed", log=Path(scratch) / "spark.log")
        herder = StandaloneHerder(
            WorkerConfig.parse(job["worker"]), plugins, SparkLauncher(session)
        )
        for running in [herder.start_connector(config) for config in job["connectors"]]:
            running.wait_for(lambda tasks: all(task.state == "RUNNING" for task in tasks), _START_S)
        sys.stdout.write("running\n")
        sys.stdout.flush()
        while True:
            time.sleep(1)


if __name__ == "__main__":
    main()
