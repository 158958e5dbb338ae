"""Tasks that tick, for tests of what runs them on Spark."""

from __future__ import annotations

import time
from pathlib import Path

from plugwright.kafka import create_topic, read_topic
from plugwright.spark import ClassReference, TaskSpec

__all__ = ["Stage", "gone", "moves"]

CONVERTER = ClassReference("plugwright.converters", "StringConverter")

TICKER = '''
import logging, os, sys, threading, time
from pathlib import Path
from plugwright import ConnectError, SourceRecord, SourceTask

GREETING = "{greeting}"


class Ticker(SourceTask):
    """One record a poll, and trouble if its settings ask for it."""

    def version(self):
        return "1.0"

    def start(self, props):
        self.props, self.number, self.stopped = props, 0, threading.Event()

    def poll(self):
        mode = self.props.get("mode", "tick")
        if mode == "fail" and self.number == 3:
            raise ConnectError("the shop is closed", code="shop.closed", hint="come back later")
        if mode == "exit" and self.number == 3:
            sys.exit("leaving")
        if mode == "wait" and self.number == 3:
            self.stopped.wait()
            return None
        if mode == "stuck":
            Path(self.props["trace"]).write_text("stuck")
            while True:
                time.sleep(1)
        if mode == "noise":
            print("noise on standard output " * 1000)
            os.write(1, b"raw bytes \\xff\\x00 on descriptor 1\\n" * 1000)
        if mode in ("noise", "line"):
            sys.stderr.write("noise on standard error\\n")
        if mode == "busy":
            deadline = time.monotonic() + 0.3
            while time.monotonic() < deadline:
                pass
        fuse = Path(self.props["trace"])
        if mode == "crash" and fuse.exists() and fuse.read_text() == "lit":
            fuse.write_text("burnt")
            os.abort()
        if mode == "threads":
            thread = threading.Thread(target=print, args=("printed by a thread",))
            thread.start()
            thread.join()
        if mode == "talk":
            logging.getLogger("ticker.talk").debug("poll %d", self.number)
            os.system("echo printed by a child")
        time.sleep(0.01)
        self.number += 1
        task, offset = self.props["task"], {{"n": self.number}}
        value = GREETING + "-" + task + "-" + str(self.number)
        return [SourceRecord({{"task": task}}, offset, self.props["topic"], value)]

    def stop(self):
        self.stopped.set()
        Path(self.props["trace"]).write_text("stopped")
'''


class Stage:
    """Launches tickers."""

    def __init__(self, broker, launcher, fresh, directory):
        self.broker = broker
        self.topic = fresh("ticks")
        self.directory = directory
        self._launcher = launcher
        self._fresh = fresh
        self._offsets = fresh("offsets")
        self.jobs = []
        create_topic(broker.bootstrap_servers, self.topic)
        create_topic(broker.bootstrap_servers, self._offsets, config={"cleanup.policy": "compact"})

    def location(self, greeting="hello"):
        """A directory with a module `ticker` of its own."""
        path = self.directory / greeting
        path.mkdir(exist_ok=True)
        (path / "ticker.py").write_text(TICKER.format(greeting=greeting))
        return path

    def trace(self, task=0):
        """The file that a task writes when it is stopped."""
        return self.directory / f"trace-{task}"

    def wait_for_trace(self, task=0):
        """Until a task has written its file."""
        deadline = time.monotonic() + 120
        while not self.trace(task).exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def crash(self, task):
        """Let a task of the mode ``crash`` end its process, once."""
        self.trace(task).write_text("lit")

    def launch(self, *modes, greeting="hello"):
        """A job with one task for each mode, once all of them run or have failed."""
        path, name = self.location(greeting), self._fresh("job")
        specs = [self._spec(path, name, task, mode) for task, mode in enumerate(modes)]
        job = self._launcher.launch(name, specs, python_path=str(path))
        self.jobs.append(job)
        self.until(job, lambda tasks: all(t.state in {"RUNNING", "FAILED"} for t in tasks))
        return job

    def _spec(self, path, name, task, mode):
        config = {
            "task": str(task),
            "mode": mode,
            "topic": self.topic,
            "trace": str(self.trace(task)),
        }
        return TaskSpec(
            connector=name,
            task=task,
            kind="source",
            task_class=ClassReference("ticker", "Ticker"),
            version="1.0",
            location=str(path),
            config=config,
            bootstrap_servers=self.broker.bootstrap_servers,
            key_converter=CONVERTER,
            value_converter=CONVERTER,
            header_converter=CONVERTER,
            offsets_topic=self._offsets,
            flush_interval_s=0.2,
        )

    @staticmethod
    def until(job, condition, seconds=120.0):
        """Wait for the tasks."""
        assert job.wait_for(condition, seconds), job.statuses

    def values(self):
        """What has arrived in the topic."""
        return [m.value().decode() for m in read_topic(self.broker.bootstrap_servers, self.topic)]


def moves(task, beyond=0):
    """A condition: a task has sent more than that many records."""
    return lambda tasks: tasks[task].counters.get("records", 0) > beyond


def gone(pid, seconds=15.0):
    """Whether a process ends in time; a zombie has ended."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.1)
    return False
