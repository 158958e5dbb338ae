"""Tells a history to the simulated Kafka."""

from __future__ import annotations

from plugwright.errors import ConnectError
from plugwright.record import TopicPartition
from plugwright_conformance.simulator import (
    Recorder,
    Refusal,
    SimulatedConsumer,
    SimulatedKafka,
    VirtualClock,
)

__all__ = ["SimulatedHost"]

TOPIC = "data"
HOME = TopicPartition(TOPIC, 0)


class SimulatedHost:
    """One simulated Kafka with a topic of two partitions."""

    def __init__(self, *, cooperative):
        self.kafka = SimulatedKafka(VirtualClock(), cooperative=cooperative)
        self.kafka.create_topic(TOPIC, 2)
        self._members = {}
        self._ears = {}

    def producer(self, transactional_id=None):
        """Open one."""
        return _Producer(self.kafka, transactional_id)

    def visible(self):
        """What a committed reader sees."""
        return [entry.value.decode() for entry in self.kafka.read(TOPIC)]

    def stored(self):
        """What any reader sees."""
        return [entry.value.decode() for entry in self.kafka.read(TOPIC, committed=False)]

    def end(self):
        """The end of partition 0."""
        return self.kafka.log(TOPIC, 0).end

    def join(self, name):
        """Add a member and let the group come to rest."""
        member = SimulatedConsumer(self.kafka, "g", Recorder())
        self._ears[name] = _Ears()
        member.subscribe([TOPIC], self._ears[name])
        self._members[name] = member
        self._settle()

    def leave(self, name):
        """Take a member away and let the group come to rest."""
        self._members.pop(name).close()
        self._settle()

    def fall_silent(self, name):
        """Let a member do nothing for longer than the group endures."""
        silent = self._members.pop(name)
        self.kafka.clock.advance(100)
        self._members = {f"silent {name}": silent}

    def assigned(self, name):
        """The partitions of a member."""
        return [place.partition for place in self._members[name].assignment()]

    def callbacks(self, name):
        """What a member's listener has heard."""
        return self._ears[name].heard

    def polled(self, name):
        """What one poll after another brings."""
        return self._ears[name].polled

    def commit(self, name, offset):
        """Commit for partition 0."""
        member = self._members.get(name) or self._members[f"silent {name}"]
        try:
            member.commit({HOME: offset})
        except ConnectError:
            return "refused"
        return "ok"

    def committed(self):
        """The group's offset of partition 0."""
        return self.kafka.group("g").committed(HOME)

    def reset(self, offset):
        """Set the group's offset of partition 0 as a tool does."""
        try:
            self.kafka.group("g").commit({HOME: offset}, None, -1)
        except Refusal:
            return "refused"
        return "ok"

    def close(self):
        """Nothing is held."""

    def _settle(self):
        for _ in range(4):
            for name, member in self._members.items():
                if not name.startswith("silent"):
                    found = member.poll(10, 0.1)
                    self._ears[name].polled += [message.value().decode() for message in found]


class _Producer:
    """One producer."""

    def __init__(self, kafka, transactional_id):
        self._kafka = kafka
        self._session = transactional_id and kafka.transactions.init(transactional_id)

    def begin(self):
        """The broker hears of a transaction with its first record."""

    def send(self, *values):
        """Write to partition 0."""
        for value in values:
            self._kafka.produce(TOPIC, value.encode(), partition=0, session=self._session)

    def begin_and_send(self, value):
        """Both; a zombie fails at the commit."""
        try:
            self.send(value)
        except Refusal:
            return

    def commit(self):
        """End the transaction."""
        return self._ended(self._kafka.transactions.commit)

    def abort(self):
        """End the transaction."""
        return self._ended(self._kafka.transactions.abort)

    def _ended(self, call):
        try:
            call(self._session)
        except Refusal as refusal:
            return {"INVALID_PRODUCER_EPOCH": "fenced"}[refusal.name]
        return "ok"


class _Ears:
    """Remembers the calls of a listener, and what polls brought."""

    def __init__(self):
        self.heard = []
        self.polled = []

    def assigned(self, partitions):
        """New ones."""
        self.heard.append(("assigned", list(partitions)))

    def revoked(self, partitions):
        """Old ones."""
        self.heard.append(("revoked", list(partitions)))

    def lost(self, partitions):
        """Lost ones."""
        self.heard.append(("lost", list(partitions)))
