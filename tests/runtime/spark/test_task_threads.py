"""What tasks on threads of one process share, and what they do not."""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

from tests.runtime.spark.hosts import task_spec

from plugwright.spark import task_threads as module
from plugwright.spark.messages import Assignment
from plugwright.spark.task_threads import Phases, TaskThreads
from plugwright.spark.thread_context import TaskRouting, inherited_context, task_log
from plugwright.spark.thread_shares import ThreadShares


class Kept(logging.Handler):
    """Keeps messages."""

    def __init__(self):
        super().__init__()
        self.messages = []

    def emit(self, record):
        """Keep one."""
        self.messages.append(record.getMessage())


def test_the_newest_call_in_progress_is_recorded():
    """Of whichever task; when it returns, the one that was newest before."""
    seen = []
    phases = Phases(seen.append)
    with phases.of("a-0") as first, phases.of("b-1") as second:
        first("poll")
        second("put")
        second("")
        first("")
        second("flush")

    assert seen[:5] == ["poll of a-0", "put of b-1", "poll of a-0", "", "flush of b-1"]
    assert seen[-1] == ""


def test_a_record_goes_to_the_task_whose_thread_logs_it():
    """Or that has started the thread, directly or through a pool; the rest is the process's."""
    other, first, second = Kept(), Kept(), Kept()
    logger = logging.getLogger("plugwright.tests.shared")
    logger.propagate = False
    logger.addHandler(TaskRouting(other))

    def task(handler, name):
        with task_log(handler):
            logger.warning("%s itself", name)
            thread = threading.Thread(target=logger.warning, args=("%s's thread", name))
            thread.start()
            thread.join()
            with ThreadPoolExecutor(1) as pool:
                pool.submit(logger.warning, "%s's pool", name).result()
        logger.warning("after %s", name)

    with inherited_context():
        threads = [
            threading.Thread(target=task, args=each) for each in ((first, "a"), (second, "b"))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert first.messages == ["a itself", "a's thread", "a's pool"]
    assert second.messages == ["b itself", "b's thread", "b's pool"]
    assert sorted(other.messages) == ["after a", "after b"]


def test_threads_do_not_inherit_afterwards():
    """The class is as it was."""
    start = threading.Thread.start
    with inherited_context():
        assert threading.Thread.start is not start
    assert threading.Thread.start is start


def test_shares_are_those_since_the_last_look():
    """Threads that came or went meanwhile have none."""
    now, used = [0.0], {"a": 1.0, "b": 5.0, "gone": None}
    shares = ThreadShares(lambda: now[0], used.get)
    assert shares.take(["a", "gone"]) == {}

    now[0], used["a"] = 10.0, 3.5
    assert shares.take(["a", "b", "gone"]) == {"a": 0.25}
    now[0] = 20.0
    assert shares.take(["a", "b"]) == {"a": 0.0, "b": 0.0}


def test_the_time_of_a_thread_is_that_of_the_kernel():
    """A thread that computes has used some; one that has ended none that is known."""
    begin, done, go = threading.Event(), threading.Event(), threading.Event()

    def compute():
        begin.wait()
        sum(range(3_000_000))
        done.set()
        go.wait()

    thread = threading.Thread(target=compute)
    thread.start()
    shares = ThreadShares()
    shares.take([thread])
    begin.set()
    done.wait()
    (share,) = shares.take([thread]).values()
    go.set()
    thread.join()

    assert share > 0
    while Path(f"/proc/self/task/{thread.native_id}").exists():
        time.sleep(0.001)  # the kernel removes it a moment after it has been joined
    assert shares.take([thread]) == {}


def test_the_limit_of_memory_grows_with_the_tasks(monkeypatch):
    """Each has what it would have in a process of its own."""
    limits = []
    monkeypatch.setattr(module, "limit_memory", limits.append)
    line = SimpleNamespace(send=lambda _: None)
    process = TaskThreads(line, lambda _: None, lambda _: line)
    spec = replace(task_spec(), memory_limit=1000)

    for number in range(2):
        process._threads[threading.Thread()] = number
        with process.running(line, Assignment({}, ()), spec):
            pass

    assert limits == [1000, 2000]
