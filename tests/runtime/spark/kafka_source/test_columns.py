"""Kafka's records as columns of Arrow, by literal values."""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa

from plugwright.spark.kafka_source import ArrowMessage, batch_of, messages_of, spark_schema

NOON = 1_735_732_800_000  # 2025-01-01T12:00:00Z
FULL = ArrowMessage(b"k", b"v", "t", 3, 7, NOON, 0, [("a", b"\x00"), ("a", None)])
BARE = ArrowMessage(None, None, "t", 4, 8, None, -1, None)


def test_columns_have_sparks_names_and_types():
    """Those of its own Kafka source, with headers if they are wanted."""
    assert spark_schema(headers=True).endswith("headers array<struct<key: string, value: binary>>")
    assert batch_of([FULL], headers=False).schema.names == [
        "key",
        "value",
        "topic",
        "partition",
        "offset",
        "timestamp",
        "timestampType",
    ]
    assert batch_of([FULL], headers=True).schema.field("timestamp").type == pa.timestamp(
        "us", tz="UTC"
    )


def test_a_message_is_a_row():
    """Missing parts are null; the type of a timestamp is Spark's number."""
    rows = batch_of([FULL, BARE], headers=True).to_pylist()

    assert rows == [
        {
            "key": b"k",
            "value": b"v",
            "topic": "t",
            "partition": 3,
            "offset": 7,
            "timestamp": datetime(2025, 1, 1, 12, tzinfo=UTC),
            "timestampType": 0,
            "headers": [{"key": "a", "value": b"\x00"}, {"key": "a", "value": None}],
        },
        {
            "key": None,
            "value": None,
            "topic": "t",
            "partition": 4,
            "offset": 8,
            "timestamp": None,
            "timestampType": -1,
            "headers": None,
        },
    ]


def test_a_row_is_a_message_again():
    """As a Kafka client shows it: 1 for the time of creation, 0 for none."""
    full, bare = messages_of(batch_of([FULL, BARE], headers=True))

    assert (full.key(), full.value(), full.topic(), full.partition(), full.offset()) == (
        b"k",
        b"v",
        "t",
        3,
        7,
    )
    assert full.timestamp() == (1, NOON)
    assert full.headers() == [("a", b"\x00"), ("a", None)]
    assert (bare.key(), bare.value(), bare.headers(), bare.error()) == (None, None, None, None)
    assert bare.timestamp()[0] == 0


def test_compact_headers_are_a_text_and_headers_again():
    """Every byte comes back, and what is empty is not what is missing."""
    headers = [("a", b"\x00\xff"), ("a", None), ("\u00e9", b"")]
    message = ArrowMessage(b"k", b"v", "t", 3, 7, NOON, 0, headers)

    batch = batch_of([message, BARE], headers=True, compact=True)
    full, bare = messages_of(batch)

    assert spark_schema(headers=True, compact=True).endswith(", headers string")
    assert batch.column("headers").to_pylist() == [
        '[["a", "\\u0000\\u00ff"], ["a", null], ["\\u00e9", ""]]',
        None,
    ]
    assert (full.headers(), bare.headers()) == (headers, None)
