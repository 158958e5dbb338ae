"""The streaming query of a sink connector: Kafka's rows, batch by batch, through its tasks."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from py4j.java_gateway import JavaClass

from plugwright.kafka import GroupOffsets, LogPositions
from plugwright.spark._jvm import quiet_gateway
from plugwright.spark._stream_handover import StreamHandover
from plugwright.spark._stream_host import STREAM_OUTPUT
from plugwright.spark.kafka_source import (
    FORMAT,
    KafkaDataSource,
    KafkaOptions,
    offsets_json,
    parse_offsets,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from plugwright.record import TopicPartition
    from plugwright.spark._spec import TaskSpec
    from plugwright.spark._stream_handover import Beginning

_SPARK_FORMAT = "kafka"
_TASK = "pmod(crc32(cast(topic as binary)) + partition, {tasks})"
"""`plugwright.kafka.task_of` in Spark's terms."""

_SESSION = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.streaming.minBatchesToRetain": "20",
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    "spark.sql.streaming.numRecentProgressUpdates": "2",
    "spark.sql.streaming.stopTimeout": "20s",
}
_LOCAL_LOGS = "FileSystemBasedCheckpointFileManager"
"""What writes the logs of a checkpoint on a local disk: Hadoop's other interface, which Spark would
take, starts a process for the permissions of each file, 70 ms a batch."""

_ROWS = "spark.sql.execution.arrow.maxRecordsPerBatch"
_FEW_ROWS = "1000"
"""Of Spark's own source, whose headers are arrays (see `spark_schema`)."""
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
"""Settings of a group member, or of what the query sees to itself."""


@dataclass(frozen=True, slots=True)
class StreamSettings:
    """How a sink connector is run by Structured Streaming.

    Attributes:
        location: directory of its checkpoints, in any notation that Spark knows.
        max_records: about how many offsets a batch spans.
        interval_s: time between the beginnings of two batches, at least.
        spark_source: whether Spark's own Kafka source reads, which must be on the class path.
        group: the consumer group that shows how far the connector is.
    """

    location: str
    max_records: int = 100_000
    interval_s: float = 0.1
    spark_source: bool = False
    group: str = ""
    admin_client: Mapping[str, str] = field(default_factory=dict, repr=False)


class Query(Protocol):
    """What a job needs of a streaming query; pyspark's is one."""

    isActive: bool  # noqa: N815  # pyspark's name
    lastProgress: Any  # noqa: N815  # pyspark's name

    def exception(self) -> Exception | None:
        """What it has ended with."""

    def stop(self) -> None:
        """End it."""


@dataclass(frozen=True, slots=True)
class StreamPlan:
    """What a job runs.

    Attributes:
        handover: chooses the checkpoint, and tells the group.
        start: starts the query there, with what is called for each batch.
        reached: how far the checkpoint is, as it is on the disk.
        patience_s: how long a task may take at the end of a batch until all is durable.
    """

    handover: StreamHandover
    start: Callable[[Beginning, Callable[[DataFrame, int], None]], Query]
    reached: Callable[[Beginning], Mapping[TopicPartition, int]] = lambda _: {}
    patience_s: float = 60.0


def reached_offsets(session: SparkSession, checkpoint: str) -> Mapping[TopicPartition, int]:
    """How far a checkpoint is; nothing where no batch of it was committed.

    A query that has nothing to do tells of no progress, and one that was just stopped may not have
    told of its last batch.
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


def start_query(  # noqa: PLR0913  # what a query is made of
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
        Exception: what Spark says of a query that cannot be planned.
    """
    quiet_gateway()  # one line a batch otherwise, about the call into this process
    own = session.newSession()
    for key, value in _SESSION.items():
        own.conf.set(key, value)
    _log_quickly(own, beginning.checkpoint)
    reader = own.readStream.options(**_options(spec, settings, beginning.starting))
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


def _log_quickly(session: SparkSession, checkpoint: str) -> None:
    """Have the logs of a checkpoint written without processes for it, where it is on this machine.

    The name is Spark's own and may move; a batch only takes longer then.
    """
    jvm = _jvm(session)
    manager = getattr(jvm.org.apache.spark.sql.execution.streaming.checkpointing, _LOCAL_LOGS)
    system = _file_system(session, jvm.org.apache.hadoop.fs.Path(checkpoint))
    is_local = system.getUri().getScheme() == "file"
    if is_local and isinstance(manager, JavaClass):  # a package, if there is no such class
        name = f"org.apache.spark.sql.execution.streaming.checkpointing.{_LOCAL_LOGS}"
        session.conf.set("spark.sql.streaming.checkpointFileManagerClass", name)


def _jvm(session: SparkSession) -> Any:
    return session.sparkContext._jvm  # noqa: SLF001  # pyspark's only way to its JVM


def _file_system(session: SparkSession, path: Any) -> Any:
    """Hadoop's file system that a path is on."""
    java: Any = session.sparkContext._jsc  # noqa: SLF001  # pyspark's only way to its configuration
    return path.getFileSystem(java.hadoopConfiguration())


def handover_of(spec: TaskSpec, settings: StreamSettings) -> StreamHandover:
    """How the connector of a task passes between its engines."""
    group = GroupOffsets(spec.bootstrap_servers, settings.group, settings.admin_client)
    return StreamHandover(group, settings.location, partial(_first_offsets, spec))


def _first_offsets(spec: TaskSpec) -> Mapping[TopicPartition, int]:
    """Where a group without offsets begins."""
    options = KafkaOptions.parse(_options(spec, StreamSettings(""), {}), streaming=True)
    positions = LogPositions(options.servers, options.subscription, spec.admin_client)
    latest = spec.client.get("auto.offset.reset") == "latest"
    return (positions.latest if latest else positions.earliest)(positions.partitions())


def _expression(text: str) -> Any:
    from pyspark.sql.functions import expr  # noqa: PLC0415  # with Spark's own source only

    return expr(f"cast({text} as int)")


def _options(
    spec: TaskSpec, settings: StreamSettings, begin: Mapping[TopicPartition, int]
) -> dict[str, str]:
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
        # As a group member that finds its offset gone and goes to the beginning of what is left.
        "failOnDataLoss": "false",
    }


def committed_offsets(progress: Any) -> Mapping[TopicPartition, int]:
    """How far the checkpoint is, by the progress of the last batch; nothing before the first."""
    if not progress:
        return {}
    found = progress["sources"][0]["endOffset"]
    return parse_offsets(found if isinstance(found, str) else json.dumps(found)) if found else {}


def is_committed(progress: Any, batch: int) -> bool:
    """Whether a query tells that it has committed a batch.

    While it is idle it tells of the batch that comes next, as of one that was never added.
    """
    if not progress:
        return False
    number, steps = progress["batchId"], progress["durationMs"]
    return bool(number > batch or (number == batch and "addBatch" in steps))
