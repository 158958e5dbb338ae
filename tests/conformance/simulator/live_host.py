"""Tells a history to a live broker, through confluent-kafka and nothing of ours."""

from __future__ import annotations

import time
from contextlib import suppress

from confluent_kafka import (
    Consumer,
    ConsumerGroupTopicPartitions,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient, NewTopic

__all__ = ["LiveHost"]

_WAIT_S = 30.0
_SILENCE_S = 6.0


class LiveHost:
    """A fresh topic of two partitions and a fresh group on a live broker."""

    def __init__(self, broker, fresh, *, cooperative):
        self.servers = {"bootstrap.servers": broker.bootstrap_servers}
        self.topic, self.group = fresh("history"), fresh("group")
        self._ids = fresh("transactional")
        self._strategy = "cooperative-sticky" if cooperative else "range"
        self._members, self._callbacks, self._polled, self._opened = {}, {}, {}, []
        self._admin = AdminClient(self.servers)
        self._admin.create_topics([NewTopic(self.topic, 2)])[self.topic].result()

    def producer(self, transactional_id=None):
        """Open one; with an id it fences its predecessors."""
        made = _Producer(self, transactional_id and f"{self._ids}-{transactional_id}")
        self._opened.append(made)
        return made

    def visible(self):
        """What a committed reader sees."""
        return self._read("read_committed")

    def stored(self):
        """What any reader sees."""
        return self._read("read_uncommitted")

    def end(self):
        """The end of partition 0."""
        reader = Consumer({**self.servers, "group.id": "unused"})
        _, end = reader.get_watermark_offsets(TopicPartition(self.topic, 0), timeout=_WAIT_S)
        reader.close()
        return end

    def join(self, name):
        """Add a member and let the group come to rest."""
        callbacks = self._callbacks[name] = []
        self._polled[name] = []
        member = self._members[name] = Consumer(
            {
                **self.servers,
                "group.id": self.group,
                "partition.assignment.strategy": self._strategy,
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "heartbeat.interval.ms": 300,
                "session.timeout.ms": 6000,
                "max.poll.interval.ms": 6000,
            }
        )
        member.subscribe(
            [self.topic],
            on_assign=lambda _, found: callbacks.append(("assigned", found)),
            on_revoke=lambda _, found: callbacks.append(("revoked", found)),
            on_lost=lambda _, found: callbacks.append(("lost", found)),
        )
        self._settle()

    def leave(self, name):
        """Take a member away and let the group come to rest."""
        self._members.pop(name).close()
        self._settle()

    def fall_silent(self, name):
        """Let a member do nothing for longer than the group endures."""
        self._members[f"silent {name}"] = self._members.pop(name)
        time.sleep(_SILENCE_S + 1)

    def assigned(self, name):
        """The partitions of a member."""
        return sorted(place.partition for place in self._members[name].assignment())

    def callbacks(self, name):
        """What a member's listener has heard; empty notices are none."""
        return [(what, found) for what, found in self._callbacks[name] if found]

    def polled(self, name):
        """What one poll after another brings."""
        deadline = time.monotonic() + 2
        while time.monotonic() < deadline:
            self._poll(name)
        return self._polled[name]

    def commit(self, name, offset):
        """Commit for partition 0."""
        member = self._members.get(name) or self._members[f"silent {name}"]
        try:
            member.commit(offsets=[TopicPartition(self.topic, 0, offset)], asynchronous=False)
        except KafkaException:
            return "refused"
        return "ok"

    def committed(self):
        """The group's offset of partition 0."""
        asked = [ConsumerGroupTopicPartitions(self.group, [TopicPartition(self.topic, 0)])]
        answer = self._admin.list_consumer_group_offsets(asked)[self.group].result()
        return answer.topic_partitions[0].offset

    def reset(self, offset):
        """Set the group's offset of partition 0 as a tool does."""
        wanted = [TopicPartition(self.topic, 0, offset)]
        request = [ConsumerGroupTopicPartitions(self.group, wanted)]
        try:
            answer = self._admin.alter_consumer_group_offsets(request)[self.group].result()
        except KafkaException:
            return "refused"
        return "refused" if answer.topic_partitions[0].error else "ok"

    def close(self):
        """Release every client."""
        for member in self._members.values():
            member.close()
        for producer in self._opened:
            producer.close()

    def _read(self, isolation):
        settings = {
            "group.id": "unused",
            "isolation.level": isolation,
            "enable.partition.eof": True,
        }
        reader = Consumer({**self.servers, **settings, "group.id": "unused"})
        reader.assign([TopicPartition(self.topic, 0, 0)])
        found = []
        deadline = time.monotonic() + _WAIT_S
        while time.monotonic() < deadline:
            message = reader.poll(0.1)
            if message is not None and message.error() is None:
                found.append(message.value().decode())
            elif message is not None and message.error().code() == KafkaError._PARTITION_EOF:
                break
        reader.close()
        return found

    def _settle(self):
        """Poll every member until each partition has one owner, and a little longer."""
        names = [name for name in self._members if not name.startswith("silent")]
        deadline, calm = time.monotonic() + _WAIT_S, 0
        while names and calm < 8 and time.monotonic() < deadline:
            for name in names:
                self._poll(name)
            owned = sorted(n for name in names for n in self.assigned(name))
            busy = all(self._members[name].assignment() for name in names)
            calm = calm + 1 if owned == [0, 1] and busy else 0

    def _poll(self, name):
        message = self._members[name].poll(0.1)
        if message is not None and message.error() is None:
            self._polled[name].append(message.value().decode())


class _Producer:
    """One producer."""

    def __init__(self, host, transactional_id):
        settings = {**host.servers, "linger.ms": 0}
        if transactional_id:
            settings["transactional.id"] = transactional_id
        self._topic = host.topic
        self._producer = Producer(settings)
        if transactional_id:
            self._producer.init_transactions(_WAIT_S)

    def begin(self):
        """Begin a transaction."""
        self._producer.begin_transaction()

    def send(self, *values):
        """Write to partition 0."""
        for value in values:
            self._producer.produce(self._topic, value.encode(), partition=0)
        self._producer.flush(_WAIT_S)

    def begin_and_send(self, value):
        """Both; a zombie fails at the commit."""
        try:
            self.begin()
            self.send(value)
        except KafkaException:
            return

    def commit(self):
        """End the transaction."""
        return self._ended(self._producer.commit_transaction)

    def abort(self):
        """End the transaction."""
        return self._ended(self._producer.abort_transaction)

    def close(self):
        """Release the client."""
        with suppress(KafkaException):  # of a client that was fenced
            self._producer.purge()
            self._producer.flush(1)

    @staticmethod
    def _ended(call):
        try:
            call(_WAIT_S)
        except KafkaException as error:
            name = error.args[0].name()
            return "fenced" if "FENCED" in name or "PRODUCER_EPOCH" in name else name
        return "ok"
