"""Kafka as its specification has it, in memory: a log, a group, a producer, an offset store.

Nothing happens by itself: a test acknowledges records, moves partitions and advances the clock.
"""

# ruff: noqa: D102  # the contracts being faked say what each method does

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass

from plugwright.errors import ConnectError
from plugwright.worker import RecordRefusedError

__all__ = [
    "Clock",
    "FakeConsumer",
    "FakeOffsetStore",
    "FakeProducer",
    "FakeTransactions",
    "Message",
    "StatusLog",
]


@dataclass(frozen=True)
class Message:
    """A message as a Kafka client shows it."""

    at: tuple
    bytes_of_value: bytes | None = None
    bytes_of_key: bytes | None = None
    raw_headers: list | None = None
    time: tuple = (1, 1_700_000_000_000)

    def topic(self):
        return self.at[0]

    def partition(self):
        return self.at[1]

    def offset(self):
        return self.at[2]

    def key(self):
        return self.bytes_of_key

    def value(self):
        return self.bytes_of_value

    def timestamp(self):
        return self.time

    def headers(self):
        return self.raw_headers


class Clock:
    """Seconds that pass only when a test lets them."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now

    def advance(self, seconds):
        self.now += seconds


class StatusLog:
    """Remembers what the loop reported."""

    def __init__(self):
        self.states = []
        self.error = None

    def running(self):
        self.states.append("RUNNING")

    def paused(self):
        self.states.append("PAUSED")

    def stopped(self):
        self.states.append("STOPPED")

    def failed(self, error):
        self.states.append("FAILED")
        self.error = error


class FakeProducer:
    """Keeps records in flight until the test decides their fate; callbacks run when served."""

    def __init__(self):
        self.in_flight = deque()
        self.due = deque()
        self.topic = []
        self.prompt = False
        self.flushes = []
        self.room = None
        self.refused = set()

    def send(self, batch):
        for record in batch:
            while self.room is not None and len(self.in_flight) >= self.room:
                self.full()
            if record[3] in self.refused:
                sent = batch.index(record)
                raise RecordRefusedError("refused", sent=sent, topic=record[0], reason="TOO_LARGE")
            self.in_flight.append(record)

    def when_full(self, call):
        self.full = call

    def acknowledge(self, count=None):
        """The broker has the first records in flight; their callbacks are due."""
        self._decide(count, None)

    def refuse(self, count=1, error="MSG_SIZE_TOO_LARGE"):
        """The broker refuses the first records in flight."""
        self._decide(count, error)

    def reorder(self, order):
        """Let the records in flight be answered in another order."""
        records = list(self.in_flight)
        self.in_flight = deque(records[index] for index in order)

    def serve(self):
        if self.prompt:
            self.acknowledge()
        while self.due:
            error, record = self.due.popleft()
            message = Message((record[0], record[1] or 0, len(self.topic)), record[3])
            if error is None:
                self.topic.append(None if record[3] is None else record[3].decode())
            record[-1](error, message)

    def flush(self, timeout_s):
        self.flushes.append(timeout_s)
        self.serve()
        return len(self.in_flight)

    @property
    def outstanding(self):
        return len(self.in_flight)

    def _decide(self, count, error):
        for _ in range(len(self.in_flight) if count is None else count):
            self.due.append((error, self.in_flight.popleft()))


class FakeTransactions(FakeProducer):
    """A transactional producer: ``topic`` and ``offsets`` hold what a committed reader sees."""

    def __init__(self):
        super().__init__()
        self.prompt = True
        self.calls = []
        self.offsets = []
        self.failures = deque()
        self.offsets_topic = "offsets"
        self._uncommitted = None

    def begin(self):
        assert self._uncommitted is None, "a transaction is open already"
        self.calls.append("begin")
        self._uncommitted = len(self.topic)

    def send(self, batch):
        assert self._uncommitted is not None, "no transaction is open"
        super().send(batch)

    def commit(self, offsets):
        self.serve()
        if self.failures:
            raise self.failures.popleft()
        self.calls.append("commit")
        self.offsets += [(dict(p), o and dict(o)) for p, o in offsets]
        self._uncommitted = None

    def gave_up(self, error):
        return error == "_PURGE_QUEUE"

    def failure(self):
        return self.failures.popleft()

    def abort(self):
        self.calls.append("abort")
        for record in self.in_flight:
            self.due.append(("_PURGE_QUEUE", record))
        self.in_flight.clear()
        prompt, self.prompt = self.prompt, False
        self.serve()
        self.prompt = prompt
        del self.topic[self._uncommitted :]
        self._uncommitted = None


class FakeOffsetStore:
    """Offsets by source partition; each write is remembered, failures come as specified."""

    def __init__(self):
        self.writes = []
        self.failures = deque()
        self.stored = {}

    def offset(self, partition):
        return self.stored.get(tuple(sorted(partition.items())))

    def store(self, offsets):
        if self.failures and (failure := self.failures.popleft()) is not None:
            raise failure
        self.writes.append([(dict(p), o and dict(o)) for p, o in offsets])
        for partition, offset in offsets:
            self.stored[tuple(sorted(partition.items()))] = offset


class FakeConsumer:
    """The only member of a group, over a log of topic partitions.

    Each poll first does the next of ``steps``; partitions move only there, as in a real poll.
    """

    def __init__(self, clock):
        self.log = defaultdict(list)
        self.group = {}
        self.next_offsets = {}
        self.paused = set()
        self.seeks = []
        self.polls = []
        self.commits = []
        self.commit_failures = deque()
        self.steps = deque()
        self.answers = deque()
        self.holds_answers = False
        self.topics = None
        self._clock = clock

    def produce(self, partition, *values):
        """Append to the log."""
        for value in values:
            at = (*partition, len(self.log[partition]))
            self.log[partition].append(Message(at, value.encode()))

    def assign(self, *partitions):
        """The group gives partitions to this member: reading begins where the group stands."""
        for partition in partitions:
            self.next_offsets[partition] = self.group.get(partition, 0)
        self.listener.assigned(list(partitions))

    def revoke(self, *partitions):
        """The group asks for partitions back, and takes them when the callback has returned."""
        self.listener.revoked(list(partitions))
        self._forget(partitions)

    def lose(self, *partitions):
        """Another member has the partitions already."""
        self._forget(partitions)
        self.listener.lost(list(partitions))

    def subscribe(self, topics, listener):
        self.topics = topics
        self.listener = listener

    def poll(self, max_records, timeout_s):
        self.polls.append(timeout_s)
        if self.steps:
            self.steps.popleft()()
        found = []
        for partition in sorted(set(self.next_offsets) - self.paused):
            begin = self.next_offsets[partition]
            taken = self.log[partition][begin : begin + max_records - len(found)]
            self.next_offsets[partition] += len(taken)
            found += taken
        if not found:
            self._clock.advance(timeout_s)
        return found

    def assignment(self):
        return list(self.next_offsets)

    def positions(self, partitions):
        return {p: self.next_offsets[p] for p in partitions}

    def commit(self, offsets):
        if self.commit_failures and (failure := self.commit_failures.popleft()) is not None:
            raise failure
        if not set(offsets) <= set(self.next_offsets):
            raise ConnectError("not a member for these partitions", code="fake.not-assigned")
        self.commits.append(dict(offsets))
        self.group.update(offsets)

    def commit_async(self, offsets, done):
        """Answered at once, unless the test keeps the answers back."""
        try:
            self.commit(offsets)
            answer = None
        except ConnectError as error:
            answer = error
        self.answers.append(lambda: done(answer))
        if not self.holds_answers:
            self.answers.popleft()()

    def seek(self, partition, offset):
        self.seeks.append((partition, offset))
        self.next_offsets[partition] = 0 if offset is None else offset

    def pause(self, partitions):
        self.paused |= set(partitions)

    def resume(self, partitions):
        self.paused -= set(partitions)

    def close(self):
        """Leave the group, which calls back like a revocation."""
        self.revoke(*self.assignment())

    def _forget(self, partitions):
        for partition in partitions:
            del self.next_offsets[partition]
            self.paused.discard(partition)
