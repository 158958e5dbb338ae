"""The specification of a task for its host, as plain data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Self

from plugwright.kafka import ClientOverrides, TopicShape
from plugwright.origin import origin
from plugwright.plugins import ClassReference
from plugwright.worker import ErrorSettings, TopicGroup

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """One task of a connector.

    Attributes:
        kind: ``source`` or ``sink``.
        task_class: the plugin's task.
        version: version of the plugin.
        location: directory that the plugin is imported from, or an empty string.
        config: the task's configuration.
        transforms: the connector's settings of transformations and predicates.
        transform_classes: the classes of these settings, by name.
        stage_paths: import paths of the stage hosts of the task; references with process 1
            mean the first one.
        shipped: names of the archives in which locations were sent to executors, by location;
            empty if executors have the locations themselves.
        topics: the topics that a sink task subscribes to.
        topics_regex: Java regular expression for the topics, if none are named.
        client: overrides for the task's producer or consumer, under Kafka's property names.
        admin_client: overrides for the admin client that creates topics.
        dead_letter_client: overrides for the producer of the dead-letter queue.
        offset_clients: overrides for the clients of the offsets topic.
        shared_offset_clients: overrides for the clients of the worker's own offsets topic.
        offsets_topic: topic of a source's offsets; empty if the driver stores them.
        shared_offsets_topic: the worker's offsets topic, if the connector has one of its own.
        flush_interval_s: time between offset commits.
        flush_timeout_s: time that a commit may take.
        flush_max_records: number of records that a sink may put and not commit; 0 for no limit.
        errors: how failing records are handled.
        topic_groups: settings for creating a source's topics; empty to leave that to the broker.
        transactional_id: of an exactly-once source; empty for at-least-once delivery.
        boundary: where its transactions end: ``poll``, ``interval`` or ``connector``.
        transaction_interval_s: time between its commits, by default the flush interval.
        startup_timeout_s: time that a call into the plugin may take before the task runs; 0 for no
            limit.
        call_warning_s: time after which any other call is logged as slow; 0 for no warning.
        memory_limit: bytes of data that its process may have; 0 for no limit.
        paused: whether it starts only when it is resumed.
    """

    connector: str
    task: int
    kind: str
    task_class: ClassReference
    version: str
    location: str
    config: Mapping[str, str] = field(repr=False)
    bootstrap_servers: str
    key_converter: ClassReference
    value_converter: ClassReference
    header_converter: ClassReference
    transforms: Mapping[str, str] = field(default_factory=dict, repr=False)
    transform_classes: Mapping[str, ClassReference] = field(default_factory=dict)
    stage_paths: tuple[tuple[str, ...], ...] = ()
    shipped: Mapping[str, str] = field(default_factory=dict)
    topics: tuple[str, ...] = ()
    topics_regex: str = ""
    client: Mapping[str, str] = field(default_factory=dict, repr=False)
    admin_client: Mapping[str, str] = field(default_factory=dict, repr=False)
    dead_letter_client: Mapping[str, str] = field(default_factory=dict, repr=False)
    offset_clients: ClientOverrides = field(default_factory=ClientOverrides)
    shared_offset_clients: ClientOverrides = field(default_factory=ClientOverrides)
    offsets_topic: str = ""
    shared_offsets_topic: str = ""
    offsets_shape: TopicShape = field(default_factory=lambda: TopicShape(25))
    flush_interval_s: float = 60.0
    flush_timeout_s: float = 5.0
    flush_max_records: int = 0
    errors: ErrorSettings = field(default_factory=ErrorSettings)
    topic_groups: tuple[TopicGroup, ...] = ()
    transactional_id: str = ""
    boundary: str = "poll"
    transaction_interval_s: float | None = None
    startup_timeout_s: float = 0.0
    call_warning_s: float = 0.0
    memory_limit: int = 0
    paused: bool = False

    @property
    def plugin(self) -> str:
        """Dotted name of the task's class."""
        return f"{self.task_class.module}.{self.task_class.qualname}"

    def origin(self, phase: str) -> str:
        """The line of an error that identifies the task and its phase."""
        return origin(self.plugin, self.version, self.location, phase)

    def to_plain(self) -> dict[str, Any]:
        """Convert to JSON data."""
        return asdict(self)

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """Create from JSON data that `to_plain` returned."""
        references = {
            name: ClassReference(**plain[name])
            for name in ("task_class", "key_converter", "value_converter", "header_converter")
        }
        return cls(
            **{
                **plain,
                **references,
                "topics": tuple(plain["topics"]),
                "stage_paths": tuple(tuple(path) for path in plain["stage_paths"]),
                "offsets_shape": TopicShape(**plain["offsets_shape"]),
                "offset_clients": ClientOverrides(**plain["offset_clients"]),
                "shared_offset_clients": ClientOverrides(**plain["shared_offset_clients"]),
                "errors": ErrorSettings(
                    **{**plain["errors"], "hidden": tuple(plain["errors"]["hidden"])}
                ),
                "topic_groups": tuple(TopicGroup(**group) for group in plain["topic_groups"]),
                "transform_classes": {
                    name: ClassReference(**reference)
                    for name, reference in plain["transform_classes"].items()
                },
            }
        )
