"""Processes that end without a report, and waiting that costs nothing in them."""

from __future__ import annotations

import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, repeat

import pytest

from plugwright_conformance.processes import cpu_share
from plugwright_conformance.processes.isolated_process import ChildError, EndedError, run_in_child
from plugwright_conformance.processes.virtual_time import VirtualTime

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),  # of a test process
]


def _no_answer(_):
    raise AssertionError


def test_isolated_process_returns_what_its_body_returns():
    """In a process of its own: what it changes stays there."""
    here = []

    def body(host):
        here.append(1)
        return host.ask(20) + 1

    assert run_in_child(body, lambda question: question + 1, 5) == 22
    assert here == []


def test_last_words_are_the_end():
    """Nothing that comes after is done, not even what ``finally`` asks for."""

    def body(host):
        try:
            host.end("crashed")
        finally:
            host.ask("too late")

    assert run_in_child(body, _no_answer, 5) == "crashed"


def test_isolated_process_that_hangs_is_ended():
    """And said to hang."""
    assert run_in_child(lambda _: time.sleep(60), _no_answer, 0.2) is None


def _calls(count):
    """The body of an isolated process: so many calls of a tenth of a second each."""

    def body(host):
        for _ in range(count):
            host.enter("poll")
            time.sleep(0.1)
        return "late"

    return body


def test_many_short_calls_are_no_hang():
    """Each is a sign of life."""
    assert run_in_child(_calls(20), _no_answer, 1) == "late"


def test_calls_without_end_are_a_hang():
    """Signs of life last only so long."""
    assert run_in_child(_calls(100), _no_answer, 0.3) is None


def _computes(seconds):
    """The body of an isolated process: a program that computes for so long, for which it waits."""
    program = f"import time\nwhile time.process_time() < {seconds}: pass"

    def body(_):
        subprocess.run([sys.executable, "-S", "-c", program], check=True)
        return "late"

    return body


def test_work_of_programs_is_no_hang():
    """Else a target that needs seconds to begin would hang."""
    assert run_in_child(_computes(1.0), _no_answer, 0.5) == "late"


def test_programs_that_work_without_end_are_a_hang():
    """Their work is left out only so long."""
    assert run_in_child(_computes(4.0), _no_answer, 0.1) is None


def test_isolated_process_that_gets_no_core_does_not_hang(monkeypatch):
    """Had it been given one, it would have had this time for its work."""
    monkeypatch.setattr(cpu_share, "waited_s", lambda _: time.monotonic())

    assert run_in_child(lambda _: time.sleep(0.5) or "late", _no_answer, 0.2) == "late"


def test_isolated_process_is_given_no_more_time_when_a_thread_ends(monkeypatch):
    """Its count is gone, which is no time that it has had."""
    counts = chain([0.0, 100.0], repeat(0.0))
    monkeypatch.setattr(cpu_share, "waited_s", lambda _: next(counts))

    assert run_in_child(lambda _: time.sleep(0.5) or "late", _no_answer, 0.2) == "late"


def test_error_in_an_isolated_process_is_not_taken_for_its_result():
    """It is the harness's own."""
    with pytest.raises(ChildError, match="ZeroDivisionError"):
        run_in_child(lambda _: 1 / 0, _no_answer, 5)


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (lambda: os._exit(3), "its process ended with status 3 in put()"),
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "its process was ended by SIGKILL in put()"),
        (lambda: os.fork() and os._exit(0), "its process ended with status 0 in put()"),
    ],
    ids=["exit", "signal", "leaves a copy"],
)
def test_end_of_an_isolated_process_is_reported_with_the_call_that_it_was_in(end, words):
    """At once, even where a copy of it holds the line."""

    def body(host):
        host.enter("put")
        end()
        time.sleep(2)

    with pytest.raises(EndedError, match=re.escape(words) + "$"):
        run_in_child(body, _no_answer, 60)


def test_end_of_an_isolated_process_between_calls_is_reported_without_one():
    """What was entered last is over."""

    def body(host):
        host.enter("a phase whose name is longer than there is room for it in the page")
        host.enter("")
        os._exit(0)

    with pytest.raises(EndedError, match=r"^its process ended with status 0$"):
        run_in_child(body, _no_answer, 60)


def test_waiting_costs_nothing_where_no_thread_could_end_it():
    """Neither sleeping nor waiting for an event, and the clocks know of it."""

    def body(host):
        virtual, passed = VirtualTime(), []
        virtual.passed = passed.append
        virtual.install()
        begun = time.monotonic()
        time.sleep(1000)
        woken = threading.Event().wait(500)
        return woken, passed, time.monotonic() - begun >= 1500

    assert run_in_child(body, _no_answer, 5) == (False, [1000, 500], True)


@pytest.mark.parametrize("others", [0, 1], ids=["alone", "with-a-thread"])
def test_what_is_due_happens_while_all_wait(others):
    """It ends the wait for it, and no other."""

    def body(_):
        virtual, never = VirtualTime(), threading.Event()
        virtual.install()
        for _ in range(others):
            threading.Thread(target=never.wait, daemon=True).start()
        done, due = Future(), [1]
        virtual.due = lambda: done.set_result(due.pop()) if due else None
        return done.result(), never.wait(50)

    assert run_in_child(body, _no_answer, 20) == (1, False)


def test_what_is_due_happens_beside_an_idle_pool():
    """Its threads wait in a call of C, which no clock can end."""

    def body(_):
        virtual = VirtualTime()
        virtual.install()
        with ThreadPoolExecutor(1) as pool:
            pool.submit(int).result()
            done, due = Future(), [1]
            virtual.due = lambda: done.set_result(due.pop()) if due else None
            while not done.done():
                time.sleep(0.05)
            return done.result()

    assert run_in_child(body, _no_answer, 20) == 1


def test_waiting_is_real_while_another_thread_lives():
    """It may end the wait."""

    def body(host):
        VirtualTime().install()
        event = threading.Event()
        threading.Timer(0.05, event.set).start()
        return event.wait(30)

    assert run_in_child(body, _no_answer, 5) is True


def test_waiting_for_another_process_is_real():
    """It does not hurry because the clocks here do."""

    def body(_):
        virtual = VirtualTime()
        virtual.install()
        begun = time.monotonic()
        subprocess.run(["sleep", "0.1"], timeout=30, check=True)  # noqa: S607  # a common tool
        return time.monotonic() - begun < 10

    assert run_in_child(body, _no_answer, 40) is True


def test_waiting_costs_nothing_where_all_threads_wait():
    """What is to happen first happens first, at its time."""

    def body(_):
        time = VirtualTime()
        time.install()
        event, heard, begun = threading.Event(), [], time.monotonic()

        def beat():
            now = lambda: round((time.monotonic() - begun) / 100)  # noqa: E731  # short
            heard.extend((event.wait(100), now()) for _ in range(3))
            time.sleep(50)
            event.set()

        other = threading.Thread(target=beat)
        other.start()
        woken = event.wait(1000)
        other.join()
        return woken, round((time.monotonic() - begun) / 50), heard

    found = run_in_child(body, _no_answer, 5)

    assert found == (True, 7, [(False, 1), (False, 2), (False, 3)])


def test_notified_thread_is_not_overtaken_by_time():
    """A process with work to do is not asleep, however late it gets a core."""

    def body(_):
        time = VirtualTime()
        time.install()
        jobs, done, begun = queue.Queue(), queue.Queue(), time.monotonic()

        def work():
            while (job := jobs.get()) is not None:
                done.put(job)

        worker = threading.Thread(target=work)
        worker.start()
        for job in range(500):
            jobs.put(job)
            done.get(timeout=60)
        jobs.put(None)
        worker.join()
        return time.monotonic() - begun < 60

    assert run_in_child(body, _no_answer, 5) is True


def test_wait_may_end_by_what_falls_due_as_time_passes():
    """Such as a pause that is over; the thread is awake then, not overdue."""

    def body(_):
        time = VirtualTime()
        time.install()
        event, stopping = threading.Event(), threading.Event()
        other = threading.Thread(target=stopping.wait)
        other.start()
        time.passed = lambda seconds: seconds > 90 and event.set()
        woken = event.wait(100)
        stopping.set()
        other.join()
        return woken

    assert run_in_child(body, _no_answer, 5) is True


def test_endless_wait_is_noticed_at_once():
    """No thread will ever wake the only one there is."""

    def body(host):
        virtual = VirtualTime()
        virtual.endless = lambda: host.end("hung")
        virtual.install()
        threading.Event().wait()

    assert run_in_child(body, _no_answer, 5) == "hung"
