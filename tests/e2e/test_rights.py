"""The page of rights, tried on Kafka's own authorizer: what it lists is enough, and is needed."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from tests.e2e.authorized import authorized_kafka, login, rights_of_page
from tests.e2e.workers import until

from plugwright.errors import ConnectError
from plugwright.kafka import (
    CompactedTopic,
    GroupOffsets,
    KafkaLog,
    KafkaOffsetStore,
    KafkaRecordConsumer,
    KafkaRecordProducer,
    KafkaTopicAdmin,
    KafkaTransactionalProducer,
    OffsetRange,
    ShardMembership,
    consumer_settings,
    create_topic,
    fence_producers,
    producer_settings,
    read_ranges,
    transactional_settings,
    worker_clients,
)
from plugwright.record import TopicPartition

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(300)]

_NOT_ALONE = frozenset({"Describe", "DescribeConfigs"})
"""To write or to read includes the first, and without the second there is a warning."""
NAMES = (
    "config.storage.topic",
    "offset.storage.topic",
    "offsets.storage.topic",
    "status.storage.topic",
    "group.id",
    "name",
    "topics",
    "errors.deadletterqueue.topic.name",
)
"""Of the resources in the trials; each trial has fresh ones."""


class _IdleListener:
    """A listener that has no use for partitions."""

    def assigned(self, partitions):
        pass

    revoked = lost = assigned


@pytest.fixture(scope="module")
def kafka():
    """With an authorizer."""
    with authorized_kafka() as opened:
        yield opened


def _of_records(values):
    """With what stands for names in the page."""
    topic = values["topics"]
    return {
        **values,
        "shard.storage.partitions": "24",
        "the topics of its records": topic,
        "the topic": topic,
    }


def _internal(servers, values):
    clients = worker_clients(login())
    log = KafkaLog(
        servers,
        CompactedTopic(values["config.storage.topic"]),
        client_id="c",
        group=values["group.id"],
        clients=clients,
    )
    writer = f"{values['group.id']}-shard-0"
    try:
        log.start(lambda *_: None)
        log.take(writer)
        log.send([("a", b"1")], writer)
        log.read_to_end()
    finally:
        log.close()


def _membership(servers, values):
    topic = CompactedTopic(f"{values['config.storage.topic']}-shards", partitions=2)
    membership = ShardMembership(
        servers, values["group.id"], topic, clients=worker_clients(login())
    )
    membership.start("http://127.0.0.1:1", _IdleListener(), timeout_s=30)
    membership.close()


def _sink_offsets(servers, values):
    create_topic(servers, values["topics"], overrides=login())
    offsets = GroupOffsets(servers, f"connect-{values['name']}", login())
    offsets.alter({TopicPartition(values["topics"], 0): 0})
    assert offsets.read() == {TopicPartition(values["topics"], 0): 0}
    offsets.reset()


def _source(servers, values):
    admin = KafkaTopicAdmin(servers, login())
    assert not admin.exists(values["topics"])
    create_topic(servers, values["topics"], overrides=login())
    _send(KafkaRecordProducer(producer_settings(servers, "c", login())), values["topics"])


def _send(producer, topic):
    reported = []
    try:
        producer.send(
            [(topic, None, None, b"1", None, None, lambda *answer: reported.append(answer))]
        )
        assert until(lambda: producer.serve() or reported, 30)
    finally:
        producer.close()
    if reported[0][0] is not None:
        raise ConnectError(str(reported[0][0]))


def _exactly_once(servers, values):
    topic = values["offset.storage.topic"]
    ids = f"{values['group.id']}-{values['name']}-0"
    settings = transactional_settings(servers, "c", ids, login())
    producer = KafkaTransactionalProducer(
        settings,
        lambda: KafkaOffsetStore(servers, topic, values["name"], overrides=worker_clients(login())),
    )
    try:
        producer.begin()
        producer.commit([({"file": "a"}, {"position": 1})])
    finally:
        producer.close()
    fence_producers(servers, [ids], login())
    clients = worker_clients(login())
    again = KafkaOffsetStore(servers, topic, values["name"], overrides=clients)
    assert again.offset({"file": "a"}) == {"position": 1}


def _offsets_of_its_own(servers, values):
    topic, clients = values["offsets.storage.topic"], worker_clients(login())
    store = KafkaOffsetStore(servers, topic, values["name"], overrides=clients)
    try:
        store.store([({"file": "a"}, {"position": 1})])
    finally:
        store.close()
    again = KafkaOffsetStore(servers, topic, values["name"], overrides=clients)
    assert again.offset({"file": "a"}) == {"position": 1}


def _sink(servers, values):
    create_topic(servers, values["topics"], overrides=login())
    group = f"connect-{values['name']}"
    consumer = KafkaRecordConsumer(consumer_settings(servers, "c", group, login()))
    try:
        consumer.subscribe([values["topics"]], _IdleListener())
        assert until(lambda: consumer.poll(1, 0.1) or consumer.assignment(), 30)
        consumer.commit({TopicPartition(values["topics"], 0): 0})
    finally:
        consumer.close()


def _dead_letters(servers, values):
    topic = values["errors.deadletterqueue.topic.name"]
    create_topic(servers, topic, overrides=login())
    _send(KafkaRecordProducer(producer_settings(servers, "c", login())), topic)


def _ranges(servers, values):
    create_topic(servers, values["topics"], overrides=login())
    topic = values["topics"]
    _send(KafkaRecordProducer(producer_settings(servers, "c", login())), topic)
    found = read_ranges(servers, [OffsetRange(topic, 0, 0, 1)], login(), timeout_s=30)
    assert [each.value() for batch in found for each in batch] == [b"1"]


TRIALS = {
    "a distributed worker, for its topics": _internal,
    "a distributed worker, for its group": _membership,
    "any worker, to show": _sink_offsets,
    "a task of a source connector": _source,
    "a task of an exactly-once source": _exactly_once,
    "a source connector with an offsets topic": _offsets_of_its_own,
    "a task of a sink connector": _sink,
    "a dead-letter queue": _dead_letters,
    "a data source with a topic": _ranges,
}


def _cases():
    """A trial for each right that the page gives; one topic stands for all internal ones."""
    placeholders = _of_records({each: f"<{each}>" for each in NAMES})
    found = {}
    for right in rights_of_page(placeholders):
        trial = next(trial for begin, trial in TRIALS.items() if right.purpose.startswith(begin))
        alike = trial is _internal and right.kind == "Topic" and "config" not in right.name
        what = replace(right, purpose="")
        if not alike and not right.name.endswith("-shards") and right.operation not in _NOT_ALONE:
            label = f"{right.kind} {right.name} {right.operation}"
            found.setdefault(what, pytest.param(trial, what, id=label))
    return list(found.values())


def _fresh_values(fresh):
    return _of_records({each: fresh(each.replace(".", "-")) for each in NAMES})


@pytest.mark.parametrize("trial", TRIALS.values(), ids=TRIALS)
def test_each_use_works_with_the_listed_rights(kafka, fresh, trial):
    """So that what fails below fails for lack of a right."""
    values = _fresh_values(fresh)
    kafka.allow(rights_of_page(values))

    trial(kafka.servers, values)


@pytest.mark.parametrize(
    ("kind", "setting"),
    [
        pytest.param("Topic", "offset.storage.topic", id="offsets"),
        pytest.param("TransactionalId", "name", id="id"),
    ],
)
def test_a_transaction_without_a_right_says_which_one_to_give(kafka, fresh, kind, setting):
    """The client itself says that something is not authorized, and for what purpose."""
    values = _fresh_values(fresh)
    kafka.allow(
        each
        for each in rights_of_page(values)
        if not (each.kind == kind and values[setting] in each.name and each.operation == "Write")
    )

    with pytest.raises(ConnectError, match="AUTHORIZATION_FAILED") as caught:
        _exactly_once(kafka.servers, values)

    named = f"{values['group.id']}-{values['name']}-0" if setting == "name" else values[setting]
    assert caught.value.code == "transaction.failed"
    assert f"grant Write on {kind} {named} to " in caught.value.hint


@pytest.mark.drill
@pytest.mark.parametrize(("trial", "right"), _cases())
def test_without_one_right_there_is_an_error_that_says_so(kafka, fresh, caplog, trial, right):
    """Or the client does in the log beside it; none of those that are listed is superfluous."""
    values = _fresh_values(fresh)
    name = re.sub("<(.+?)>", lambda found: values[found[1]], right.name)
    lacks = replace(right, name=name)
    kafka.allow(each for each in rights_of_page(values) if replace(each, purpose="") != lacks)

    with pytest.raises(ConnectError) as caught:
        trial(kafka.servers, values)

    assert "uthoriz" in f"{caught.value}{caught.value.__cause__}{caplog.text}", caught.value
