"""A machine that loses power repeats, of a sink's records, at most what a setting allows.

All processes of a worker are killed at once while lines arrive, and a new worker takes over.
``DRILL_ROUNDS`` says how often in the drill (20 by default).
"""

from __future__ import annotations

import os
import re
import signal
import threading
from collections import Counter
from contextlib import closing, suppress

import pytest
from confluent_kafka import Producer
from tests.e2e.cluster import Cluster
from tests.e2e.drill import ROUNDS
from tests.e2e.workers import until

from plugwright.kafka import create_topic

LIMIT = 1000
TASKS = 2  # with a partition each
NEVER_MS = str(24 * 60 * 60 * 1000)
_LINE = re.compile(r"([01]):(\d{9})(?=\n)")  # of one length: a kill may cut the last one short
_BURST = 20


class Load:
    """A thousand numbered lines a second, at most, into each partition, until it is closed."""

    def __init__(self, servers, topic):
        self.sent = 0
        self._topic = topic
        self._producer = Producer({"bootstrap.servers": servers, "linger.ms": 5})
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self):
        while not self._closing.wait(0.02):
            for number in range(self.sent, self.sent + _BURST):
                for partition in range(TASKS):
                    value = f"{partition}:{number:09}"
                    self._producer.produce(self._topic, value, partition=partition)
            self.sent += _BURST
            self._producer.flush()

    def close(self):
        """Send no more; what was sent has arrived."""
        self._closing.set()
        self._thread.join()


class Crashes:
    """A file sink of two tasks that is never asked to commit because of its time.

    Args:
        limit: of records that are put and not committed.
    """

    def __init__(self, servers, name, directory, limit):
        settings = {"consumer.session.timeout.ms": "6000", "offset.flush.max.records": str(limit)}
        interval = {"offset.flush.interval.ms": NEVER_MS}
        self.cluster = Cluster(servers, name, **settings, **interval)
        self._out = directory / "out.txt"
        topic = f"{name}-lines"
        create_topic(servers, topic, partitions=TASKS)
        self._load = Load(servers, topic)
        self.cluster.grow(1)
        kind = {"connector.class": "FileStreamSink", "file": str(self._out), "topics": topic}
        self.cluster.create("out", {**kind, "tasks.max": str(TASKS)})
        self._wait_beyond({0: -1, 1: -1}, by=2 * LIMIT)

    def crash(self):
        """Kill all at once; how many lines of each partition come again because of it."""
        worker = self.cluster.workers[0]
        _kill_all(worker)
        before = self._lines()
        self.cluster.grow(1)
        self._wait_beyond({p: max(numbers) for p, numbers in before.items()}, by=2 * LIMIT)
        after = self._lines()
        return {p: _repeats(after[p]) - _repeats(before[p]) for p in before}

    def missing(self):
        """What never came out, once no more goes in."""
        self._load.close()
        wanted = set(range(self._load.sent))
        until(lambda: all(wanted <= set(found) for found in self._lines().values()))
        return [wanted - set(found) for found in self._lines().values() if wanted - set(found)]

    def close(self):
        """End load and worker."""
        self._load.close()
        self.cluster.close()

    def _lines(self):
        text = self._out.read_text() if self._out.exists() else ""
        found = {partition: [] for partition in range(TASKS)}
        for partition, number in _LINE.findall(text):
            found[int(partition)].append(int(number))
        return found

    def _wait_beyond(self, marks, by):
        def reached():
            lines = self._lines()
            return all(max(lines[p], default=-1) > mark + by for p, mark in marks.items())

        assert until(reached, 240, 0.5), self.cluster.workers[0].said[-6000:]


def _kill_all(worker):
    """As if the power failed: none may tell another of its end."""
    tasks = worker.task_hosts()
    pids = [*tasks, *(set(worker.processes()) - set(tasks))]
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
    worker.wait()


def _repeats(numbers):
    return sum(count - 1 for count in Counter(numbers).values())


@pytest.fixture
def crashes(broker, fresh, tmp_path, capsys):
    """So many rounds with a limit: the repeats of each round and partition, nothing missing."""

    def run(rounds, limit):
        with closing(Crashes(broker.bootstrap_servers, fresh("crash"), tmp_path, limit)) as each:
            repeats = [each.crash() for _ in range(rounds)]
            missing = each.missing()
        with capsys.disabled():
            print(f"\nlimit {limit}, repeats of each task: {repeats}")  # noqa: T201  # the result
        assert not missing
        return [count for found in repeats for count in found.values()]

    return run


@pytest.mark.drill
@pytest.mark.timeout(300 + 180 * ROUNDS)
def test_no_crash_of_many_repeats_more_than_the_limit(crashes):
    """Crash after crash; there are repeats, for each task had put what it had not committed."""
    repeats = crashes(ROUNDS, LIMIT)
    assert 0 < max(repeats) <= LIMIT


@pytest.mark.drill
@pytest.mark.timeout(900)
def test_a_crash_repeats_all_where_nothing_commits(crashes):
    """Without the limit the same crash repeats whatever was put, which the figures would show."""
    assert min(crashes(1, 0)) > LIMIT
