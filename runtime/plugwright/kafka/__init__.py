"""The only package that talks to Kafka: clients for the task loops, internal topics, brokers.

Names are imported when they are first used (PEP 562): a process that only reads a range of offsets
for one batch does not need the task loops.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.late import late_names

if TYPE_CHECKING:
    from plugwright.kafka._compacted_topic import CompactedTopic, TopicShape
    from plugwright.kafka._consumer import KafkaRecordConsumer
    from plugwright.kafka._group_offsets import GroupOffsets, once_empty
    from plugwright.kafka._log import KafkaLog
    from plugwright.kafka._log_positions import LogPositions, Subscription
    from plugwright.kafka._log_writer import WRITER_GONE
    from plugwright.kafka._offset_store import KafkaOffsetStore, serialized_offsets
    from plugwright.kafka._producer import BackgroundProducer, KafkaRecordProducer
    from plugwright.kafka._range_reader import read_ranges
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
    from plugwright.kafka._shards import ShardListener, ShardMembership
    from plugwright.kafka._timeouts import KafkaTimeouts
    from plugwright.kafka._topic_admin import KafkaTopicAdmin
    from plugwright.kafka._topic_pattern import TopicPattern
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
        "WRITER_GONE": "._log_writer",
        "BackgroundProducer": "._producer",
        "ClientOverrides": "._settings",
        "CompactedTopic": "._compacted_topic",
        "GroupOffsets": "._group_offsets",
        "KafkaLog": "._log",
        "KafkaOffsetStore": "._offset_store",
        "KafkaRecordConsumer": "._consumer",
        "KafkaRecordProducer": "._producer",
        "KafkaTimeouts": "._timeouts",
        "KafkaTopicAdmin": "._topic_admin",
        "KafkaTransactionalProducer": "._transactions",
        "LogPositions": "._log_positions",
        "OffsetRange": "._ranges",
        "ShardListener": "._shards",
        "ShardMembership": "._shards",
        "Subscription": "._log_positions",
        "TopicPattern": "._topic_pattern",
        "TopicShape": "._compacted_topic",
        "TopicWriter": "._topics",
        "assignment_strategy": "._settings",
        "batch_end": "._ranges",
        "client_settings": "._settings",
        "cluster_id": "._topics",
        "consumer_settings": "._settings",
        "create_topic": "._topics",
        "end_offsets": "._topics",
        "fence_producers": "._transactions",
        "is_readable": "._record_format",
        "max_poll_records": "._settings",
        "once_empty": "._group_offsets",
        "producer_settings": "._settings",
        "ranges_between": "._ranges",
        "ranges_by_task": "._ranges",
        "read_ranges": "._range_reader",
        "read_topic": "._topics",
        "serialized_offsets": "._offset_store",
        "split_ranges": "._ranges",
        "task_of": "._ranges",
        "topic_exists": "._topics",
        "transactional_settings": "._settings",
        "worker_clients": "._worker_clients",
    },
)
