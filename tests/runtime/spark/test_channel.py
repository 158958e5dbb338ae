"""The control channel: who may talk, and that strangers hold up nobody."""

from __future__ import annotations

import os
import queue
import socket
import struct
import threading
import time

import pytest

from plugwright.spark._channel import Channel, ChannelClosedError, ChannelServer, connect

SECRET = b"s" * 32


class Driver:
    """Echoes what its callers send, and remembers who came."""

    def __init__(self):
        self.channels = queue.Queue()
        self.server = ChannelServer(SECRET, self._serve)

    def _serve(self, channel):
        self.channels.put(channel)
        while True:
            frame = channel.receive()
            channel.send("echo", of=frame)


@pytest.fixture
def driver():
    """A listening driver."""
    driver = Driver()
    yield driver
    driver.server.close()


def test_frames_go_both_ways(driver):
    """As JSON objects with a type."""
    channel = connect(driver.server.address, SECRET)
    channel.send("hello", task=3, name="größe")
    answer = channel.receive()
    channel.close()
    assert answer == {"type": "echo", "of": {"type": "hello", "task": 3, "name": "größe"}}


def test_neither_side_keeps_a_frame_back(driver):
    """It would wait for the acknowledgement of the one before: 40 ms of every batch of a stream."""
    ours = connect(driver.server.address, SECRET)
    theirs = driver.channels.get(timeout=5)
    lines = [socket.socket(fileno=os.dup(each._connection.fileno())) for each in (ours, theirs)]

    delays = [line.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) for line in lines]
    for each in (*lines, ours):
        each.close()

    assert all(delays)


def test_a_wrong_secret_is_refused(driver):
    """Nothing is served."""
    with pytest.raises(ChannelClosedError):
        connect(driver.server.address, b"x" * 32)
    assert driver.channels.empty()


@pytest.mark.slow
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GET / HTTP/1.1\r\n\r\n",
        struct.pack("!i", 5) + b"hello",
        struct.pack("!i", 20) + b"#CHALLENGE#" + b"x" * 9,
        struct.pack("!i", -1) + struct.pack("!Q", 1 << 62),
        b"\xff" * 100,
    ],
    ids=["nothing", "http", "frame", "challenge", "huge", "noise"],
)
def test_garbage_is_refused_and_harms_nobody(driver, data):
    """The next caller is served."""
    with socket.create_connection(driver.server.address) as stranger:
        stranger.sendall(data)
    channel = connect(driver.server.address, SECRET)
    channel.send("hello")
    assert channel.receive()["type"] == "echo"
    channel.close()


def test_a_silent_caller_holds_up_nobody(driver):
    """The handshake is on a thread of its own."""
    with socket.create_connection(driver.server.address):
        began = time.monotonic()
        connect(driver.server.address, SECRET).close()
        assert time.monotonic() - began < 5


@pytest.mark.slow
@pytest.mark.parametrize("frame", [b"no json", b"[1]", b"5", b"{}", b"\xff"], ids=repr)
def test_nonsense_from_a_caller_ends_its_channel(driver, frame):
    """Nothing that arrives is executed, and nothing is guessed."""
    channel = connect(driver.server.address, SECRET)
    channel._connection.send_bytes(frame)
    with pytest.raises(ChannelClosedError):
        channel.receive()


def test_hanging_up_is_noticed_by_the_other_side(driver):
    """On either end, at once."""
    channel = connect(driver.server.address, SECRET)
    driver.channels.get(timeout=5).close()
    with pytest.raises(ChannelClosedError):
        channel.receive()


def test_sending_after_hanging_up_says_so(driver):
    """And closing twice does no harm."""
    channel = connect(driver.server.address, SECRET)
    channel.close()
    channel.close()
    with pytest.raises(ChannelClosedError):
        channel.send("hello")


def test_nobody_answers_after_the_server_has_closed(driver):
    """Closing twice does no harm either."""
    address = driver.server.address
    driver.server.close()
    driver.server.close()
    with pytest.raises(ChannelClosedError):
        connect(address, SECRET)


@pytest.mark.slow
def test_a_caller_that_cannot_be_accepted_does_not_end_the_server(driver, monkeypatch):
    """The process may be out of descriptors for a moment."""
    real, failures = driver.server._listener.accept, []

    def accept():
        connection = real()
        if failures:
            connection.close()
            raise failures.pop()
        return connection

    monkeypatch.setattr(driver.server._listener, "accept", accept)
    for _ in range(2):  # the second call is answered by the function above in any case
        connect(driver.server.address, SECRET).close()
    failures.append(OSError(24, "Too many open files"))
    with pytest.raises(ChannelClosedError):
        connect(driver.server.address, SECRET)
    connect(driver.server.address, SECRET).close()


def test_two_threads_that_hang_up_close_the_line_once():
    """The number of a descriptor that was closed already may be somebody else's by then."""
    closed = []

    class Line:
        """A connection that takes a moment to close."""

        closed = False

        def fileno(self):
            """None that could be shut down."""
            return -1

        def close(self):
            """Note it."""
            closed.append(self)
            time.sleep(0.02)
            self.closed = True

    channel = Channel(Line())
    closers = [threading.Thread(target=channel.close) for _ in range(2)]
    for closer in closers:
        closer.start()
    for closer in closers:
        closer.join()

    assert len(closed) == 1
