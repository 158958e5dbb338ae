"""The only room that talks to Kafka: clients for the task loops, internal topics, brokers."""

from __future__ import annotations

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
