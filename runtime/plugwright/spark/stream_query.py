"""The streaming query of a sink connector: passes Kafka's rows to its tasks, batch by batch."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from py4j.java_gateway import JavaClass

from plugwright.kafka import GroupOffsets, LogPositions
from plugwright.spark.jvm import quiet_gateway
from plugwright.spark.kafka_source import (
    FORMAT,
    KafkaDataSource,
    KafkaOptions,
    offsets_json,
    parse_offsets,
)
from plugwright.spark.stream_handover import StreamHandover
from plugwright.spark.stream_host import STREAM_OUTPUT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from plugwright.record import TopicPartition
    from plugwright.spark._spec import TaskSpec
    from plugwright.spark.stream_handover import Beginning

_SPARK_FORMAT = "kafka"
_TASK = "pmod(crc32(cast(topic as binary)) + partition, {tasks})"
"""`plugwright.kafka.task_of` as a Spark expression."""

_SESSION = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.streaming.minBatchesToRetain": "20",
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    "spark.sql.streaming.numRecentProgressUpdates": "2",
    "spark.sql.streaming.stopTimeout": "20s",
}
_LOCAL_LOGS = "FileSystemBasedCheckpointFileManager"
"""Class that writes the logs of a checkpoint on a local disk. Spark's default, Hadoop's other
interface, starts a process for the permissions of each file, 70 ms a batch."""

_ROWS = "spark.sql.execution.arrow.maxRecordsPerBatch"
_FEW_ROWS = "1000"
"""Spark's own source returns headers as arrays (see `spark_schema`)."""
_OWNED = frozenset(
    {
        "auto.commit.interval.ms",
        "auto.offset.reset",
        "client.id",
        "enable.auto.commit",
        "enable.auto.offset.store",
        "enable.partition.eof",
        "group.id",
        "group.instance.id",
        "heartbeat.interval.ms",
        "interceptor.classes",
        "key.deserializer",
        "max.poll.interval.ms",
        "partition.assignment.strategy",
        "session.timeout.ms",
        "value.deserializer",
    }
)
"""Settings that only group members have, or that the query controls."""


@dataclass(frozen=True, slots=True)
class StreamSettings:
    """The settings of a sink connector on Structured Streaming.

    Attributes:
        location: directory of its checkpoints, in any notation that Spark supports.
        max_records: approximate number of offsets in a batch.
        interval_s: minimum time between the starts of two batches.
        spark_source: whether to read with Spark's Kafka source, which must be on the class path.
        group: the consumer group to which the offsets are mirrored.
    """

    location: str
    max_records: int = 100_000
    interval_s: float = 0.1
    spark_source: bool = False
    group: str = ""
    admin_client: Mapping[str, str] = field(default_factory=dict, repr=False)


class Query(Protocol):
    """The part of a streaming query that a job uses; pyspark's implements it."""

    isActive: bool  # noqa: N815  # pyspark's name
    lastProgress: Any  # noqa: N815  # pyspark's name

    def exception(self) -> Exception | None:
        """The exception that ended it."""

    def stop(self) -> None:
        """End it."""


@dataclass(frozen=True, slots=True)
class StreamPlan:
    """The functions that run a job.

    Attributes:
        handover: chooses the checkpoint, and mirrors offsets to the group.
        start: starts the query there, with the function to call for each batch.
        reached: returns the offsets of the checkpoint on disk.
        patience_s: time that a task may take at the end of a batch until all is durable.
    """

    handover: StreamHandover
    start: Callable[[Beginning, Callable[[DataFrame, int], None]], Query]
    reached: Callable[[Beginning], Mapping[TopicPartition, int]] = lambda _: {}
    patience_s: float = 60.0


def reached_offsets(session: SparkSession, checkpoint: str) -> Mapping[TopicPartition, int]:
    """The offsets of a checkpoint; empty if no batch was committed.

    An idle query reports no progress, and one that was just stopped may not have
    reported its last batch.
    """
    jvm = _jvm(session)
    commits = jvm.org.apache.hadoop.fs.Path(f"{checkpoint}/commits")
    system = _file_system(session, commits)
    if not system.exists(commits):
        return {}
    names = [each.getPath().getName() for each in system.listStatus(commits)]
    batches = [int(name) for name in names if name.isdigit()]
    if not batches:
        return {}
    stream = system.open(jvm.org.apache.hadoop.fs.Path(f"{checkpoint}/offsets/{max(batches)}"))
    try:
        text = jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8")
    finally:
        stream.close()
    return parse_offsets(text.strip().split("\n")[-1])  # a version, what Spark notes, the offsets


def start_query(  # noqa: PLR0913  # the parts of a query, by keyword
    session: SparkSession,
    *,
    name: str,
    spec: TaskSpec,
    tasks: int,
    settings: StreamSettings,
    beginning: Beginning,
    host: Any,
    on_batch: Callable[[DataFrame, int], None],
) -> StreamingQuery:
    """Start the query of one connector, in a session of its own.

    Raises:
        Exception: Spark's error for a query that cannot be planned.
    """
    quiet_gateway()  # avoids one line per batch about the call into this process
    own = session.newSession()
    for key, value in _SESSION.items():
        own.conf.set(key, value)
    write_logs_quickly(own, beginning.checkpoint)
    reader = own.readStream.options(**source_options(spec, settings, beginning.starting))
    if settings.spark_source:
        own.conf.set(_ROWS, _FEW_ROWS)
        rows = reader.format(_SPARK_FORMAT).load()
        rows = rows.repartitionById(tasks, _expression(_TASK.format(tasks=tasks)))
    else:
        own.dataSource.register(KafkaDataSource)
        rows = reader.format(FORMAT).option("plugwright.tasks", str(tasks)).load()
    return (
        rows.mapInArrow(host, STREAM_OUTPUT)
        .writeStream.foreachBatch(on_batch)
        .queryName(name)
        .trigger(processingTime=f"{round(settings.interval_s * 1000)} milliseconds")
        .option("checkpointLocation", beginning.checkpoint)
        .start()
    )


def write_logs_quickly(session: SparkSession, checkpoint: str) -> None:
    """Write the logs of a local checkpoint without starting processes.

    The class is Spark-internal and may move; then batches only take longer.
    """
    jvm = _jvm(session)
    manager = getattr(jvm.org.apache.spark.sql.execution.streaming.checkpointing, _LOCAL_LOGS)
    system = _file_system(session, jvm.org.apache.hadoop.fs.Path(checkpoint))
    is_local = system.getUri().getScheme() == "file"
    if is_local and isinstance(manager, JavaClass):  # a package if the class does not exist
        name = f"org.apache.spark.sql.execution.streaming.checkpointing.{_LOCAL_LOGS}"
        session.conf.set("spark.sql.streaming.checkpointFileManagerClass", name)


def _jvm(session: SparkSession) -> Any:
    return session.sparkContext._jvm  # noqa: SLF001  # pyspark's only way to its JVM


def _file_system(session: SparkSession, path: Any) -> Any:
    """The Hadoop file system of a path."""
    java: Any = session.sparkContext._jsc  # noqa: SLF001  # pyspark's only way to its configuration
    return path.getFileSystem(java.hadoopConfiguration())


def handover_of(spec: TaskSpec, settings: StreamSettings) -> StreamHandover:
    """The handover between the engines of a task's connector."""
    group = GroupOffsets(spec.bootstrap_servers, settings.group, settings.admin_client)
    return StreamHandover(group, settings.location, partial(_first_offsets, spec))


def _first_offsets(spec: TaskSpec) -> Mapping[TopicPartition, int]:
    """The starting offsets of a group without offsets."""
    options = KafkaOptions.parse(source_options(spec, StreamSettings(""), {}), streaming=True)
    positions = LogPositions(options.servers, options.subscription, spec.admin_client)
    latest = spec.client.get("auto.offset.reset") == "latest"
    return (positions.latest if latest else positions.earliest)(positions.partitions())


def _expression(text: str) -> Any:
    from pyspark.sql.functions import expr  # noqa: PLC0415  # with Spark's own source only

    return expr(f"cast({text} as int)")


def source_options(
    spec: TaskSpec, settings: StreamSettings, begin: Mapping[TopicPartition, int]
) -> dict[str, str]:
    """The options with which Spark reads Kafka.

    Args:
        spec: of one of the tasks.
        settings: those of the connector.
        begin: where to begin; without any, at the earliest offsets.
    """
    subscription = (
        {"subscribePattern": spec.topics_regex}
        if spec.topics_regex
        else {"subscribe": ",".join(spec.topics)}
    )
    client = {f"kafka.{k}": v for k, v in spec.client.items() if k not in _OWNED}
    starting = json.dumps(offsets_json(begin)) if begin else "earliest"
    return {
        "kafka.isolation.level": "read_committed",
        **client,
        **subscription,
        "kafka.bootstrap.servers": spec.bootstrap_servers,
        "startingOffsets": starting,
        "maxOffsetsPerTrigger": str(settings.max_records),
        "includeHeaders": "true",
        # Like a group member whose offset is gone, which continues at the earliest one left.
        "failOnDataLoss": "false",
    }


def committed_offsets(progress: Any) -> Mapping[TopicPartition, int]:
    """The checkpoint's offsets according to the last progress; empty before the first batch."""
    if not progress:
        return {}
    found = progress["sources"][0]["endOffset"]
    return parse_offsets(found if isinstance(found, str) else json.dumps(found)) if found else {}


def is_committed(progress: Any, batch: int) -> bool:
    """Whether a query reports a batch as committed.

    While idle, it reports the next batch as if it had never been added.
    """
    if not progress:
        return False
    number, steps = progress["batchId"], progress["durationMs"]
    return bool(number > batch or (number == batch and "addBatch" in steps))
