"""Two workers with five connectors, many faults at random, and what became of each record."""

from __future__ import annotations

import os
import random
import signal
import statistics
import time
from collections import Counter, defaultdict
from contextlib import suppress
from pathlib import Path

from tests.e2e.counting_plugin import Counting
from tests.e2e.drill import Feed, missing_and_twice
from tests.e2e.ledger_plugin import Ledger
from tests.e2e.resources import Resources
from tests.e2e.workers import until

from plugwright.kafka import create_topic, end_offsets

__all__ = ["FAULTS", "LongDrill"]

PLUGINS = Path(__file__).parents[2] / "plugin-path"
WORKERS = 2
STILL_S = 9.0  # sessions last 6 s in these clusters
AWAY_S = 35.0  # long enough for Kafka to elect another leader epoch, were there other brokers
RECOVERY_S = 300.0
QUIET_S = (3.0, 12.0)
_TASKS = {"numbers": 3, "lines": 1, "noted": 3, "out": 1, "once": 2}


class LongDrill:
    """Sources of numbers and of lines, resident sinks of them, a streamed one that knows batches.

    Args:
        cluster: where they run.
        broker: that can be killed and suspended.
        directory: for files.
        seed: of the faults and of the time between them.
        tell: prints a line.
    """

    def __init__(self, cluster, broker, directory, seed, tell):
        self.cluster, self.broker, self.tell = cluster, broker, tell
        self.random = random.Random(seed)  # noqa: S311  # reproducible, not secret
        self.counting, self.ledger = Counting(directory), Ledger(directory)
        paths = PLUGINS, self.counting.path, self.ledger.path
        cluster.settings["plugin.path"] = ",".join(map(str, paths))
        self.recoveries = defaultdict(list)
        self.goodbyes = []
        self.stuck = []
        self._out = directory / "out.txt"
        self._directory = directory
        self._revision = 0
        cluster.grow(WORKERS)
        self._create()
        self.before = Resources.of(cluster.workers)

    def _create(self):
        name = self.cluster.name
        self.topics = {kind: f"{name}-{kind}" for kind in ("numbers", "lines")}
        create_topic(self.cluster.servers, self.topics["numbers"], partitions=3)
        create_topic(self.cluster.servers, self.topics["lines"], partitions=2)
        self.feed = Feed(self._directory / "in.txt")
        everything = ",".join(self.topics.values())
        self.configs = {
            "numbers": {"connector.class": "CountSource", "topic": self.topics["numbers"]},
            "lines": {
                "connector.class": "FileStreamSource",
                "file": str(self.feed.path),
                "topic": self.topics["lines"],
                "batch.size": "200",
            },
            "noted": {
                "connector.class": "NoteSink",
                "directory": str(self.counting.directory),
                "topics": everything,
            },
            "out": {
                "connector.class": "FileStreamSink",
                "file": str(self._out),
                "topics": self.topics["lines"],
            },
            "once": {
                "connector.class": "LedgerSink",
                "directory": str(self.ledger.directory),
                "topics": self.topics["lines"],
                "spark.engine": "stream",
                "spark.engine.checkpoint.location": str(self._directory / "checkpoints"),
                "spark.engine.batch.interval.ms": "1000",
            },
        }
        for connector, config in self.configs.items():
            config["tasks.max"] = str(_TASKS[connector])
            self.cluster.create(connector, config)
        assert until(lambda: not self.amiss(), RECOVERY_S), self._words()
        assert until(lambda: all(self._sizes()), RECOVERY_S), self._sizes()

    def run(self, minutes):
        """Faults for so long, each kind as often as any other, and what comes of each."""
        end, kinds = time.monotonic() + 60 * minutes, []
        while time.monotonic() < end:
            kinds = kinds or self.random.sample(FAULTS, len(FAULTS))
            fault = kinds.pop()
            time.sleep(self.random.uniform(*QUIET_S))
            fault(self)
            self._recover(fault.__name__)

    def _recover(self, fault):
        """Wait until everything moves again and runs; note what needs an operator, and be one."""
        began, sizes = time.monotonic(), self._sizes()
        moved = until(
            lambda: all(n > b for n, b in zip(self._sizes(), sizes, strict=True)), RECOVERY_S
        )
        took = time.monotonic() - began
        runs = moved and until(lambda: not self.amiss(), RECOVERY_S)
        self.recoveries[fault].append(took)
        words = f"{took:.1f} s" if runs else f"STUCK {self._words()}"
        self.tell(f"{fault}: {words} (load {os.getloadavg()[0]:.1f})")
        if not runs:
            self.stuck.append((fault, self._words()))
            for connector in _TASKS:
                self._asked(f"/connectors/{connector}/restart?includeTasks=true", "POST")
            assert until(lambda: not self.amiss(), RECOVERY_S), self._words()

    def amiss(self):
        """The connectors that do not run with all of their tasks, and how they are."""
        found = {}
        for connector, tasks in _TASKS.items():
            with suppress(OSError):
                states = [part["state"] for part in self.cluster.parts(connector)]
                if states != ["RUNNING"] * (tasks + 1):
                    found[connector] = states
                continue
            found[connector] = ["no answer"]
        return found

    def _words(self):
        return {
            "amiss": self.amiss(),
            "sizes": self._sizes(),
            "traces": [
                p.get("trace", "")[:800] for c in self.amiss() for p in self.cluster.parts(c)
            ],
        }

    def _sizes(self):
        ends = [
            sum(end_offsets(self.cluster.servers, each).values()) for each in self.topics.values()
        ]
        written = self._out.stat().st_size if self._out.exists() else 0
        return *ends, self.counting.size, written, self.ledger.batches

    def _asked(self, path, method="GET", body=None):
        """Have a worker do something, however often the cluster asks to try again."""

        def done():
            with suppress(OSError):
                return self.random.choice(self.cluster.workers).call(path, method, body)[0] < 400
            return False

        assert until(done, RECOVERY_S), (method, path)

    def _worker(self):
        return self.random.choice(self.cluster.workers)

    def kill_task(self):
        """Kill -9 of the process of a task."""
        hosts = [pid for worker in self.cluster.workers for pid in worker.task_hosts()]
        with suppress(ProcessLookupError):
            os.kill(self.random.choice(hosts), signal.SIGKILL)

    def suspend_task(self):
        """A task stands still past its sessions, and goes on."""
        hosts = [pid for worker in self.cluster.workers for pid in worker.task_hosts()]
        _stand_still(self.random.choice(hosts))

    def kill_python(self):
        """Kill -9 of a daemon of Python workers, with every task that it forked."""
        worker = self._worker()
        hosts = worker.task_hosts()
        daemons = [
            p
            for p, what in worker.processes().items()
            if "plugwright.spark.daemon" in what and p not in hosts
        ]
        os.kill(self.random.choice(daemons), signal.SIGKILL)

    def kill_jvm(self):
        """Kill -9 of Spark; its worker ends, and is started again."""
        worker = self._worker()
        java = [pid for pid, what in worker.processes().items() if _is_java(what)]
        os.kill(java[0], signal.SIGKILL)
        assert until(lambda: not worker.runs, RECOVERY_S), worker.said[-2000:]
        self.cluster.grow(WORKERS)

    def kill_worker(self):
        """Kill -9 of a worker, which is started again."""
        self._worker().kill()
        self.cluster.grow(WORKERS)

    def end_worker(self):
        """SIGTERM of a worker, which is started again."""
        began = time.monotonic()
        self._worker().stop()
        self.goodbyes.append(time.monotonic() - began)
        self.tell(f"SIGTERM to gone: {self.goodbyes[-1]:.1f} s (load {os.getloadavg()[0]:.1f})")
        self.cluster.grow(WORKERS)

    def suspend_worker(self):
        """A worker stands still past its session, and goes on."""
        _stand_still(self._worker().pid)

    def kill_broker(self):
        """Kill -9 of the broker, which comes back."""
        self.broker.kill_and_return()

    def suspend_broker(self):
        """The broker stands still for long, and goes on."""
        self.broker.suspend()
        time.sleep(AWAY_S)
        self.broker.resume()

    def reconfigure(self):
        """A connector is given another configuration."""
        connector = self.random.choice(list(_TASKS))
        self._revision += 1
        config = {**self.configs[connector], "revision": str(self._revision)}
        self._asked(f"/connectors/{connector}/config", "PUT", config)

    def restart(self):
        """A connector is restarted with its tasks."""
        connector = self.random.choice(list(_TASKS))
        self._asked(f"/connectors/{connector}/restart?includeTasks=true", "POST")

    def pause_and_resume(self):
        """A connector holds still for a moment."""
        connector = self.random.choice(list(_TASKS))
        self._asked(f"/connectors/{connector}/pause", "PUT")
        time.sleep(self.random.uniform(*QUIET_S))
        self._asked(f"/connectors/{connector}/resume", "PUT")

    def third_worker(self):
        """Another worker comes, works for a while, and goes."""
        self.cluster.grow(WORKERS + 1)
        time.sleep(self.random.uniform(*QUIET_S))
        leaving = self.cluster.workers[-1]
        leaving.stop()
        self.cluster.grow(WORKERS)  # it is gone, so there are enough

    def account(self):
        """What became of each record; the tables are given.

        Raises:
            AssertionError: if one is missing, or is there twice where that must not be, or an
                operator was needed, or more is held than before.
        """
        self.feed.close()
        self._asked("/connectors/numbers/stop", "PUT")
        last = str(self.feed.count - 1)
        assert until(lambda: last in self.cluster.values(self.topics["lines"]), RECOVERY_S)
        numbers, lines = (self.cluster.values(self.topics[each]) for each in ("numbers", "lines"))
        expected = {*numbers, *lines}
        assert until(lambda: expected <= self.counting.noted().keys(), RECOVERY_S)
        assert until(lambda: last in self._out.read_text("utf-8").split("\n"), RECOVERY_S)
        assert until(lambda: last in {entry.value for entry in self.ledger.entries()}, RECOVERY_S)
        after = Resources.of(self.cluster.workers)
        verdict = self._ledger(numbers, lines)
        self._table()
        self.tell(f"before: {self.before}\nafter:  {after}")
        for place, found in verdict.items():
            self.tell(f"{place}: {found}")
        assert not self.stuck
        assert all(found["missing"] == 0 for found in verdict.values())
        assert all(verdict[place]["twice"] == 0 for place in ("numbers", "lines", "once"))
        assert after.own_processes <= self.before.own_processes + WORKERS
        assert after.scratch <= self.before.scratch
        assert after.descriptors <= 2 * self.before.descriptors
        assert after.threads <= 2 * self.before.threads

    def _ledger(self, numbers, lines):
        whole = [str(number) for number in range(self.feed.count)]
        counts = defaultdict(int)
        for value in numbers:
            task, number = value.split(":")
            counts[task] = max(counts[task], int(number) + 1)
        counted = [f"{task}:{number}" for task, count in counts.items() for number in range(count)]
        entries = self.ledger.entries()
        once = Counter({entry.value: 0 for entry in entries})
        for entry, times in entries.items():
            once[entry.value] += times
        return {
            "numbers": _verdict(Counter(numbers), counted),
            "lines": _verdict(Counter(lines), whole),
            "noted": _verdict(self.counting.noted(), [*counted, *whole]),
            "out": _verdict(Counter(self._out.read_text("utf-8").split("\n")[:-1]), whole),
            "once": _verdict(once, whole),
        }

    def _table(self):
        self.tell(f"{'fault':20} {'times':>5} {'median':>7} {'worst':>7}")
        rows = {**self.recoveries, "(SIGTERM to gone)": self.goodbyes or [0.0]}
        for fault, took in sorted(rows.items()):
            middle, worst = statistics.median(took), max(took)
            self.tell(f"{fault:20} {len(took):5} {middle:6.1f}s {worst:6.1f}s")


FAULTS = [
    LongDrill.kill_task,
    LongDrill.suspend_task,
    LongDrill.kill_python,
    LongDrill.kill_jvm,
    LongDrill.kill_worker,
    LongDrill.end_worker,
    LongDrill.suspend_worker,
    LongDrill.kill_broker,
    LongDrill.suspend_broker,
    LongDrill.reconfigure,
    LongDrill.restart,
    LongDrill.pause_and_resume,
    LongDrill.third_worker,
]


def _verdict(found, expected):
    return {"expected": len(expected), **missing_and_twice(found, expected)}


def _is_java(command):
    return command.partition(" ")[0].endswith("/java")


def _stand_still(pid):
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
        time.sleep(STILL_S)
        os.kill(pid, signal.SIGCONT)
