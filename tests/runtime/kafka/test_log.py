"""State in a compacted topic, on a live broker."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from confluent_kafka.admin import AdminClient, NewPartitions

from plugwright.errors import ConfigError, ConnectError
from plugwright.kafka import CompactedTopic, KafkaLog, create_topic, read_topic

pytestmark = pytest.mark.kafka


@pytest.fixture
def opened(broker):
    """Opens logs, and closes them at the end."""
    logs = []

    def open_log(topic, apply=lambda *_: None):
        log = KafkaLog(broker.bootstrap_servers, topic, client_id="test")
        logs.append(log)
        log.start(apply)
        return log

    yield open_log
    for log in logs:
        log.close()


def test_what_was_sent_is_read_by_everybody(opened, fresh):
    """By this worker after `read_to_end`, and by one that starts later."""
    topic, first, second = CompactedTopic(fresh("log"), single=True), [], []
    log = opened(topic, lambda *entry: first.append(entry[:2]))
    log.send([("a", b"1"), ("b", None)])
    log.read_to_end()
    opened(topic, lambda *entry: second.append(entry[:2]))
    assert first == second == [("a", b"1"), ("b", None)]


def test_an_entry_says_when_it_was_written(opened, fresh):
    """In the sender's milliseconds, which Kafka keeps with the record."""
    topic, found = CompactedTopic(fresh("log"), single=True), []
    log = opened(topic, lambda *entry: found.append(entry))
    before_ms = int(time.time() * 1000)
    log.send([("a", None)])
    after_ms = int(time.time() * 1000)
    log.read_to_end()
    ((key, value, at_ms),) = found
    assert (key, value) == ("a", None)
    assert before_ms <= at_ms <= after_ms


def test_entries_under_a_writer_are_one_transaction(opened, fresh, broker):
    """Read whole by readers of committed records."""
    topic, found, writer = CompactedTopic(fresh("log"), single=True), [], fresh("writer")
    log = opened(topic, lambda *entry: found.append(entry[:2]))
    log.take(writer)
    log.send([("a", b"1"), ("b", b"2")], writer)
    log.read_to_end()
    assert found == [("a", b"1"), ("b", b"2")]
    assert [m.key() for m in read_topic(broker.bootstrap_servers, topic.name)] == [b"a", b"b"]


def test_whoever_sends_and_reads_has_read_what_came_before(opened, fresh):
    """Entries of others, too, whose transactions ended before."""
    topic, found = CompactedTopic(fresh("log"), single=True), []
    log, other = opened(topic, lambda key, *_: found.append(key)), opened(topic)
    own, others = fresh("own"), fresh("others")
    log.take(own)
    other.take(others)
    other.send([("a", b"1")], others)
    log.send_and_read([("b", b"2"), ("c", None)], own)
    assert found == ["a", "b", "c"]


def test_partitions_that_come_later_are_not_waited_for(opened, fresh, broker):
    """The log does not read them, and what it writes there is stored."""
    topic, found, writer = CompactedTopic(fresh("log")), [], fresh("writer")
    log = opened(topic, lambda key, *_: found.append(key))
    admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
    (added,) = admin.create_partitions([NewPartitions(topic.name, 3)]).values()
    added.result()
    log.take(writer)
    keys = [f"key {number}" for number in range(20)]
    log.send_and_read([(key, b"1") for key in keys], writer)
    assert set(found) < {*keys}
    stored = {
        message.key().decode() for message in read_topic(broker.bootstrap_servers, topic.name)
    }
    assert stored == {*keys}


def test_writers_write_side_by_side_and_read_what_they_wrote(opened, fresh):
    """Connectors are created at the same time, and each answer knows its own."""
    found = []
    log = opened(CompactedTopic(fresh("log"), single=True), lambda key, *_: found.append(key))

    def write(writer):
        log.take(writer)
        for number in range(10):
            if number % 2:
                log.send_and_read([(f"{writer}-{number}", b"1")], writer)
            else:
                log.send([(f"{writer}-{number}", b"1")], writer)
                log.read_to_end()
            yield f"{writer}-{number}" in found

    writers = [fresh("writer") for _ in range(4)]
    with ThreadPoolExecutor(len(writers)) as pool:
        assert all(pool.map(lambda writer: all(write(writer)), writers))


def test_a_writer_that_was_replaced_can_write_no_more(opened, fresh):
    """Nothing of it arrives after the other one has taken its place."""
    topic, found, writer = CompactedTopic(fresh("log"), single=True), [], fresh("writer")
    zombie, owner = opened(topic), opened(topic, lambda *entry: found.append(entry[:2]))
    zombie.take(writer)
    owner.take(writer)
    owner.send([("a", b"owner")], writer)
    with pytest.raises(ConnectError) as raised:
        zombie.send([("a", b"zombie")], writer)
    owner.read_to_end()
    assert (raised.value.code, found) == ("kafka.fenced", [("a", b"owner")])


def test_a_refused_entry_does_not_hinder_those_after_it(opened, fresh):
    """One that is too large for the client, in a transaction and without one."""
    found, writer = [], fresh("writer")
    log = opened(CompactedTopic(fresh("log"), single=True), lambda key, *_: found.append(key))
    log.take(writer)
    for under in (writer, None):
        with pytest.raises(ConnectError, match="too large") as raised:
            log.send([("small", b"1"), ("large", b"x" * 2_000_000)], under)
        assert raised.value.code == "kafka.unwritable"

        log.send([(f"after {under}", b"")], under)
    log.read_to_end()
    assert found == [f"after {writer}", "small", "after None"]


def test_a_writer_that_was_replaced_by_accident_takes_its_place_again(opened, fresh):
    """And fences its writer; one that works is left as it is."""
    topic, found, writer = CompactedTopic(fresh("log"), single=True), [], fresh("writer")
    zombie, owner = opened(topic), opened(topic, lambda key, *_: found.append(key))
    owner.take(writer)
    zombie.take(writer)
    with pytest.raises(ConnectError):
        owner.send([("a", b"")], writer)

    owner.reclaim(writer)
    owner.reclaim(writer)
    owner.send([("b", b"")], writer)

    with pytest.raises(ConnectError) as raised:
        zombie.send([("c", b"")], writer)
    owner.read_to_end()
    assert (raised.value.code, found) == ("kafka.fenced", ["b"])


def test_an_entry_that_cannot_be_taken_hides_none_after_it(opened, fresh):
    """It is logged and left."""
    found = []

    def apply(key, *_):
        found.append(key)
        if key == "bad":
            raise ValueError(key)

    log = opened(CompactedTopic(fresh("log")), apply)
    log.send([("bad", b""), ("good", b"")])
    log.read_to_end()
    assert found == ["bad", "good"]


def test_a_topic_that_forgets_is_refused(opened, fresh, broker):
    """The worker's state would be gone after some days."""
    name = fresh("log")
    create_topic(broker.bootstrap_servers, name, config={"cleanup.policy": "delete"})
    with pytest.raises(
        ConfigError, match=r"cleanup\.policy=delete, but requires cleanup\.policy=compact"
    ) as raised:
        opened(CompactedTopic(name))
    assert raised.value.code == "kafka.topic-not-compacted"


def test_a_configs_topic_with_several_partitions_is_refused(opened, fresh, broker):
    """Its entries would have no one order."""
    name = fresh("log")
    create_topic(broker.bootstrap_servers, name, partitions=2, config={"cleanup.policy": "compact"})
    with pytest.raises(ConfigError, match="must have a single partition") as raised:
        opened(CompactedTopic(name, single=True))
    assert raised.value.code == "kafka.topic-partitions"


def test_entries_are_followed_as_they_come(opened, fresh):
    """Without being asked for."""
    topic, found = CompactedTopic(fresh("log"), partitions=3), []
    opened(topic, lambda key, *_: found.append(key))
    opened(topic).send([(str(n), b"") for n in range(10)])
    deadline = time.monotonic() + 20
    while len(found) < 10 and time.monotonic() < deadline:
        time.sleep(0.02)
    assert sorted(found) == [str(n) for n in range(10)]
