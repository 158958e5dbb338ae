"""Which engine runs a sink's tasks: resident ones in Spark, or Structured Streaming."""

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
from plugwright.herder._delivery import admin_settings, client_settings
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
        documentation="What runs the tasks of a sink. resident: tasks that stay, each a member of "
        "the consumer group, which owns the offsets. stream: Structured Streaming, batch by batch, "
        "with the records as rows of Spark; its checkpoint owns the offsets, and the group shows "
        "them. Records then wait for a batch, up to seconds on a small machine; a task that fails "
        "ends all tasks of the connector.",
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
        "every worker of the cluster reaches; each connector has one of its own in it. Empty: in "
        "the runtime's cache on the worker. A checkpoint that is lost begins anew at the offsets "
        "of the consumer group, which are up to a second behind it.",
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
        documentation="About how many records a batch of spark.engine=stream has at most.",
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
        documentation="Milliseconds between the beginnings of two batches of spark.engine=stream, "
        "at least. 0 for the next one at once.",
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
        documentation="What reads Kafka for spark.engine=stream: plugwright, in Python, or Spark's "
        "own source, whose package spark-sql-kafka-0-10 must be on Spark's class path then. Its "
        "client takes the settings of Kafka's Java clients.",
    )
)
"""Definition of the settings of sinks about their engine."""


def validate_engine(properties: Mapping[str, str], *, sink: bool) -> Sequence[ConfigValue]:
    """The settings about the engine with their values and problems; sources have no choice."""
    if sink:
        return list(ENGINE_CONFIG.validate_all(properties).values())
    given = properties.get(_ENGINE)
    if given is None or given == "resident":
        return ()
    problem = (
        f"Invalid value {given} for configuration {_ENGINE}: a source connector runs as resident "
        "tasks only, because a stream of Spark has neither poll-then-know-offset nor Kafka's "
        "transactions; remove the setting"
    )
    return [ConfigValue(_ENGINE, given).with_error(problem)]


def is_streamed(properties: Mapping[str, str]) -> bool:
    """Whether a valid configuration of a sink asks for Structured Streaming."""
    return bool(ENGINE_CONFIG.parse(properties)[_ENGINE] == _STREAM)


def engine_info(properties: Mapping[str, str]) -> EngineInfo | None:
    """What is different about a sink that Structured Streaming runs; nothing about others.

    Args:
        properties: its configuration, references to config providers not resolved.
    """
    if properties.get(_ENGINE) != _STREAM:
        return None
    group = properties.get("consumer.override.group.id", f"connect-{properties.get('name', '')}")
    interval = properties.get(_INTERVAL, _APART_MS)
    return EngineInfo(
        _STREAM,
        f"owned by the checkpoint in {_location(properties)}, shown by group {group}",
        f"records wait for the next batch; batches are {interval} ms apart at least",
    )


def _location(properties: Mapping[str, str]) -> str:
    given = properties.get(_LOCATION, "").strip()
    location = given or (cache_directory() / "checkpoints").as_uri()
    return f"{location.rstrip('/')}/{properties.get('name', '')}"


def stream_settings(worker: WorkerConfig, properties: Mapping[str, str]) -> StreamSettings:
    """How Structured Streaming runs a sink of a valid configuration."""
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
