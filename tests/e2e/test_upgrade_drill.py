"""A group whose workers are replaced one by one by those of another version goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections import Counter
from contextlib import closing, contextmanager
from functools import partial

import pytest
from tests.e2e.cluster import Cluster
from tests.e2e.former_code import former_code, former_commit
from tests.e2e.workers import until

from plugwright.kafka import create_topic

pytestmark = [pytest.mark.drill, pytest.mark.timeout(1800)]

_STOP_S = 300.0
_SINK = "org.apache.kafka.connect.file.FileStreamSinkConnector"


@pytest.fixture(params=[1, 5], ids=["a day ago", "five days ago"])
def former(request, tmp_path):
    """The code of a former commit."""
    commit = former_commit(request.param)
    if commit is None:
        pytest.skip(f"the history does not reach {request.param} days back")
    return former_code(commit, tmp_path)


class Pair:
    """A source and a sink of the same topic: what goes in must come out once."""

    def __init__(self, cluster, directory, number):
        self.source, self.sink = f"in-{number}", f"out-{number}"
        self.topic = f"{cluster.name}-{number}"
        self.path, self.copy = directory / f"in-{number}.txt", directory / f"out-{number}.txt"
        self.path.touch()
        self.written = 0
        create_topic(cluster.servers, self.topic)
        cluster.source(self.source, self.path, self.topic)
        named = {"connector.class": _SINK, "file": str(self.copy), "topics": self.topic}
        cluster.create(self.sink, named)

    def write(self, count):
        """Append lines."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write("".join(f"line {self.written + n}\n" for n in range(count)))
        self.written += count

    def arrived(self):
        """How often each line has come out."""
        lines = self.copy.read_text("utf-8").splitlines() if self.copy.exists() else []
        return Counter(lines)

    def has_more_than(self, count):
        """Whether more lines have come out."""
        return self.arrived().total() > count

    def is_exact(self):
        """Whether each has come out once."""
        return self.arrived() == Counter(f"line {n}" for n in range(self.written))


@contextmanager
def _load(pairs):
    """Lines are written all the time."""
    over = threading.Event()

    def write():
        while not over.wait(0.2):
            for pair in pairs:
                pair.write(20)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _end(worker):
    """Stop a worker in order, however long it takes to hand everything over."""
    os.kill(worker.pid, signal.SIGTERM)
    assert worker.wait(_STOP_S) == 0


def _replace_one_by_one(cluster, code, pairs):
    """Every worker makes room for one of this code; the longest that a pair stood still."""
    longest = 0.0
    for worker in list(cluster.workers):
        before = {pair: pair.arrived().total() for pair in pairs}
        begun = time.monotonic()
        _end(worker)
        cluster.grow(len(cluster.workers), code)
        for pair in pairs:
            for name in (pair.source, pair.sink):
                cluster.wait_for(name, "RUNNING")
            assert until(partial(pair.has_more_than, before[pair])), pair.sink
        longest = max(longest, time.monotonic() - begun)
    return longest


def _works(cluster, pairs, directory):
    """Requests are served by each worker, and what one has changed the others know."""
    for number in range(len(cluster.workers)):
        pair = pairs[number]
        for call in ("pause", "resume"):
            answers = []

            def accepted(call=call, pair=pair, worker=cluster.workers[number], answers=answers):
                answers.append(worker.call(f"/connectors/{pair.sink}/{call}", "PUT")[0])
                return answers[-1] == 202

            assert until(accepted), answers
            state = {"pause": "PAUSED", "resume": "RUNNING"}[call]
            for other in range(len(cluster.workers)):
                cluster.wait_for(pair.sink, state, worker=other)
    pairs.append(Pair(cluster, directory, len(pairs)))
    known = [sorted(worker.call("/connectors")[1]) for worker in cluster.workers]
    assert all(each == known[0] for each in known)


def test_a_group_is_upgraded_and_taken_back_under_load(broker, former, fresh, tmp_path, capsys):
    """Sources and sinks go on and nothing is lost or repeated; a mixed group serves requests."""
    cluster = Cluster(broker.bootstrap_servers, fresh("upgrade"))
    with closing(cluster):
        cluster.grow(2, former)
        pairs = [Pair(cluster, tmp_path, number) for number in range(4)]
        with _load(pairs):
            _end(cluster.workers[0])
            cluster.grow(2)
            _works(cluster, pairs, tmp_path)  # one of each version
            upgraded = _replace_one_by_one(cluster, None, pairs)
            _works(cluster, pairs, tmp_path)
            taken_back = _replace_one_by_one(cluster, former, pairs)
        for pair in pairs:
            assert until(pair.is_exact), (pair.written, pair.arrived().total(), pair.source)
    with capsys.disabled():
        lines = sum(pair.written for pair in pairs)
        print(  # noqa: T201  # the result
            f"\n{lines} lines once each; a worker was replaced within {upgraded:.1f} s, "
            f"taken back within {taken_back:.1f} s"
        )


def test_the_former_code_is_what_runs(former):
    """Also in processes that Spark starts."""
    query = "import plugwright; print(plugwright.__file__)"
    done = subprocess.run([former.python, "-c", query], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(str(former.plugin_path.parent))
