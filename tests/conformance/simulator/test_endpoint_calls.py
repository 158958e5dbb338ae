"""How calls of a plugin to the outside are seen, and made to fail."""

from __future__ import annotations

import io
import os
import socket
import threading

import pytest

from plugwright_conformance.simulator import EndpointFault, FaultKind, VirtualClock
from plugwright_conformance.simulator.calls import EndpointCalls


@pytest.fixture
def seen():
    """Names of the calls, as they are made and answered."""
    return []


@pytest.fixture
def calls(seen):
    """Watches, and makes nothing fail."""
    return EndpointCalls(
        lambda name, may_fail: seen.append((name, "before", may_fail)),
        lambda name, may_fail: seen.append((name, "after", may_fail)),
    )


def test_calls_that_reach_the_outside_are_seen_in_order(calls, seen, tmp_path):
    """Each before and after it is made; closing may not be made to fail."""
    with calls.watched(), (tmp_path / "a").open("wb", buffering=0) as file:
        file.write(b"a")
    assert [(name, when) for name, when, _ in seen] == [
        ("io.open", "before"),
        ("io.open", "after"),
        ("file.write", "before"),
        ("file.write", "after"),
        ("file.__exit__", "before"),
        ("file.__exit__", "after"),
    ]
    assert [may_fail for *_, may_fail in seen[::2]] == [True, True, False]


def test_what_stays_inside_is_not_seen(calls, seen):
    """Buffers in memory, standard output, and whatever comes after."""
    with calls.watched():
        io.BytesIO().write(b"a")
        print("a")  # noqa: T201  # what plugins do
    os.stat("/")  # noqa: PTH116  # a call
    assert seen == []


def test_what_wakes_an_event_loop_is_not_seen(calls, seen):
    """No endpoint is at the other end of such a pair, so none can make it fail."""
    ours, theirs = socket.socketpair()
    with ours, theirs, calls.watched():
        ours.send(b"a")
        theirs.recv(1)
    assert seen == []


def test_server_behind_a_path_is_seen(calls, seen, tmp_path):
    """A connection to a local server fails as any other does."""
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind(str(tmp_path / "a"))
        server.listen()
        with calls.watched():
            client.connect(str(tmp_path / "a"))
            client.send(b"a")
    assert [name for name, when, _ in seen if when == "after"] == ["socket.connect", "socket.send"]


def test_threads_started_afterwards_are_not_watched(calls, seen):
    """Only the task's own: the interpreter would hand the hook on to every later thread."""
    with calls.watched():
        pass
    thread = threading.Thread(target=os.stat, args=("/",))
    thread.start()
    thread.join()
    assert (seen, threading.getprofile()) == ([], None)


def test_fault_takes_the_place_of_a_call_again_and_again(tmp_path):
    """The hook is back after every exception, so that an outage lasts."""
    descriptor = os.open(tmp_path / "a", os.O_CREAT | os.O_WRONLY)
    made = []

    def fail(name, _):
        made.append(name)
        if len(made) < 4:
            raise OSError("away")

    with EndpointCalls(fail, lambda *_: None).watched():
        written = [_attempt(descriptor) for _ in range(4)]
    os.close(descriptor)
    assert (written, (tmp_path / "a").read_bytes()) == (["away", "away", "away", 1], b"x")


def test_fault_takes_the_place_of_an_answer(tmp_path):
    """The write has happened, its caller receives a failure."""
    descriptor = os.open(tmp_path / "a", os.O_CREAT | os.O_WRONLY)

    def lose(name, _):
        raise OSError("reset")

    with EndpointCalls(lambda *_: None, lose).watched():
        answer = _attempt(descriptor)
    os.close(descriptor)
    assert (answer, (tmp_path / "a").read_bytes()) == ("reset", b"x")


@pytest.mark.parametrize(
    ("kind", "struck"),
    [
        (FaultKind.TRANSIENT, [2]),
        (FaultKind.PARTIAL, [3]),
        (FaultKind.EXPIRED, [2, 3, 4, 5, 6]),
        (FaultKind.THROTTLED, [2, 3, 4]),
        (FaultKind.OUTAGE, [2, 3, 4, 5, 6]),
        (FaultKind.SLOW, []),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_fault_strikes_the_calls_it_is_about(kind, struck):
    """Numbers of the calls that fail, of seven."""
    fault, clock = EndpointFault(kind, 2), VirtualClock()
    failed = []
    for number in range(7):
        try:
            fault.before(number, "os.write", clock, clock())
        except OSError:
            failed.append(number)
    assert failed == struck


def _attempt(descriptor):
    try:
        return os.write(descriptor, b"x")
    except OSError as error:
        return str(error)
