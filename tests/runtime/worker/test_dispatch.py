"""Back-pressure and topics: records wait for room, and for their topic, without a loss."""

from __future__ import annotations

import pytest
from tests.runtime.worker.rigs import SourceRig, line

from plugwright.errors import ConnectError, RetriableError
from plugwright.worker import TopicCreation, TopicGroup

DEFAULT = TopicGroup("default", (".*",), partitions=5)
LOGS = TopicGroup("logs", ("log-.*", "t"), ("log-secret",), 2, 1, {"cleanup.policy": "compact"})


class Admin:
    """Knows some topics, and makes others; failures come as specified."""

    def __init__(self, *known, trouble=()):
        self.known = set(known)
        self.made = []
        self.asked = []
        self.trouble = list(trouble)

    def exists(self, topic):
        """Whether it does."""
        self.asked.append(topic)
        if self.trouble:
            raise self.trouble.pop(0)
        return topic in self.known

    def create(self, topic, group):
        """Make it."""
        self.made.append((topic, group))


@pytest.fixture
def rig():
    """A source loop with a scripted task."""
    return SourceRig()


def test_a_full_producer_is_waited_for(rig):
    """Its callbacks run meanwhile, which makes room; nothing is lost or doubled."""
    rig.producer.room = 3
    full = rig.producer.when_full
    rig.producer.when_full = lambda call: full(lambda: rig.producer.acknowledge(1) or call())
    rig.run([line("a", n) for n in range(10)], rig.acknowledge())
    assert rig.producer.topic == [f"a{n}" for n in range(10)]
    assert rig.offsets.stored == {(("file", "a"),): {"line": 9}}


def test_a_stop_ends_the_waiting_for_room(rig):
    """What was not queued is read again; its offset is not stored."""
    rig.producer.room = 1
    full = rig.producer.when_full
    rig.producer.when_full = lambda call: full(lambda: rig.control.stop() or call())
    rig.run([line("a", 1), line("a", 2)])
    assert (rig.status.states[-1], rig.offsets.writes) == ("STOPPED", [])


def test_offsets_are_stored_while_there_is_no_room(rig):
    """A long wait holds back nothing that is acknowledged."""
    rig.producer.room = 1
    full = rig.producer.when_full

    seen = []

    def impatient(call):
        def waiting():
            rig.producer.acknowledge(1)
            rig.clock.advance(10.0)
            call()
            seen.append(dict(rig.offsets.stored))

        full(waiting)

    rig.producer.when_full = impatient
    rig.run([line("a", 1)], [line("b", 1)])
    assert seen == [{(("file", "a"),): {"line": 1}}]


def test_a_refusal_ends_the_waiting_for_room(rig):
    """The task fails at once."""
    rig.producer.room = 1
    full = rig.producer.when_full
    rig.producer.when_full = lambda call: full(lambda: rig.producer.refuse(1) or call())
    rig.run([line("a", 1), line("a", 2)])
    assert rig.status.error.code == "kafka.record-refused"


def test_a_topic_is_made_before_its_first_record(rig):
    """As its group has it, and once."""
    admin = Admin()
    rig.creation = TopicCreation([LOGS, DEFAULT], admin)
    rig.run([line("a", 1)], [line("a", 2)])
    assert (admin.asked, admin.made) == (["t"], [("t", LOGS)])


def test_a_topic_that_exists_is_left_alone(rig):
    """And not asked about again."""
    admin = Admin("t")
    rig.creation = TopicCreation([DEFAULT], admin)
    rig.run([line("a", 1)], [line("a", 2)])
    assert (admin.asked, admin.made) == (["t"], [])


def test_no_groups_no_questions(rig):
    """Kafka: at least one topic.creation. setting is needed."""
    admin = Admin()
    rig.creation = TopicCreation([], admin)
    rig.run([line("a", 1)])
    assert (admin.asked, len(rig.producer.in_flight)) == ([], 1)


@pytest.mark.parametrize(
    ("topic", "group"),
    [("log-1", LOGS), ("log-secret", DEFAULT), ("xlog-1", DEFAULT), ("other", DEFAULT)],
)
def test_the_first_group_that_matches_the_whole_name_wins(topic, group):
    """An exclusion wins over an inclusion; default takes the rest."""
    admin = Admin()
    TopicCreation([LOGS, DEFAULT], admin).ensure([topic])
    assert admin.made == [(topic, group)]


def test_an_admin_client_without_answer_is_asked_again(rig):
    """The record waits; commits go on."""
    admin = Admin(trouble=[RetriableError("away")] * 3)
    rig.creation = TopicCreation([DEFAULT], admin)
    rig.run([line("a", 1)])
    assert (len(admin.asked), admin.made, len(rig.producer.in_flight)) == (4, [("t", DEFAULT)], 1)


def test_a_stop_ends_the_waiting_for_a_topic(rig):
    """Nothing of the batch is sent."""
    rig.creation = TopicCreation([DEFAULT], Admin(trouble=[RetriableError("away")] * 9))
    rig.control.waits.append(rig.control.stop)
    rig.run([line("a", 1)])
    assert (rig.status.states[-1], len(rig.producer.in_flight)) == ("STOPPED", 0)


def test_a_topic_that_kafka_refuses_fails_the_task(rig):
    """A topic that may not be made is no use."""
    rig.creation = TopicCreation([DEFAULT], Admin(trouble=[ConnectError("no", code="x.y")]))
    rig.run([line("a", 1)])
    assert rig.status.error.code == "x.y"
