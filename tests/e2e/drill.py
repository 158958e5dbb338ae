"""A pipeline under a steady load that lives through many faults, and a ledger of its lines."""

from __future__ import annotations

import itertools
import os
import signal
import statistics
import threading
import time
from collections import Counter

from tests.e2e.workers import until

from plugwright.kafka import create_topic, end_offsets

__all__ = ["ROUNDS", "Drill", "Faults", "Feed", "drill_settings", "missing_and_twice"]

ROUNDS = int(os.environ.get("DRILL_ROUNDS", "20"))
PAST_SESSION_S = 9.0  # sessions last 6 s in these clusters


def drill_settings(exactly_once):
    """Of the workers of a drill, with or without support for exactly-once sources."""
    return {
        "exactly.once.source.support": exactly_once,
        "consumer.isolation.level": "read_committed",
        "consumer.session.timeout.ms": "6000",
        "task.crash.restarts.max": "1000",
        "task.crash.backoff.ms": "0",
        "spark.master": "local[8]",
    }


class Feed:
    """A file that grows by some thousand numbered lines a second until it is closed."""

    def __init__(self, path):
        self.path = path
        self.count = 0
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._write, daemon=True)
        self._thread.start()

    def _write(self):
        with self.path.open("a", encoding="utf-8") as file:
            while not self._closing.wait(0.05):
                numbers = range(self.count, self.count + 100)
                file.write("".join(f"{number}\n" for number in numbers))
                file.flush()
                self.count += 100

    def close(self):
        """Write no more."""
        self._closing.set()
        self._thread.join()


class Faults:
    """Brings faults about on a cluster that runs a source ``in``.

    What runs there is the matter of subclasses. They have ``wait_for_progress``, which waits until
    all of it moves and returns how long that took.

    Args:
        cluster: where it runs.
        workers: how many there are.
    """

    def __init__(self, cluster, workers):
        self.cluster = cluster
        self.recoveries = []
        self._wanted = workers
        self._turn = itertools.count()

    def suffer(self, fault):
        """So many faults, each with its recovery.

        Args:
            fault: brings one about; takes this object.
        """
        for _ in range(ROUNDS):
            fault(self)
            self.recoveries.append(self.wait_for_progress())

    def recovery(self):
        """In how many rounds, and after how long, everything moved again."""
        return (
            f"{len(self.recoveries)} rounds, back after {max(self.recoveries):.1f} s at most, "
            f"{statistics.median(self.recoveries):.1f} s in the middle"
        )

    def task_hosts(self):
        """The processes that tasks run in, on all workers."""
        return [pid for worker in self.cluster.workers for pid in worker.task_hosts()]

    def kill_task(self):
        """Kill -9 of the process of a task, each in turn."""
        hosts = self.task_hosts()
        os.kill(hosts[next(self._turn) % len(hosts)], signal.SIGKILL)

    def kill_driver(self):
        """Kill -9 of the driver that runs the source; another one replaces it in the group."""
        self.cluster.owner("in").kill()
        self.cluster.grow(self._wanted)


class Drill(Faults):
    """A file source and a file sink on a cluster, under a steady load.

    Args:
        cluster: where they run.
        directory: for their files.
        workers: how many there are.
        ledger: of a second sink, which knows its batches, if there is to be one.
        sink: further settings of the sinks.
    """

    def __init__(self, cluster, directory, workers, *, ledger=None, **sink):
        super().__init__(cluster, workers)
        self.topic = f"{cluster.name}-lines"
        self.ledger = ledger
        self._out = directory / "out.txt"
        self._kinds = itertools.count()
        create_topic(cluster.servers, self.topic)
        cluster.grow(workers)
        self.feed = Feed(directory / "in.txt")
        cluster.source("in", self.feed.path, self.topic, **{"batch.size": "200"})
        cluster.create(
            "out",
            {
                "connector.class": "FileStreamSink",
                "file": str(self._out),
                "topics": self.topic,
                **sink,
            },
        )
        if ledger:
            kind = {"connector.class": "LedgerSink", "directory": str(ledger.directory)}
            cluster.create("once", {**kind, "topics": self.topic, **sink})
        for name in ("in", "out", "once")[: 3 if ledger else 2]:
            cluster.wait_for(name, "RUNNING")
        self.wait_for_progress()

    def wait_for_progress(self):
        """Wait until the topic grows and what the sinks have written; how long that took."""
        begun, size = time.monotonic(), self._sizes()
        assert until(lambda: all(n > b for n, b in zip(self._sizes(), size, strict=True)), 90), (
            [each.said[-4000:] for each in self.cluster.workers],
            self.cluster.parts("in"),
            self.cluster.parts("out"),
        )
        return time.monotonic() - begun

    def _sizes(self):
        written = self._out.stat().st_size if self._out.exists() else 0
        batches = [self.ledger.batches] if self.ledger else []
        return sum(end_offsets(self.cluster.servers, self.topic).values()), written, *batches

    def kill_what_runs(self):
        """Kill -9 of a process of Spark's, which in a streamed sink lives for one batch only."""

        def kill():
            hosts = self.task_hosts()
            try:
                os.kill(hosts[next(self._turn) % len(hosts)], signal.SIGKILL)
            except (ProcessLookupError, ZeroDivisionError):
                return False  # it has ended meanwhile
            return True

        assert until(kill, pause=0.01)

    def kill_in_batch(self):
        """Kill -9 of a process that has begun a batch of the sink that knows them."""

        def kill():
            at_work = set(self.ledger.at_work()).intersection(self.task_hosts())
            try:
                os.kill(at_work.pop(), signal.SIGKILL)
            except (KeyError, ProcessLookupError):
                return False  # none has begun, or it has ended meanwhile
            return True

        assert until(kill, pause=0.002)

    def kill_each_in_turn(self):
        """Now a process in the middle of a batch, now one that runs anything."""
        (self.kill_in_batch if next(self._kinds) % 2 else self.kill_what_runs)()

    def kill_driver_of_sinks(self):
        """Kill -9 of a driver that runs a sink, of one and the other in turn."""
        self.cluster.owner(("once", "out")[next(self._turn) % 2]).kill()
        self.cluster.grow(self._wanted)

    def stop_task(self):
        """A task stands still past the session of its consumer, then goes on."""
        hosts = self.task_hosts()
        _stand_still([hosts[next(self._turn) % len(hosts)]])

    def stop_driver(self):
        """A driver stands still past its session, and its tasks do not; then it goes on."""
        _stand_still([self.cluster.owner("in").pid])

    def run(self, fault):
        """Faults, each with its recovery; then the rest of the lines has to arrive.

        Args:
            fault: brings one about; takes this drill.
        """
        self.suffer(fault)
        self.feed.close()
        last = str(self.feed.count - 1)
        assert until(lambda: last in self.cluster.values(self.topic), 120)
        assert until(lambda: last in self.written(), 120)
        assert until(lambda: last in self.recorded(), 120)

    def written(self):
        """The lines that the sink has written."""
        return self._out.read_text(encoding="utf-8").split("\n")[:-1]

    def recorded(self):
        """The lines in the ledger, as often as records of them are there; without one, all."""
        if self.ledger is None:
            return self.written()
        return [entry.value for entry, n in self.ledger.entries().items() for _ in range(n)]

    def account(self, report):
        """What became of each line in topic and file, printed; exactly-once or not is promised.

        Raises:
            AssertionError: if a line is missing anywhere, or comes twice in the topic in spite of
                the promise. The sink promises at least once in either case.
        """
        support = self.cluster.settings["exactly.once.source.support"]
        topic = self._ledger(self.cluster.values(self.topic))
        file = self._ledger(self.written())
        report(
            f"exactly once {support}: {self.feed.count} lines, topic {topic}, file {file}, "
            f"{self.recovery()}"
        )
        assert topic["missing"] == file["missing"] == 0
        assert topic["twice"] == 0 or support == "disabled"
        if self.ledger is not None:
            self._account_once(report)

    def _account_once(self, report):
        """A record of the topic is in the ledger once, however often it was given."""
        entries = self.ledger.entries()
        found = self._ledger([entry.value for entry in entries])
        total = sum(end_offsets(self.cluster.servers, self.topic).values())
        twice = sum(n > 1 for n in entries.values())
        again = len(self.ledger.of("again"))
        report(
            f"ledger: {len(entries)} of {total} records, lines missing {found['missing']}, "
            f"records twice {twice}, "
            f"in {self.ledger.batches} batches, {again} of them given again when they were there"
        )
        assert (found["missing"], twice) == (0, 0)

    def _ledger(self, lines):
        return missing_and_twice(lines, map(str, range(self.feed.count)))


def missing_and_twice(found, expected):
    """How many are missing of those expected, and how many came more than once."""
    counted = Counter(found)
    missing = sum(each not in counted for each in expected)
    return {"missing": missing, "twice": sum(n > 1 for n in counted.values())}


def _stand_still(pids):
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    time.sleep(PAST_SESSION_S)
    for pid in pids:
        os.kill(pid, signal.SIGCONT)
