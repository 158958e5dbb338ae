"""Kafka's records as columns of Arrow, by literal values."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime

import pyarrow as pa
import pytest

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


def test_messages_of_several_partitions_keep_their_own_values():
    """What is the same in all messages, as a rule, need not be; nothing is not the empty value."""
    messages = [
        ArrowMessage(b"", b"one", "t", 0, 7, NOON, 0, None),
        ArrowMessage(b"k", b"", "u", 1, 9, NOON + 1, 1, None),
        ArrowMessage(None, None, "t", 0, 8, NOON + 2, 0, None),
    ]

    columns = batch_of(messages, headers=False).to_pydict()

    assert columns["key"] == [b"", b"k", None]
    assert columns["value"] == [b"one", b"", None]
    assert columns["topic"] == ["t", "u", "t"]
    assert columns["partition"] == [0, 1, 0]
    assert columns["offset"] == [7, 9, 8]
    assert [each.microsecond for each in columns["timestamp"]] == [0, 1000, 2000]
    assert columns["timestampType"] == [0, 1, 0]


def test_empty_values_are_no_missing_ones():
    """Also where a column is made of its buffers."""
    messages = [ArrowMessage(b"", b"v", "t", 0, n, NOON, 0, None) for n in (7, 8)]

    columns = batch_of(messages, headers=False).to_pydict()

    assert (columns["key"], columns["value"]) == ([b"", b""], [b"v", b"v"])


@pytest.mark.slow
def test_plain_records_become_columns_without_pandas():
    """It takes a third of a second to import, in each new worker of Python."""
    program = (
        "import sys\n"
        "from plugwright.spark.kafka_source import ArrowMessage, batch_of\n"
        "batch_of([ArrowMessage(None, b'v', 't', 0, 7, 5, 0, None)], headers=True)\n"
        "print([each for each in ('pandas', 'plugwright.worker') if each in sys.modules])\n"
    )

    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)

    assert printed.stdout.strip() == b"[]"


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
