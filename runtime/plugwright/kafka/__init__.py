"""The only room that talks to Kafka: clients for the task loops, internal topics, brokers."""

from __future__ import annotations

from plugwright.kafka._consumer import KafkaRecordConsumer
from plugwright.kafka._group_offsets import GroupOffsets
from plugwright.kafka._log import CompactedTopic, KafkaLog
from plugwright.kafka._offset_store import KafkaOffsetStore
from plugwright.kafka._producer import KafkaRecordProducer
from plugwright.kafka._settings import client_settings, consumer_settings, producer_settings
from plugwright.kafka._shards import ShardListener, ShardMembership
from plugwright.kafka._topics import TopicWriter, create_topic, end_offsets, read_topic

__all__ = [
    "CompactedTopic",
    "GroupOffsets",
    "KafkaLog",
    "KafkaOffsetStore",
    "KafkaRecordConsumer",
    "KafkaRecordProducer",
    "ShardListener",
    "ShardMembership",
    "TopicWriter",
    "client_settings",
    "consumer_settings",
    "create_topic",
    "end_offsets",
    "producer_settings",
    "read_topic",
]
