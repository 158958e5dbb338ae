"""Selects the engine for a sink's tasks: resident Spark tasks, or Structured Streaming."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.cache import cache_directory
from plugwright.config import (
    ConfigDef,
    ConfigType,
    ConfigValue,
    Importance,
    Range,
    ValidString,
    Width,
)
from plugwright.control_plane import EngineInfo
from plugwright.herder.delivery import admin_settings, client_settings
from plugwright.spark import StreamSettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.herder._worker_config import WorkerConfig

_ENGINE = "spark.engine"
_STREAM = "stream"
_LOCATION = f"{_ENGINE}.checkpoint.location"
_MOST = f"{_ENGINE}.batch.max.records"
_INTERVAL = f"{_ENGINE}.batch.interval.ms"
_SOURCE = f"{_ENGINE}.kafka.source"
_GROUP = "Spark"
_APART_MS = 100

ENGINE_CONFIG = (
    ConfigDef()
    .define(
        _ENGINE,
        ConfigType.STRING,
        default="resident",
        validator=ValidString.in_("resident", _STREAM),
        importance=Importance.LOW,
        group=_GROUP,
        width=Width.SHORT,
        display_name="Engine",
        documentation="Engine that runs the tasks of a sink. resident: long-running tasks, each a "
        "member of the consumer group, which owns the offsets. stream: Structured Streaming in "
        "micro-batches, with the records as Spark rows; its checkpoint owns the offsets, and the "
        "group mirrors them. Records then wait for a batch, up to seconds on a small machine; a "
        "task that fails ends all tasks of the connector.",
    )
    .define(
        _LOCATION,
        ConfigType.STRING,
        default="",
        importance=Importance.LOW,
        group=_GROUP,
        width=Width.LONG,
        display_name="Checkpoint Location",
        documentation="Directory of the checkpoints of spark.engine=stream, as a path or URI that "
        "every worker of the cluster can reach; each connector gets a subdirectory. Empty: a "
        "directory in the runtime's cache on the worker. If a checkpoint is lost, reading resumes "
        "from the offsets of the consumer group, which lag it by up to a second.",
    )
    .define(
        _MOST,
        ConfigType.INT,
        default=100_000,
        validator=Range.at_least(1),
        importance=Importance.LOW,
        group=_GROUP,
        width=Width.SHORT,
        display_name="Batch Max Records",
        documentation="Approximate maximum number of records in a batch of spark.engine=stream.",
    )
    .define(
        _INTERVAL,
        ConfigType.LONG,
        default=_APART_MS,
        validator=Range.at_least(0),
        importance=Importance.LOW,
        group=_GROUP,
        width=Width.SHORT,
        display_name="Batch Interval",
        documentation="Minimum time in milliseconds between the starts of two batches of "
        "spark.engine=stream; 0 starts the next batch at once.",
    )
    .define(
        _SOURCE,
        ConfigType.STRING,
        default="plugwright",
        validator=ValidString.in_("plugwright", "spark"),
        importance=Importance.LOW,
        group=_GROUP,
        width=Width.SHORT,
        display_name="Kafka Source",
        documentation="Reader of Kafka for spark.engine=stream: plugwright, in Python, or Spark's "
        "own source, which requires the package spark-sql-kafka-0-10 on Spark's class path. Its "
        "client takes the settings of Kafka's Java clients.",
    )
)
"""Definition of the engine settings of sinks."""


def validate_engine(properties: Mapping[str, str], *, sink: bool) -> Sequence[ConfigValue]:
    """The engine settings with their values and problems; sources have no choice of engine."""
    if sink:
        return list(ENGINE_CONFIG.validate_all(properties).values())
    given = properties.get(_ENGINE)
    if given is None or given == "resident":
        return ()
    problem = (
        f"Invalid value {given} for configuration {_ENGINE}: a source connector runs only as "
        "resident tasks, because a Spark stream cannot use offsets that are known only after a "
        "poll, nor Kafka transactions; remove the setting"
    )
    return [ConfigValue(_ENGINE, given).with_error(problem)]


def is_streamed(properties: Mapping[str, str]) -> bool:
    """Whether a valid sink configuration selects Structured Streaming."""
    return bool(ENGINE_CONFIG.parse(properties)[_ENGINE] == _STREAM)


def engine_info(properties: Mapping[str, str]) -> EngineInfo | None:
    """Describe how a sink on Structured Streaming differs; ``None`` for other connectors.

    Args:
        properties: the connector's configuration, references to config providers unresolved.
    """
    if properties.get(_ENGINE) != _STREAM:
        return None
    group = properties.get("consumer.override.group.id", f"connect-{properties.get('name', '')}")
    interval = properties.get(_INTERVAL, _APART_MS)
    return EngineInfo(
        _STREAM,
        f"owned by the checkpoint in {_location(properties)}, mirrored to group {group}",
        f"records wait for the next batch; batches start at least {interval} ms apart",
    )


def _location(properties: Mapping[str, str]) -> str:
    given = properties.get(_LOCATION, "").strip()
    location = given or (cache_directory() / "checkpoints").as_uri()
    return f"{location.rstrip('/')}/{properties.get('name', '')}"


def stream_settings(worker: WorkerConfig, properties: Mapping[str, str]) -> StreamSettings:
    """The Structured Streaming settings of a valid sink configuration."""
    values = ENGINE_CONFIG.parse(properties)
    name = properties["name"]
    client = client_settings("consumer", worker.originals, properties)
    return StreamSettings(
        location=_location(properties),
        max_records=values[_MOST],
        interval_s=values[_INTERVAL] / 1000,
        spark_source=values[_SOURCE] == "spark",
        group=client.get("group.id", f"connect-{name}"),
        admin_client=admin_settings(worker, properties),
    )
