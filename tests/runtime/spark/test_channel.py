"""The control channel: which processes may send, and that silent callers block no other."""

from __future__ import annotations

import contextlib
import pickle
import queue
import socket
import struct
import threading
import time

import pytest

from plugwright.spark.channel import Channel, ChannelClosedError, ChannelServer, connect
from plugwright.spark.encrypted import EncryptedLine, with_new_key
from plugwright.spark.messages import Assignment, Hello, Pause, SetLevel, to_frame
from plugwright.spark.pending_callers import PendingCallers
from plugwright.spark.tickets import Tickets, shown
from plugwright.wire import packed_head

JOB = "job"


class Driver:
    """Echoes what its callers send, and remembers who came."""

    def __init__(self, **more):
        self.channels = queue.Queue()
        self.tickets = Tickets()
        self.key = self.tickets.issue(JOB)
        self.runs = iter(range(1000))
        self.server = ChannelServer(self.tickets.admits, self._serve, **more)

    def _serve(self, channel, hello):
        self.channels.put(channel)
        while True:
            channel.send(channel.receive())

    def hello(self, task=0, attempt=0, run=None):
        """What a task says first."""
        who = {"job": JOB, "task": task, "attempt": attempt, "run": run or next(self.runs)}
        return Hello(**who, ticket=shown(self.key, **who), pid=1)

    def call(self, hello=None):
        """A task host that has said hello."""
        channel = connect(self.server.address, self.server.certificate)
        channel.send(hello or self.hello())
        return channel

    def serves(self, channel):
        """Whether a caller is answered."""
        try:
            channel.send(Pause())
            return channel.receive() == Pause()
        except ChannelClosedError:
            return False
        finally:
            channel.close()


@pytest.fixture
def driver():
    """A listening driver."""
    driver = Driver()
    yield driver
    driver.server.close()


def test_frames_go_both_ways(driver):
    """Of any size."""
    channel = driver.call()
    long = SetLevel("größe" * 100_000, 3)
    channel.send(long)
    answer = channel.receive()
    channel.close()
    assert answer == long


def test_both_sides_may_send_and_wait_at_the_same_time(driver):
    """A task reports while it waits for commands."""
    channel = driver.call()
    content = "x" * 300_000
    sender = threading.Thread(
        target=lambda: [channel.send(SetLevel(content, n)) for n in range(30)]
    )
    sender.start()
    numbers = [channel.receive().level for _ in range(30)]
    sender.join()
    channel.close()
    assert numbers == list(range(30))


def test_neither_side_keeps_a_frame_back(driver):
    """It would wait for the acknowledgement of the one before: 40 ms of every batch of a stream."""
    ours = driver.call()
    theirs = driver.channels.get(timeout=60)
    lines = [each._line._line for each in (ours, theirs)]

    delays = [line.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) for line in lines]
    ours.close()

    assert all(delays)


def test_what_goes_over_the_line_cannot_be_read_on_its_way(driver):
    """It is a task's configuration, with passwords."""
    heard = bytearray()
    with _relay(driver.server.address, heard) as address:
        channel = connect(address, driver.server.certificate)
        channel.send(driver.hello())
        channel.send(Assignment({"password": "open-sesame" * 50}, []))
        answer = channel.receive()
        channel.close()

    assert "open-sesame" in str(answer)
    assert len(heard) > 1000
    assert b"open-sesame" not in heard


@contextlib.contextmanager
def _relay(address, heard):
    """A place in between that writes down what passes."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def pass_on(source, target):
            with contextlib.suppress(OSError):
                while data := source.recv(65536):
                    heard.extend(data)
                    target.sendall(data)
            for each in (source, target):
                with contextlib.suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)

        def run():
            near, _ = server.accept()
            with near, socket.create_connection(address) as far:
                back = threading.Thread(target=pass_on, args=(far, near))
                back.start()
                pass_on(near, far)
                back.join()

        relay = threading.Thread(target=run)
        relay.start()
        yield server.getsockname()
        relay.join()


def test_a_driver_with_another_certificate_receives_nothing():
    """Another process may have taken its port."""
    impostor, driver = Driver(), Driver()
    with pytest.raises(ChannelClosedError):
        connect(impostor.server.address, driver.server.certificate)
    for each in (impostor, driver):
        each.server.close()


@pytest.mark.parametrize(
    "change",
    [
        {"ticket": "0" * 64},
        {"ticket": None},
        {"task": 1},
        {"attempt": 1},
        {"run": 999},
        {"job": "other"},
        {"job": ["job"]},
        {"task": "0"},
        {"task": True},
        {"run": None},
        {"type": "status"},
        {"pid": "1"},
        {"more": 1},
    ],
    ids=str,
)
def test_a_caller_speaks_for_nothing_but_what_its_ticket_says(driver, change):
    """One job, one task, one attempt and one run of it."""
    channel = connect(driver.server.address, driver.server.certificate)
    channel._line.send(packed_head(to_frame(driver.hello()) | change))

    assert not driver.serves(channel)
    assert driver.channels.empty()


def test_a_ticket_is_good_for_one_call(driver):
    """Who has overheard it comes too late, and does not take the real one's place."""
    hello = driver.hello()
    real = driver.call(hello)
    real.send(Pause())
    assert real.receive() == Pause()

    assert not driver.serves(driver.call(hello))
    assert driver.serves(real)


def test_a_run_that_was_replaced_is_not_admitted_any_more(driver):
    """Its successor has called already; of another task it says nothing."""
    old, other = driver.hello(), driver.hello(task=1)
    assert driver.serves(driver.call(driver.hello()))

    assert not driver.serves(driver.call(old))
    assert driver.serves(driver.call(other))


def test_no_host_reports_for_a_job_that_is_over(driver):
    """Its key is worth nothing then."""
    hello = driver.hello()
    driver.tickets.withdraw(JOB)
    assert not driver.serves(driver.call(hello))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GET / HTTP/1.1\r\n\r\n",
        packed_head({"type": "hello"}),
        b"\x16\x03\x01\xff\xff" + b"x" * 99,
        b"\xff" * 100,
    ],
    ids=["nothing", "http", "frame in the clear", "half a greeting", "noise"],
)
def test_garbage_is_refused_and_harms_nothing(driver, data):
    """The next caller is served."""
    with socket.create_connection(driver.server.address) as stranger:
        stranger.sendall(data)
        assert driver.serves(driver.call())


class _Bomb:
    """Writes a file where it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (self.path, "w")


@pytest.mark.parametrize("kind", ["head", "body", "huge", "deep"])
def test_what_a_stranger_sends_is_never_executed(driver, tmp_path, kind):
    """No pickle is read, and nothing beyond a limit."""
    trap = tmp_path / "trap"
    bomb = pickle.dumps(_Bomb(str(trap)))
    lengths = struct.Struct("!IQ")
    frame = {
        "head": lengths.pack(len(bomb), 0) + bomb,
        "body": lengths.pack(2, len(bomb)) + b"{}" + bomb,
        "huge": lengths.pack(1 << 31, 0),
        "deep": lengths.pack(200_000, 0) + b"[" * 200_000,
    }[kind]
    channel = connect(driver.server.address, driver.server.certificate)
    channel._line.send(frame)
    with pytest.raises(ChannelClosedError):
        channel.receive()
    channel.close()
    assert not trap.exists()


def test_silent_callers_get_no_more_than_their_share_of_threads():
    """Eight hundred of them made eight hundred threads."""
    callers = PendingCallers(limit=3, patience_s=3600.0, grace_s=0.0)
    driver = Driver(pending=callers)
    silent = [socket.create_connection(driver.server.address) for _ in range(40)]
    assert driver.serves(driver.call())  # the last in the line, so all others have been heard

    assert len(callers) <= 3
    for each in silent:
        each.close()
    driver.server.close()


class Clock:
    """Goes when a test moves it."""

    now = 0.0

    def __call__(self):
        """Seconds."""
        return self.now


def test_a_caller_that_says_nothing_is_hung_up_on_in_time():
    """Those who said who they are stay."""
    clock, cut = Clock(), []
    callers = PendingCallers(limit=10, patience_s=10.0, grace_s=1.0, clock=clock)
    calls = [lambda n=n: cut.append(n) for n in range(3)]
    for call in calls:
        callers.came(call)
        clock.now += 4.0
    callers.gone(calls[1])

    assert callers.has_room()
    assert cut == [0]
    assert len(callers) == 2  # until its thread has noticed


def test_the_slow_give_way_once_there_are_too_many():
    """But no caller at once: a host on a machine under load takes a moment."""
    clock, cut = Clock(), []
    callers = PendingCallers(limit=2, patience_s=10.0, grace_s=1.0, clock=clock)
    for n in range(2):
        callers.came(lambda n=n: cut.append(n))
        assert callers.has_room() is (n == 0)
        clock.now += 0.7

    assert not callers.has_room()
    assert cut == [0]


NONSENSE = [
    b"no json",
    b"[1]",
    b"5",
    b"{}",
    b"\xff",
    b'{"type":"unheard"}',
    b'{"type":["pause"]}',
    b'{"type":"pause","more":1}',
    b'{"type":"level"}',
    b'{"type":"level","logger":1,"level":1}',
]


@pytest.mark.parametrize("frame", NONSENSE, ids=repr)
def test_nonsense_from_a_caller_ends_its_channel(driver, frame):
    """Nothing that arrives is executed, and nothing is guessed."""
    channel = driver.call()
    channel._line.send(struct.pack("!IQ", len(frame), 0) + frame)
    with pytest.raises(ChannelClosedError):
        channel.receive()
    channel.close()


def test_hanging_up_is_noticed_by_the_other_side(driver):
    """On either end, at once."""
    channel = driver.call()
    driver.channels.get(timeout=60).close()
    with pytest.raises(ChannelClosedError):
        channel.receive()
    channel.close()


def test_sending_after_hanging_up_says_so(driver):
    """And closing twice does no harm."""
    channel = driver.call()
    channel.close()
    channel.close()
    with pytest.raises(ChannelClosedError):
        channel.send(Pause())


def test_no_answer_comes_after_the_server_has_closed(driver):
    """Closing twice does no harm either."""
    address = driver.server.address
    driver.server.close()
    driver.server.close()
    with pytest.raises(ChannelClosedError):
        connect(address, driver.server.certificate)


def test_a_caller_that_cannot_be_accepted_does_not_end_the_server(driver, monkeypatch):
    """The process may be out of descriptors for a moment."""
    real, failures = driver.server._listener, []

    class Listener:
        """Fails once."""

        def accept(self):
            """Or not."""
            line, address = real.accept()
            if failures:
                line.close()
                raise failures.pop()
            return line, address

        def __getattr__(self, name):
            return getattr(real, name)

    monkeypatch.setattr(driver.server, "_listener", Listener())
    for _ in range(2):  # the second call is answered by the function above in any case
        assert driver.serves(driver.call())
    failures.append(OSError(24, "Too many open files"))
    with pytest.raises(ChannelClosedError):
        connect(driver.server.address, driver.server.certificate)
    assert driver.serves(driver.call())


def test_a_closed_server_listens_no_more(driver):
    """Its thread has gone before the listener is: the descriptor may be another object's then."""
    driver.server.close()
    assert "control-channel" not in {thread.name for thread in threading.enumerate()}


def test_two_threads_that_hang_up_close_the_line_once():
    """The number of a descriptor that was closed already may belong to another object by then."""
    closed = []

    class Line:
        """A socket that takes a moment to close."""

        number = 5

        def setsockopt(self, *_):
            """As it is."""

        def fileno(self):
            """Below 0 once it is closed."""
            return self.number

        def shutdown(self, _):
            """The other side was first."""
            raise OSError

        def close(self):
            """Note it."""
            closed.append(self)
            time.sleep(0.02)
            self.number = -1

    context, _ = with_new_key()
    channel = Channel(EncryptedLine(Line(), context, accepts=True))
    closers = [threading.Thread(target=channel.close) for _ in range(2)]
    for closer in closers:
        closer.start()
    for closer in closers:
        closer.join()

    assert len(closed) == 1
