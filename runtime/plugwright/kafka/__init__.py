"""The only package that talks to Kafka: clients for the task loops, internal topics, brokers.

Names are imported when they are first used (PEP 562): a process that only reads a range of offsets
for one batch does not need the task loops.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.late import late_names

if TYPE_CHECKING:
    from plugwright.kafka._log import KafkaLog
    from plugwright.kafka._log_positions import LogPositions, Subscription
    from plugwright.kafka._producer import BackgroundProducer, KafkaRecordProducer
    from plugwright.kafka._ranges import (
        OffsetRange,
        batch_end,
        ranges_between,
        ranges_by_task,
        split_ranges,
        task_of,
    )
    from plugwright.kafka._record_format import is_readable
    from plugwright.kafka._settings import (
        ClientOverrides,
        assignment_strategy,
        client_settings,
        consumer_settings,
        max_poll_records,
        producer_settings,
        transactional_settings,
    )
    from plugwright.kafka._timeouts import KafkaTimeouts
    from plugwright.kafka._topic_admin import KafkaTopicAdmin
    from plugwright.kafka._topic_pattern import TopicPattern
    from plugwright.kafka._transactions import KafkaTransactionalProducer, fence_producers
    from plugwright.kafka._worker_clients import worker_clients
    from plugwright.kafka.compacted_topic import CompactedTopic, TopicShape
    from plugwright.kafka.consumer import KafkaRecordConsumer
    from plugwright.kafka.group_offsets import GroupOffsets, once_empty
    from plugwright.kafka.log_writer import WRITER_GONE
    from plugwright.kafka.offset_format import serialized_offsets
    from plugwright.kafka.offset_store import KafkaOffsetStore
    from plugwright.kafka.range_reader import read_ranges
    from plugwright.kafka.shards import ShardListener, ShardMembership
    from plugwright.kafka.topics import (
        TopicWriter,
        cluster_id,
        create_topic,
        end_offsets,
        read_topic,
        topic_exists,
    )

__all__ = [
    "WRITER_GONE",
    "BackgroundProducer",
    "ClientOverrides",
    "CompactedTopic",
    "GroupOffsets",
    "KafkaLog",
    "KafkaOffsetStore",
    "KafkaRecordConsumer",
    "KafkaRecordProducer",
    "KafkaTimeouts",
    "KafkaTopicAdmin",
    "KafkaTransactionalProducer",
    "LogPositions",
    "OffsetRange",
    "ShardListener",
    "ShardMembership",
    "Subscription",
    "TopicPattern",
    "TopicShape",
    "TopicWriter",
    "assignment_strategy",
    "batch_end",
    "client_settings",
    "cluster_id",
    "consumer_settings",
    "create_topic",
    "end_offsets",
    "fence_producers",
    "is_readable",
    "max_poll_records",
    "once_empty",
    "producer_settings",
    "ranges_between",
    "ranges_by_task",
    "read_ranges",
    "read_topic",
    "serialized_offsets",
    "split_ranges",
    "task_of",
    "topic_exists",
    "transactional_settings",
    "worker_clients",
]

__getattr__ = late_names(
    __name__,
    {
        "WRITER_GONE": ".log_writer",
        "BackgroundProducer": "._producer",
        "ClientOverrides": "._settings",
        "CompactedTopic": ".compacted_topic",
        "GroupOffsets": ".group_offsets",
        "KafkaLog": "._log",
        "KafkaOffsetStore": ".offset_store",
        "KafkaRecordConsumer": ".consumer",
        "KafkaRecordProducer": "._producer",
        "KafkaTimeouts": "._timeouts",
        "KafkaTopicAdmin": "._topic_admin",
        "KafkaTransactionalProducer": "._transactions",
        "LogPositions": "._log_positions",
        "OffsetRange": "._ranges",
        "ShardListener": ".shards",
        "ShardMembership": ".shards",
        "Subscription": "._log_positions",
        "TopicPattern": "._topic_pattern",
        "TopicShape": ".compacted_topic",
        "TopicWriter": ".topics",
        "assignment_strategy": "._settings",
        "batch_end": "._ranges",
        "client_settings": "._settings",
        "cluster_id": ".topics",
        "consumer_settings": "._settings",
        "create_topic": ".topics",
        "end_offsets": ".topics",
        "fence_producers": "._transactions",
        "is_readable": "._record_format",
        "max_poll_records": "._settings",
        "once_empty": ".group_offsets",
        "producer_settings": "._settings",
        "ranges_between": "._ranges",
        "ranges_by_task": "._ranges",
        "read_ranges": ".range_reader",
        "read_topic": ".topics",
        "serialized_offsets": ".offset_format",
        "split_ranges": "._ranges",
        "task_of": "._ranges",
        "topic_exists": ".topics",
        "transactional_settings": "._settings",
        "worker_clients": "._worker_clients",
    },
)
