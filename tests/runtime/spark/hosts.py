"""Task hosts that tests play, and the driver's end of their connections."""

from __future__ import annotations

import queue
import threading

from plugwright.spark import ClassReference, TaskSpec
from plugwright.spark.channel import ChannelClosedError
from plugwright.spark.messages import Hello, from_frame, to_frame

__all__ = ["CONVERTER", "FakeChannel", "Host", "task_spec", "until"]

CONVERTER = ClassReference("plugwright.converters", "StringConverter", {"a": "b"})


def task_spec(task=0):
    """The spec of a sink's task."""
    return TaskSpec(
        connector="orders",
        task=task,
        kind="sink",
        task_class=ClassReference("shop", "Outer.Task"),
        version="1.0",
        location="/plugins/shop",
        config={"a": "b"},
        bootstrap_servers="k:1",
        key_converter=CONVERTER,
        value_converter=CONVERTER,
        header_converter=CONVERTER,
        topics=("t", "u"),
    )


class FakeChannel:
    """The driver's end of a conversation; the test plays the host."""

    def __init__(self):
        self.sent = queue.Queue()
        self.frames = queue.Queue()
        self.closed = False

    def send(self, message):
        """To the host."""
        if self.closed:
            raise ChannelClosedError
        self.sent.put(to_frame(message))

    def receive(self):
        """From the host."""
        frame = self.frames.get(timeout=60)
        if frame is None:
            raise ChannelClosedError
        return from_frame(frame)


DAEMON = "machine:99"


class Host:
    """One task host, as the job sees it."""

    def __init__(self, job, task=0, attempt=0, pid=100):
        self.channel = FakeChannel()
        hello = self.hello(attempt, pid)
        self._thread = threading.Thread(target=job.converse, args=(task, hello, self.channel))
        self._thread.start()

    def hello(self, attempt, pid):
        """Its first frame."""
        return Hello("orders-1", 0, attempt, 0, "", pid, DAEMON)

    def received(self):
        """The next frame from the driver."""
        return self.channel.sent.get(timeout=60)

    def report(self, state, trace="", **counters):
        """A status frame."""
        frame = {"type": "status", "state": state, "trace": trace, "counters": counters}
        self.channel.frames.put(frame)

    def say(self, **content):
        """A status frame with more in it."""
        frame = {"type": "status", "state": "RUNNING", "trace": "", "counters": {}}
        self.channel.frames.put(frame | content)

    def die(self):
        """The line is cut."""
        self.channel.frames.put(None)
        self._thread.join(60)


def until(job, condition):
    """Wait for the tasks."""
    assert job.wait_for(condition, 60), job.statuses
