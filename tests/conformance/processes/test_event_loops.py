"""Event loops in virtual time: their pauses cost nothing, and answers are awaited."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from plugwright_conformance.processes.isolated_process import run_in_child
from plugwright_conformance.processes.virtual_time import VirtualTime

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),  # of a test process
]

_SLOW_SERVER = """
import socket, sys, time
connection, _ = socket.socket(fileno=int(sys.argv[1])).accept()
time.sleep(0.3)
connection.sendall(b"answer\\n")
"""


def _no_answer(_):
    raise AssertionError


def _loop_of_its_own():
    """An event loop that runs in a thread, as sinks have it that send many requests at a time."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    return loop


async def _after(seconds, answer):
    await asyncio.sleep(seconds)
    return answer


def test_pause_of_a_loop_in_a_thread_ends_at_once():
    """All threads wait, so the end of the first wait may come now; the clocks know of it."""

    def body(_):
        VirtualTime().install()
        loop, begun = _loop_of_its_own(), time.monotonic()
        answer = asyncio.run_coroutine_threadsafe(_after(1000, "done"), loop).result()
        return answer, time.monotonic() - begun >= 1000

    assert run_in_child(body, _no_answer, 5) == ("done", True)


def test_pause_of_a_loop_in_the_only_thread_ends_at_once():
    """Nobody else could wake it."""

    def body(_):
        VirtualTime().install()
        begun = time.monotonic()
        return asyncio.run(_after(1000, "done")), time.monotonic() - begun >= 1000

    assert run_in_child(body, _no_answer, 5) == ("done", True)


def test_nothing_is_left_of_a_look_at_what_a_loop_waits_for():
    """Pipes are no sockets, and sockets stay open; none is opened a second time."""

    def body(_):
        VirtualTime().install()
        before = len(list(Path("/proc/self/fd").iterdir()))
        loop = asyncio.new_event_loop()
        reading, writing = os.pipe()
        loop.add_reader(reading, loop.stop)
        loop.call_later(0.01, os.write, writing, b"x")
        loop.run_forever()
        loop.close()
        os.close(reading)
        os.close(writing)
        return len(list(Path("/proc/self/fd").iterdir())) - before

    assert run_in_child(body, _no_answer, 5) == 0


def test_loop_that_was_just_woken_counts_as_busy():
    """Else the time limit of whoever has woken it would be over before it has begun to work."""

    def body(_):
        VirtualTime().install()
        loop = _loop_of_its_own()
        for number in range(300):
            done = asyncio.run_coroutine_threadsafe(_after(0, number), loop)
            assert done.result(timeout=0.5) == number
        return "in time"

    assert run_in_child(body, _no_answer, 20) == "in time"


def test_answer_of_an_endpoint_is_awaited():
    """It comes in real time, so no time limit may end in virtual time before."""

    def body(_):
        with socket.create_server(("127.0.0.1", 0)) as server:
            VirtualTime().install()
            program = [sys.executable, "-c", _SLOW_SERVER, str(server.fileno())]
            with subprocess.Popen(program, pass_fds=[server.fileno()]):
                asked = _asked(server.getsockname())
                return asyncio.run_coroutine_threadsafe(asked, _loop_of_its_own()).result()

    assert run_in_child(body, _no_answer, 20) == b"answer\n"


async def _asked(address):
    reader, writer = await asyncio.open_connection(*address)
    try:
        return await asyncio.wait_for(reader.readline(), 600)
    finally:
        writer.close()
