"""The consumer of sink tasks, as a member of a real group."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from confluent_kafka import OFFSET_STORED, Consumer, KafkaError
from confluent_kafka import TopicPartition as ClientPartition
from tests.e2e.workers import until

from plugwright.errors import ConnectError
from plugwright.kafka import (
    KafkaRecordConsumer,
    TopicPattern,
    TopicWriter,
    consumer_settings,
    create_topic,
)
from plugwright.kafka.admin import Admin
from plugwright.record import TopicPartition

pytestmark = pytest.mark.kafka


class Listener:
    """Remembers its calls, and does what a test wants on assignment."""

    def __init__(self):
        self.events = []
        self.on_assigned = lambda partitions: None

    def assigned(self, partitions):
        """New partitions."""
        self.events.append(("assigned", sorted(partitions)))
        self.on_assigned(partitions)

    def revoked(self, partitions):
        """Partitions that leave."""
        self.events.append(("revoked", sorted(partitions)))

    def lost(self, partitions):
        """Partitions that have left."""
        self.events.append(("lost", sorted(partitions)))


class Group:
    """A topic with records, and members of one group."""

    def __init__(self, broker, name, topic, opened):
        self.servers = broker.bootstrap_servers
        self.name = name
        self.topic = topic
        self.opened = opened

    def write(self, *values, partitions=1):
        """Make the topic, if need be, and append values."""
        create_topic(self.servers, self.topic, partitions=partitions)
        TopicWriter(self.servers).write(self.topic, [value.encode() for value in values])

    def settings(self, member="m0", **overrides):
        """Of one member."""
        changes = {key.replace("_", "."): value for key, value in overrides.items()}
        return consumer_settings(self.servers, member, self.name, changes)

    def member(self, member="m0", **overrides):
        """Join."""
        consumer, listener = KafkaRecordConsumer(self.settings(member, **overrides)), Listener()
        consumer.subscribe([self.topic], listener)
        self.opened.append(consumer)
        return consumer, listener

    def committed(self, partition=0):
        """The group's offset, asked by a plain client."""
        consumer = Consumer({"bootstrap.servers": self.servers, "group.id": self.name})
        (found,) = consumer.committed([ClientPartition(self.topic, partition)], 10)
        consumer.close()
        return found.offset


@pytest.fixture
def group(broker, fresh):
    """A topic and a group that nothing else uses."""
    opened = []
    yield Group(broker, fresh("group"), fresh("topic"), opened)
    for consumer in opened:
        consumer.close()


def _read(consumer, count, seconds=15.0):
    """The values of the next messages."""
    found, deadline = [], time.monotonic() + seconds
    while len(found) < count and time.monotonic() < deadline:
        found += [message.value().decode() for message in consumer.poll(500, 0.1)]
    return found


def test_a_member_reads_from_the_beginning_in_order(group):
    """A group without offsets begins at the start."""
    group.write(*map(str, range(1200)))
    consumer, listener = group.member()
    assert _read(consumer, 1200) == [str(n) for n in range(1200)]
    here = [TopicPartition(group.topic, 0)]
    assert (listener.events, list(consumer.assignment())) == ([("assigned", here)], here)


def _following(group, pattern, member="m0", **overrides):
    """A member that reads what a pattern means, looked up twice a second."""
    settings = group.settings(member, metadata_max_age_ms="500", **overrides)
    consumer, listener = KafkaRecordConsumer(settings, TopicPattern(pattern)), Listener()
    group.opened.append(consumer)
    consumer.subscribe([], listener)
    return consumer, listener


def _write(group, topic, value):
    """Make a topic and write into it."""
    create_topic(group.servers, topic)
    TopicWriter(group.servers).write(topic, [value.encode()])


def _delete(group, topic):
    """Remove a topic."""
    admin = Admin(group.servers)
    admin.answer(admin.client.delete_topics([topic])[topic])


def _reads_until(consumer, wanted, seconds=30.0):
    """Poll until the member has exactly these topics."""
    deadline = time.monotonic() + seconds
    while (found := {home.topic for home in consumer.assignment()}) != wanted:
        assert time.monotonic() < deadline, f"{found} instead of {wanted}"
        consumer.poll(500, 0.1)


def test_topics_of_a_pattern_are_followed_as_they_come_and_go(group):
    """A sink with ``topics.regex`` often starts before the source that makes its topics."""
    first, second, other = (f"{group.topic}{end}" for end in ("-a", "-b", "-a-old"))
    consumer, listener = _following(group, f"{group.topic}-a|{group.topic}-b")
    assert _read(consumer, 1, seconds=2) == []
    for topic in (other, first):
        _write(group, topic, topic)
    assert _read(consumer, 1, seconds=30) == [first]
    _write(group, second, second)
    assert set(_read(consumer, 2, seconds=30)) == {first, second}  # nothing was committed
    _delete(group, first)
    _reads_until(consumer, {second})
    assert ("revoked", [TopicPartition(first, 0), TopicPartition(second, 0)]) in listener.events
    _delete(group, second)
    _reads_until(consumer, set())
    _write(group, first, "anew")
    assert _read(consumer, 1, seconds=30) == ["anew"]


@pytest.mark.parametrize(
    ("pattern", "ends"),
    [
        ("{0}|{0}-a", ["", "-a"]),
        ("^{0}", [""]),
        (r"{0}-\d", ["-1"]),
        ("(?!.*-old){0}.*", ["", "-1", "-a", "-b"]),
        ("(?i){0}-[A-B]", ["-a", "-b"]),
        (r"\Q{0}\E-\p{{Alpha}}(-old)?", ["-a", "-a-old", "-b"]),
    ],
    ids=["alternatives", "begin", "digit", "look-ahead", "case", "quoted"],
)
def test_a_pattern_reads_the_topics_that_java_would(group, pattern, ends):
    """``Pattern.matches`` over the topics that there are, whatever the client thinks of it."""
    for end in ("", "-a", "-b", "-1", "-a-old"):
        create_topic(group.servers, group.topic + end)
    consumer, _ = _following(group, pattern.format(group.topic))
    _reads_until(consumer, {group.topic + end for end in ends})


def test_kafkas_own_topics_are_read_if_they_are_asked_for_only(group):
    """``exclude.internal.topics`` is true unless it is set."""
    group.write("a")
    consumer, _ = group.member("another")
    _read(consumer, 1)
    consumer.commit({TopicPartition(group.topic, 0): 1})  # so that there are group offsets
    pattern = f"{group.topic}|__consumer_offsets"
    without, _ = _following(group, pattern, group_id=f"{group.name}-1")
    _reads_until(without, {group.topic})
    asked = {"exclude.internal.topics": "false"}
    settings = group.settings(group_id=f"{group.name}-2")
    everything = KafkaRecordConsumer(settings, TopicPattern.of(pattern, asked))
    group.opened.append(everything)
    everything.subscribe([], Listener())
    _reads_until(everything, {group.topic, "__consumer_offsets"})


def test_a_pattern_in_the_place_of_a_topic_is_refused(group):
    """The client would take it for one."""
    consumer = KafkaRecordConsumer(group.settings())
    group.opened.append(consumer)
    with pytest.raises(ConnectError, match=r"Invalid topics: \[\^a\]"):
        consumer.subscribe(["^a"], Listener())


def test_a_poll_has_an_upper_limit(group):
    """However much is at hand."""
    group.write(*map(str, range(300)))
    consumer, _ = group.member()
    sizes = [len(_first(consumer, 7)) for _ in range(20)]
    assert max(sizes) == 7


def test_a_committed_offset_is_the_next_one_to_read(group):
    """For a plain reader, for ourselves, and for the next member."""
    group.write("a", "b", "c")
    here = TopicPartition(group.topic, 0)
    consumer, _ = group.member()
    _read(consumer, 3)
    assert consumer.positions([here]) == {here: 0}
    consumer.commit({here: 2})
    assert group.committed() == 2
    consumer.close()
    successor, _ = group.member()
    assert _read(successor, 1) == ["c"]
    assert successor.positions([here]) == {here: 2}


@pytest.mark.parametrize(("reset", "begin"), [("earliest", 1), ("latest", 3), ("error", None)])
def test_a_group_without_offsets_begins_where_its_reset_policy_says(group, reset, begin):
    """At the first record that there still is, at the end, or nowhere."""
    group.write("a", "b", "c")
    here, admin = TopicPartition(group.topic, 0), Admin(group.servers)
    deleted = admin.client.delete_records([ClientPartition(group.topic, 0, 1)])
    admin.answer(next(iter(deleted.values())))

    consumer, listener = group.member(auto_offset_reset=reset)
    listener.on_assigned = lambda _: listener.events.append(_assigned_offsets(consumer))
    assert until(lambda: listener.events or _polled(consumer))

    assert consumer.positions([here]) == ({} if begin is None else {here: begin})
    assert listener.events[1] == [OFFSET_STORED if begin is None else begin]


@pytest.mark.parametrize(
    ("reset", "seen"), [("earliest", "d"), ("latest", "e"), ("error", "kafka.consume-failed")]
)
def test_a_group_whose_offset_is_gone_goes_on_where_its_reset_policy_says(
    group, caplog, reset, seen
):
    """Retention was faster than the group; without a policy its task fails, as in Java."""
    group.write("a", "b", "c", "d")
    here, admin = TopicPartition(group.topic, 0), Admin(group.servers)
    first, _ = group.member()
    _read(first, 4)
    first.commit({here: 1})
    first.close()
    deleted = admin.client.delete_records([ClientPartition(group.topic, 0, 3)])
    admin.answer(next(iter(deleted.values())))

    second, _ = group.member("m1", auto_offset_reset=reset)
    found = []
    assert until(lambda: found.append(_end_of_poll(second)) or any(found) or _reset(caplog))
    group.write("e")
    assert until(lambda: found.append(_end_of_poll(second)) or any(found))
    assert next(filter(None, found)) == seen


def _end_of_poll(consumer):
    """The value of a message, the code of an error, or nothing."""
    try:
        return next((message.value().decode() for message in consumer.poll(1, 0.1)), "")
    except ConnectError as error:
        return error.code


def _reset(caplog):
    """Whether the log says so."""
    return "Broker: Offset out of range" in caplog.text


def _polled(consumer):
    """What a poll gives, if the reset does not forbid it."""
    with suppress(ConnectError):
        return consumer.poll(1, 0.1)


def _assigned_offsets(consumer):
    """Where the client was assigned to begin, so that it does not reset later on its own."""
    return [partition.offset for partition in consumer._consumer.assignment()]


def test_a_seek_goes_back_and_to_the_beginning(group):
    """An offset, or none."""
    group.write("a", "b", "c")
    here = TopicPartition(group.topic, 0)
    consumer, _ = group.member()
    _read(consumer, 3)
    consumer.seek(here, 1)
    assert _read(consumer, 2) == ["b", "c"]
    consumer.seek(here, None)
    assert _read(consumer, 3) == ["a", "b", "c"]


def test_a_pause_while_partitions_are_assigned_holds_from_the_start(group):
    """How a task that waits for a retry keeps new partitions still."""
    group.write("a")
    consumer, listener = group.member()
    listener.on_assigned = consumer.pause
    assert _read(consumer, 1, seconds=1.5) == []
    assert listener.events
    consumer.resume(consumer.assignment())
    assert _read(consumer, 1) == ["a"]


def test_a_seek_in_a_foreign_partition_is_explained(group, monkeypatch):
    """This member does not own it."""
    from plugwright.kafka import consumer as implementation  # noqa: PLC0415  # its patience

    monkeypatch.setattr(implementation, "_SEEK_TIMEOUT_S", 0.1)
    consumer, _ = group.member()
    with pytest.raises(ConnectError) as caught:
        consumer.seek(TopicPartition("elsewhere", 0), 1)
    assert caught.value.code == "kafka.seek-failed"


def test_a_seek_right_after_the_poll_that_assigned_decides_where_reading_begins(group):
    """The loop's own way."""
    group.write("a", "b", "c")
    consumer, listener = group.member()
    while not listener.events:
        consumer.poll(500, 0.1)
    consumer.seek(TopicPartition(group.topic, 0), 2)
    assert _read(consumer, 1)[-1] == "c"


def test_a_paused_partition_brings_nothing_until_it_is_resumed(group):
    """Not even what the client has at hand already."""
    group.write("a", "b", "c")
    here = TopicPartition(group.topic, 0)
    consumer, _ = group.member()
    first = [message.value().decode() for message in _first(consumer, 1)]
    consumer.pause([here])
    TopicWriter(group.servers).write(group.topic, [b"d"])
    assert _read(consumer, 1, seconds=0.7) == []
    consumer.resume([here])
    assert first + _read(consumer, 3) == ["a", "b", "c", "d"]


def _first(consumer, limit):
    while not (found := consumer.poll(limit, 0.1)):
        pass
    return found


def test_a_second_member_takes_its_share(group):
    """The first one receives the revocation, and reads only what it owns."""
    group.write("a", "b", "c", "d", partitions=2)
    first, listener = group.member("m0", session_timeout_ms="6000", heartbeat_interval_ms="300")
    _read(first, 4)
    second, _ = group.member("m1", session_timeout_ms="6000", heartbeat_interval_ms="300")
    deadline = time.monotonic() + 20
    while (len(first.assignment()), len(second.assignment())) != (1, 1):
        assert time.monotonic() < deadline, listener.events
        first.poll(10, 0.05)
        second.poll(10, 0.05)
    assert listener.events[1] == ("revoked", [TopicPartition(group.topic, n) for n in (0, 1)])


def test_a_killed_member_comes_back_to_its_place_at_once(group):
    """A static member (KIP-345): no member waits for its session to run out."""
    group.write("a", "b")
    script = (
        "import sys, json\n"
        "from plugwright.kafka import KafkaRecordConsumer\n"
        "from tests.runtime.kafka.test_consumer import Listener\n"
        "settings, topic = json.loads(sys.argv[1]), sys.argv[2]\n"
        "consumer = KafkaRecordConsumer(settings)\n"
        "consumer.subscribe([topic], Listener())\n"
        "while not consumer.poll(1, 1): pass\n"
        "print('reading', flush=True)\n"
        "while True: consumer.poll(1, 1)\n"
    )
    settings = {
        k: v for k, v in group.settings(session_timeout_ms="45000").items() if k != "logger"
    }
    command = [sys.executable, "-c", script, json.dumps(settings), group.topic]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(Path.cwd())}
    ) as process:
        assert process.stdout.readline() == b"reading\n"
        process.send_signal(signal.SIGKILL)
    began = time.monotonic()
    assert _read(group.member(session_timeout_ms="45000")[0], 2) == ["a", "b"]
    assert time.monotonic() - began < 10


def test_a_fenced_member_fails_instead_of_reading_on(group):
    """Its successor has taken its place: committing or polling fails."""
    group.write("a")
    here = TopicPartition(group.topic, 0)
    old, _ = group.member(heartbeat_interval_ms="300")
    _read(old, 1)
    new, _ = group.member(heartbeat_interval_ms="300")
    _read(new, 1)
    with pytest.raises(ConnectError) as caught:
        _until_it_fails(lambda: old.commit({here: 1}), lambda: old.poll(1, 0.1))
    assert caught.value.code in {"kafka.commit-failed", "kafka.consume-failed"}


def _until_it_fails(*steps):
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        for step in steps:
            step()


def test_a_topic_that_is_made_later_is_read(group):
    """Until then it is no error."""
    consumer, _ = group.member(
        topic_metadata_refresh_interval_ms="200", allow_auto_create_topics="false"
    )
    assert _read(consumer, 1, seconds=0.5) == []
    group.write("a")
    assert _read(consumer, 1) == ["a"]


def test_leaving_hands_the_partitions_back(group):
    """The listener hears it; loops that have ended do not listen any more."""
    group.write("a")
    consumer, listener = group.member()
    _read(consumer, 1)
    consumer.close()
    assert listener.events[-1] == ("revoked", [TopicPartition(group.topic, 0)])


def test_an_unreachable_coordinator_is_worth_a_retry(group, monkeypatch):
    """Offsets are asked for in every assignment."""
    from plugwright.errors import RetriableError  # noqa: PLC0415  # for this test
    from plugwright.kafka import consumer as implementation  # noqa: PLC0415  # its patience

    monkeypatch.setattr(implementation, "_OFFSETS_TIMEOUT_S", 0.2)
    alone = KafkaRecordConsumer({**group.settings(), "bootstrap.servers": "127.0.0.1:1"})
    alone.subscribe(["t"], Listener())
    alone._assigned(alone._consumer, [ClientPartition("t", 0)])
    with pytest.raises(RetriableError) as caught:
        alone.positions([TopicPartition("t", 0)])
    alone.close()
    assert caught.value.code == "kafka.offsets-unavailable"


class _Faulty:
    """A message that is an error."""

    def __init__(self, code):
        self._error = KafkaError(code)

    def error(self):
        return self._error

    def topic(self):
        return "orders"


@pytest.mark.parametrize("code", [KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._MAX_POLL_EXCEEDED])
def test_what_passes_by_itself_is_no_failure(code):
    """A topic may be created yet; after a long put the next poll rejoins."""
    KafkaRecordConsumer._judge([_Faulty(code)], {"group.id": "readers"})


@pytest.mark.parametrize(
    "code", [KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError.FENCED_INSTANCE_ID]
)
def test_what_does_not_pass_fails_the_task(code):
    """With the client's own name for it."""
    with pytest.raises(ConnectError) as caught:
        KafkaRecordConsumer._judge([_Faulty(code)], {"group.id": "readers"})
    assert caught.value.facts["error"] == KafkaError(code).name()


def test_a_commit_that_does_not_wait_is_answered_in_a_later_poll(group):
    """In order, and a commit that waits does not take its answer."""
    group.write(*map(str, range(10)))
    consumer, _ = group.member()
    _read(consumer, 10)
    here, answers = TopicPartition(group.topic, 0), []
    consumer.commit_async({here: 3}, lambda error: answers.append((3, error)))
    consumer.commit_async({here: 5}, lambda error: answers.append((5, error)))
    consumer.commit({here: 6})
    assert [number for number, _ in answers] in ([], [3, 5])
    _read(consumer, 1, 2.0)
    assert answers == [(3, None), (5, None)]
    assert group.committed() == 6


def test_a_commit_of_a_fenced_member_is_answered_with_an_error(group):
    """A second member under the same name has taken its place (KIP-345)."""
    group.write("a")
    first, _ = group.member()
    _read(first, 1)
    second, _ = group.member()
    _read(second, 1)
    answers = []
    first.commit_async({TopicPartition(group.topic, 0): 1}, answers.append)
    with pytest.raises(ConnectError):
        _read(first, 1, 10.0)
    assert all(answer.code == "kafka.commit-failed" for answer in answers)


def test_a_commit_from_before_an_outage_does_not_end_the_member(group):
    """Its answer, that the member is fenced, is about an earlier life of the same member."""
    group.write("a")
    here, answers = TopicPartition(group.topic, 0), []
    member, listener = group.member()
    assert _read(member, 1) == ["a"]
    successor, _ = group.member()
    assert _read(successor, 1) == ["a"]
    member.commit_async({here: 1}, answers.append)
    member._lost(member._consumer, [ClientPartition(group.topic, 0)])  # as the client tells it

    group.write("b")

    assert _read(member, 2, 60.0) == ["a", "b"]
    assert [each.code for each in answers] == ["kafka.commit-failed"]
    assert listener.events[-1] == ("assigned", [here])
    assert ("lost", [here]) in listener.events[:-1]


def test_cooperative_members_give_up_only_what_has_to_move(group):
    """KIP-429: callbacks bring deltas, and reading goes on in what stays."""
    group.write(*map(str, range(40)), partitions=2)
    strategy = "org.apache.kafka.clients.consumer.CooperativeStickyAssignor"
    first, listener = group.member("m0", partition_assignment_strategy=strategy)
    _read(first, 40)
    both = sorted(first.assignment())
    second, other = group.member("m1", partition_assignment_strategy=strategy)
    deadline = time.monotonic() + 30
    while len(second.assignment()) < 1 and time.monotonic() < deadline:
        first.poll(10, 0.1)
        second.poll(10, 0.1)
    assert [len(first.assignment()), len(second.assignment())] == [1, 1]
    moved = list(second.assignment())
    assert [each for each in listener.events if each[1]] == [("assigned", both), ("revoked", moved)]
    assert [each for each in other.events if each[1]] == [("assigned", moved)]


def _there(group):
    """Whether the topic is in the list of all topics, which creates none."""
    client = Consumer({"bootstrap.servers": group.servers, "group.id": "looking"})
    try:
        return group.topic in client.list_topics(timeout=10).topics
    finally:
        client.close()


def test_a_missing_topic_is_created_by_the_brokers_when_it_is_subscribed_to(group):
    """As with Java's consumer, whose requests allow it unless it is set otherwise."""
    assert not _there(group)

    consumer, listener = group.member()
    deadline = time.monotonic() + 60
    while not listener.events and time.monotonic() < deadline:
        consumer.poll(10, 0.1)

    assert _there(group)
    assert listener.events == [("assigned", [TopicPartition(group.topic, 0)])]


@pytest.mark.parametrize("value", ["false", "False"])
def test_a_missing_topic_stays_missing_where_the_consumer_must_not_create_any(group, value):
    """``consumer.override.allow.auto.create.topics=false`` of a connector."""
    consumer, _ = group.member(allow_auto_create_topics=value)
    consumer.poll(10, 2.0)

    assert not _there(group)


def test_a_pattern_creates_no_topic(group):
    """Not even one that reads like a name."""
    consumer, _ = _following(group, group.topic)
    consumer.poll(10, 2.0)

    assert not _there(group)
