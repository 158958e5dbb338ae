"""Kafka's internal topics in virtual time: what was written and asked for is counted."""

from __future__ import annotations

from collections import Counter

from plugwright.errors import ConnectError

_SEND_S = (0.002, 0.010)
_READ_S = (0.001, 0.005)


class Topic:
    """A compacted topic that several workers follow.

    Attributes:
        traffic: records and bytes written, requests that wrote them, and times that its end was
            asked for.
        kinds: the records written, by the first words of their keys.
    """

    def __init__(self, fibers, threads, kinds=()):
        self.fibers, self.threads = fibers, threads
        self.traffic, self.kinds = Counter(), Counter()
        self.refused = 0
        self.moved = threads.Condition()
        self.entries = []
        self.writers = {}
        self._newest = {}
        self._known = kinds

    def append(self, entries):
        """Write."""
        now_ms = int((self.fibers.now + 1_700_000_000) * 1000)
        with self.moved:
            for key, value in entries:
                self._newest[key] = len(self.entries)
                self.entries.append((key, value, now_ms))
                self.traffic["records"] += 1
                self.traffic["bytes"] += len(key) + len(value or b"")
                self.kinds[next((k for k in self._known if key.startswith(k)), "other")] += 1
            self.traffic["requests"] += 1
            self.moved.notify_all()

    def compacted(self):
        """The newest record of each key, in order, and the offset of the next one."""
        return [self.entries[n] for n in sorted(self._newest.values())], len(self.entries)


class TopicLog:
    """One worker's end of a topic; the interface of `plugwright.kafka.KafkaLog`."""

    def __init__(self, topic):
        self._topic, self._fibers = topic, topic.fibers
        self._epochs = {}
        self._reached = 0
        self._closed = False
        self.dead = False

    def start(self, apply):
        """Read what is there, then follow on a fiber of its own."""
        existing, end = self._topic.compacted()
        for entry in existing:
            apply(*entry)
        self._reached, self._apply = end, apply
        self._topic.threads.Thread(target=self._follow, name="log").start()

    def take(self, writer):
        """Fence the previous writer of this id."""
        self._pass(_SEND_S)
        self._epochs[writer] = self._topic.writers[writer] = object()

    def reclaim(self, writer):
        """No writer is fenced by accident."""

    def send(self, entries, writer=None):
        """Write all, unless another worker has taken the id."""
        self._pass(_SEND_S)
        if writer is not None and self._epochs.get(writer) is not self._topic.writers[writer]:
            self._topic.refused += 1
            raise ConnectError("fenced", code="kafka.fenced")
        self._topic.append(entries)

    def send_and_read(self, entries, writer=None):
        """Write all, and wait until it was applied here."""
        self.send(entries, writer)
        self._pass(_READ_S)
        self._read_up_to(len(self._topic.entries))

    def read_to_end(self):
        """Wait until all that is there now was applied."""
        self._pass(_READ_S)
        self._topic.traffic["ends"] += 1
        self._read_up_to(len(self._topic.entries))

    def _read_up_to(self, end):
        with self._topic.moved:
            while self._reached < end and not self._closed:
                self._topic.moved.wait()

    def close(self):
        """Follow no more."""
        with self._topic.moved:
            self._closed = True
            self._topic.moved.notify_all()

    def die(self):
        """Neither read nor write any more, like a process that was killed."""
        self.dead = True
        self.close()

    def _pass(self, between):
        self._fibers.sleep(self._fibers.random.uniform(*between))
        if self.dead:
            raise ConnectError("this worker is gone", code="kafka.unreachable")

    def _follow(self):
        topic = self._topic
        while True:
            with topic.moved:
                while self._reached == len(topic.entries) and not self._closed:
                    topic.moved.wait()
            if self._closed:
                return
            self._fibers.sleep(self._fibers.random.uniform(*_READ_S))
            for entry in topic.entries[self._reached :]:
                if self._closed:
                    return
                self._apply(*entry)
                self._reached += 1
            with topic.moved:
                topic.moved.notify_all()
