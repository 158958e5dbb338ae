"""What the query of a streamed sink tells Spark."""

from __future__ import annotations

import pytest

from plugwright.plugins import ClassReference
from plugwright.spark import StreamSettings, TaskSpec
from plugwright.spark.kafka_source import KafkaOptions
from plugwright.spark.stream_query import source_options, write_logs_quickly

MANAGER = "spark.sql.streaming.checkpointFileManagerClass"


@pytest.mark.spark
def test_a_local_checkpoint_is_written_by_the_file_system_itself(spark_session, tmp_path):
    """Spark's default starts two processes for the permissions of each file."""
    session = spark_session.newSession()

    write_logs_quickly(session, str(tmp_path / "checkpoints" / "not-made-yet"))

    assert session.conf.get(MANAGER) == (
        "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
    )


@pytest.mark.parametrize(
    ("client", "internal"),
    [({}, []), ({"exclude.internal.topics": "false"}, ["__consumer_offsets"])],
    ids=["unset", "false"],
)
def test_a_stream_reads_the_topics_of_a_pattern_as_java_would(client, internal):
    """The pattern passes unchanged, and its source matches whole names."""
    none = ClassReference("m", "C")
    spec = TaskSpec(
        "c",
        0,
        "sink",
        none,
        "1",
        "",
        {},
        "k:1",
        none,
        none,
        none,
        topics_regex="orders|pay.*|__.*",
        client=client,
    )
    found = KafkaOptions.parse(source_options(spec, StreamSettings("x"), {}), streaming=True)
    pattern = found.subscription.pattern
    topics = ["orders", "orders-old", "my-pay", "pay-eu", "__consumer_offsets"]
    wanted = [*internal, "orders", "pay-eu"]
    assert (pattern.pattern, pattern.matching(topics)) == (spec.topics_regex, wanted)
