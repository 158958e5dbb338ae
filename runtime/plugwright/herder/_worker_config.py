"""The worker's settings, parsed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plugwright.config import require_valid
from plugwright.herder._offsets_topic import offsets_shape
from plugwright.herder._worker_definition import WORKER_CONFIG
from plugwright.kafka import ClientOverrides, worker_clients

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.kafka import TopicShape


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """The parsed settings of the worker; times in seconds, memory in bytes.

    Attributes:
        distributed: whether it is a distributed worker.
        isolated: whether plugin locations run in processes of their own.
        distribution: how executors get plugin locations: ``auto``, ``ship`` or ``present``.
        offsets_shape: shape of the offsets topics that are created.
        offsets_file: file for offsets instead of the topic; empty if the topic is used.
        originals: every property as given, for the converters' own settings.
        clients: settings of the worker's own Kafka clients; tasks have separate ones.
    """

    bootstrap_servers: str
    key_converter: str
    value_converter: str
    header_converter: str
    plugin_path: tuple[str, ...]
    isolated: bool
    distribution: str
    call_timeout_s: float
    memory_limit: int
    startup_timeout_s: float
    offsets_file: str
    offsets_topic: str
    offsets_shape: TopicShape
    flush_interval_s: float
    flush_timeout_s: float
    flush_max_records: int
    shutdown_timeout_s: float
    tasks_per_process: int
    crash_restarts: int
    crash_window_s: float
    crash_backoff_s: float
    crash_backoff_max_s: float
    group_id: str
    topic_creation: bool
    exactly_once: bool
    override_policy: str
    distributed: bool
    originals: Mapping[str, str] = field(repr=False)
    clients: ClientOverrides = field(default_factory=ClientOverrides)

    @classmethod
    def parse(cls, properties: Mapping[str, str], *, distributed: bool = False) -> WorkerConfig:
        """Read the worker's properties.

        Args:
            properties: as in its file.
            distributed: whether it is a distributed worker, which stores no offsets in a file.

        Raises:
            ConfigError: naming every setting that is missing or wrong.
        """
        require_valid(WORKER_CONFIG.validate(properties))
        values = WORKER_CONFIG.parse(properties)
        return cls(
            bootstrap_servers=values["bootstrap.servers"],
            key_converter=values["key.converter"],
            value_converter=values["value.converter"],
            header_converter=values["header.converter"],
            plugin_path=tuple(values["plugin.path"]),
            isolated=values["plugin.isolation"].lower() == "process",
            distribution=values["plugin.distribution"].lower(),
            call_timeout_s=values["plugin.call.timeout.ms"] / 1000,
            memory_limit=values["plugin.memory.limit.mb"] << 20,
            startup_timeout_s=values["task.startup.timeout.ms"] / 1000,
            offsets_file="" if distributed else values["offset.storage.file.filename"],
            offsets_topic=values["offset.storage.topic"],
            offsets_shape=offsets_shape(properties, values, distributed=distributed),
            flush_interval_s=values["offset.flush.interval.ms"] / 1000,
            flush_timeout_s=values["offset.flush.timeout.ms"] / 1000,
            flush_max_records=values["offset.flush.max.records"],
            shutdown_timeout_s=values["task.shutdown.graceful.timeout.ms"] / 1000,
            tasks_per_process=values["tasks.per.process"],
            crash_restarts=values["task.crash.restarts.max"],
            crash_window_s=values["task.crash.window.ms"] / 1000,
            crash_backoff_s=values["task.crash.backoff.ms"] / 1000,
            crash_backoff_max_s=values["task.crash.backoff.max.ms"] / 1000,
            group_id=values["group.id"],
            topic_creation=values["topic.creation.enable"],
            exactly_once=values["exactly.once.source.support"].lower() == "enabled",
            override_policy=values["connector.client.config.override.policy"],
            distributed=distributed,
            originals=dict(properties),
            clients=worker_clients(properties),
        )
