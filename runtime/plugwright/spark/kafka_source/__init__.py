"""The Spark data source ``plugwright-kafka``, and the conversion of its rows to messages."""

from __future__ import annotations

from plugwright.spark.kafka_source._columns import (
    ArrowMessage,
    batch_of,
    messages_of,
    spark_schema,
)
from plugwright.spark.kafka_source._options import (
    KafkaOptions,
    offsets_json,
    parse_offsets,
)
from plugwright.spark.kafka_source._source import FORMAT, KafkaDataSource

__all__ = [
    "FORMAT",
    "ArrowMessage",
    "KafkaDataSource",
    "KafkaOptions",
    "batch_of",
    "messages_of",
    "offsets_json",
    "parse_offsets",
    "spark_schema",
]
