"""The stack of a thread that does not return, whatever is collected meanwhile."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading

from plugwright.thread_stack import thread_stack

ASKS = """
import gc, os, sys, threading, time
from plugwright.thread_stack import thread_stack

look = sys._current_frames


class Cycle:
    pass


def look_among_garbage():
    collects = gc.isenabled()
    gc.disable()
    for _ in range(20):
        cycle = Cycle()
        cycle.local, cycle.itself = threading.local(), cycle
        cycle.local.value = 1
    spare = [{} for _ in range(5)]
    del spare  # the answer's dictionary is one of them, so that the first object made is a frame
    if collects:
        gc.enable()
    return look()


def ask(depth):
    return ask(depth - 1) if depth else thread_stack(threading.get_ident())


sys._current_frames = look_among_garbage
threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
gc.set_threshold(1, 1, 1)
print(all("in ask" in ask(number % 30) for number in range(200)), flush=True)
os._exit(0)
"""


def test_calls_are_shown_with_the_last_one_last():
    """Of a thread that waits."""
    waits, ends = threading.Event(), threading.Event()

    def outer():
        inner()

    def inner():
        waits.set()
        ends.wait()

    thread = threading.Thread(target=outer)
    thread.start()
    waits.wait()
    shown = thread_stack(thread.ident)
    ends.set()
    thread.join()

    assert 0 < shown.index("in outer") < shown.index("in inner") < shown.index("in wait")
    assert thread_stack(thread.ident) == ""
    assert thread_stack(None) == ""


def test_collection_is_as_it_was():
    """Also where a program has switched it off."""
    gc.disable()
    try:
        thread_stack(threading.get_ident())
        assert not gc.isenabled()
    finally:
        gc.enable()
    thread_stack(threading.get_ident())
    assert gc.isenabled()


def test_garbage_with_locals_of_threads_stops_no_thread():
    """Its collection in the middle hung the process (python/cpython#106883)."""
    done = subprocess.run(
        [sys.executable, "-c", ASKS], capture_output=True, text=True, timeout=240, check=False
    )

    assert (done.stdout, done.returncode) == ("True\n", 0), done.stderr
