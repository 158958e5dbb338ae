"""What each Kafka client of a worker does first."""

from __future__ import annotations

from tests.e2e.workers import until

from plugwright.kafka import (
    CompactedTopic,
    GroupOffsets,
    KafkaLog,
    KafkaOffsetStore,
    KafkaRecordConsumer,
    KafkaRecordProducer,
    ShardMembership,
    TopicShape,
    cluster_id,
    consumer_settings,
    fence_producers,
    producer_settings,
)

__all__ = ["CLIENTS"]


class _IdleListener:
    """A listener that has no use for shards."""

    def assigned(self, shards):
        pass

    revoked = lost = assigned


def _log(servers, clients, name):
    log = KafkaLog(servers, CompactedTopic(name), client_id=name, clients=clients)
    try:
        log.start(lambda *_: None)
        log.take(f"{name}-writer")
        log.send([("a", b"1")], f"{name}-writer")
        log.read_to_end()
    finally:
        log.close()


def _shards(servers, clients, name):
    membership = ShardMembership(servers, name, CompactedTopic(name), clients=clients)
    membership.start("http://127.0.0.1:1", _IdleListener())
    assert until(lambda: membership.owner_of("orders")) == "http://127.0.0.1:1"
    membership.close()


def _offsets(servers, clients, name):
    own = {"shared_topic": name, "overrides": clients, "shared_overrides": clients}
    store = KafkaOffsetStore(servers, f"{name}-own", "orders", shape=TopicShape(1), **own)
    store.store([({"file": "a"}, {"position": 1})])
    store.close()
    again = KafkaOffsetStore(servers, name, "orders", overrides=clients)
    assert again.offset({"file": "a"}) == {"position": 1}


def _produced(servers, clients, name):
    producer = KafkaRecordProducer(producer_settings(servers, name, clients.producer))
    reported = []
    try:
        producer.send(
            [(name, None, None, b"1", None, None, lambda *answer: reported.append(answer))]
        )
        assert until(lambda: producer.serve() or reported, 20)
    finally:
        producer.close()


def _consumed(servers, clients, name):
    consumer = KafkaRecordConsumer(consumer_settings(servers, name, name, clients.consumer))
    try:
        consumer.subscribe(["__consumer_offsets", f"{name}-absent"], _IdleListener())
        assert until(lambda: consumer.poll(1, 0.1) or consumer.assignment(), 20)
    finally:
        consumer.close()


CLIENTS = {
    "id": lambda servers, clients, _: cluster_id(servers, overrides=clients.admin),
    "log": _log,
    "shards": _shards,
    "offsets": _offsets,
    "group": lambda servers, clients, name: GroupOffsets(servers, name, clients.admin).read(),
    "fence": lambda servers, clients, name: fence_producers(servers, [name], clients.producer),
    "producer": _produced,
    "consumer": _consumed,
}
