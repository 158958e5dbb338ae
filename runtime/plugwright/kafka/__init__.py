"""The only room that talks to Kafka: clients for the task loops, internal topics, brokers.

Names are imported when they are first used (PEP 562): who reads a range of offsets, in a process
that lives for one batch, needs no task loop.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plugwright.kafka._consumer import KafkaRecordConsumer
    from plugwright.kafka._group_offsets import GroupOffsets
    from plugwright.kafka._log import CompactedTopic, KafkaLog
    from plugwright.kafka._log_positions import LogPositions, Subscription
    from plugwright.kafka._offset_store import KafkaOffsetStore, serialized_offsets
    from plugwright.kafka._producer import BackgroundProducer, KafkaRecordProducer
    from plugwright.kafka._range_reader import read_ranges
    from plugwright.kafka._ranges import (
        OffsetRange,
        admitted,
        ranges_between,
        shared_out,
        split_ranges,
        task_of,
    )
    from plugwright.kafka._settings import (
        ClientOverrides,
        assignment_strategy,
        client_settings,
        consumer_settings,
        producer_settings,
        transactional_settings,
    )
    from plugwright.kafka._shards import ShardListener, ShardMembership
    from plugwright.kafka._topic_admin import KafkaTopicAdmin
    from plugwright.kafka._topics import (
        TopicWriter,
        cluster_id,
        create_topic,
        end_offsets,
        read_topic,
        topic_exists,
    )
    from plugwright.kafka._transactions import KafkaTransactionalProducer, fence_producers
    from plugwright.kafka._worker_clients import worker_clients

__all__ = [
    "BackgroundProducer",
    "ClientOverrides",
    "CompactedTopic",
    "GroupOffsets",
    "KafkaLog",
    "KafkaOffsetStore",
    "KafkaRecordConsumer",
    "KafkaRecordProducer",
    "KafkaTopicAdmin",
    "KafkaTransactionalProducer",
    "LogPositions",
    "OffsetRange",
    "ShardListener",
    "ShardMembership",
    "Subscription",
    "TopicWriter",
    "admitted",
    "assignment_strategy",
    "client_settings",
    "cluster_id",
    "consumer_settings",
    "create_topic",
    "end_offsets",
    "fence_producers",
    "producer_settings",
    "ranges_between",
    "read_ranges",
    "read_topic",
    "serialized_offsets",
    "shared_out",
    "split_ranges",
    "task_of",
    "topic_exists",
    "transactional_settings",
    "worker_clients",
]

_HOMES = {
    "BackgroundProducer": "plugwright.kafka._producer",
    "ClientOverrides": "plugwright.kafka._settings",
    "CompactedTopic": "plugwright.kafka._log",
    "GroupOffsets": "plugwright.kafka._group_offsets",
    "KafkaLog": "plugwright.kafka._log",
    "KafkaOffsetStore": "plugwright.kafka._offset_store",
    "KafkaRecordConsumer": "plugwright.kafka._consumer",
    "KafkaRecordProducer": "plugwright.kafka._producer",
    "KafkaTopicAdmin": "plugwright.kafka._topic_admin",
    "KafkaTransactionalProducer": "plugwright.kafka._transactions",
    "LogPositions": "plugwright.kafka._log_positions",
    "OffsetRange": "plugwright.kafka._ranges",
    "ShardListener": "plugwright.kafka._shards",
    "ShardMembership": "plugwright.kafka._shards",
    "Subscription": "plugwright.kafka._log_positions",
    "TopicWriter": "plugwright.kafka._topics",
    "admitted": "plugwright.kafka._ranges",
    "assignment_strategy": "plugwright.kafka._settings",
    "client_settings": "plugwright.kafka._settings",
    "cluster_id": "plugwright.kafka._topics",
    "consumer_settings": "plugwright.kafka._settings",
    "create_topic": "plugwright.kafka._topics",
    "end_offsets": "plugwright.kafka._topics",
    "fence_producers": "plugwright.kafka._transactions",
    "producer_settings": "plugwright.kafka._settings",
    "ranges_between": "plugwright.kafka._ranges",
    "read_ranges": "plugwright.kafka._range_reader",
    "read_topic": "plugwright.kafka._topics",
    "serialized_offsets": "plugwright.kafka._offset_store",
    "shared_out": "plugwright.kafka._ranges",
    "split_ranges": "plugwright.kafka._ranges",
    "task_of": "plugwright.kafka._ranges",
    "topic_exists": "plugwright.kafka._topics",
    "transactional_settings": "plugwright.kafka._settings",
    "worker_clients": "plugwright.kafka._worker_clients",
}


def __getattr__(name: str) -> object:
    """Import a name of the room when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found
