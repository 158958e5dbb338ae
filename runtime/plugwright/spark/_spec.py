"""What a task host has to know to run its task, as plain data."""

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
    """One task of one connector generation.

    Attributes:
        kind: ``source`` or ``sink``.
        task_class: the plugin's task.
        version: version of the plugin.
        location: directory that the plugin is imported from, or an empty string.
        config: the task's configuration.
        transforms: the connector's settings of transformations and predicates.
        transform_classes: the classes that these settings name, by the name.
        stage_paths: import paths of the stage hosts beside the task; references with process 1
            mean the first one.
        shipped: names of the archives that locations were sent to executors as, by location; empty
            where executors have the locations themselves.
        topics: what a sink task subscribes to.
        topics_regex: Java's regular expression for the topics, if none are named.
        client: overrides for the task's producer or consumer, Kafka's property names.
        admin_client: overrides for the admin client that makes topics.
        dead_letter_client: overrides for the producer of the dead-letter queue.
        offset_clients: overrides for the clients of the offsets topic.
        shared_offset_clients: overrides for those of the worker's offsets topic beside it.
        offsets_topic: where a source's offsets are kept; empty: the driver keeps them.
        shared_offsets_topic: the worker's offsets topic, if the connector has one of its own.
        flush_interval_s: time between offset commits.
        flush_timeout_s: how long a commit may take.
        flush_max_records: how many records a sink may have put and not committed; 0 for any.
        errors: what happens to records that fail.
        topic_groups: how a source's topics are made; none to leave that to the broker.
        transactional_id: of an exactly-once source; empty for at least once.
        boundary: what ends its transactions: ``poll``, ``interval`` or ``connector``.
        transaction_interval_s: time between its commits, by default the flush interval.
        startup_timeout_s: how long a call into the plugin may take before the task runs; 0 for as
            long as it likes.
        call_warning_s: how long any other call takes until a warning; 0 for no warning.
        memory_limit: bytes of data that its process may have; 0 for as many as the system gives.
        paused: whether it does not begin before it is resumed.
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
        """The line that says where a failure of the task comes from."""
        return origin(self.plugin, self.version, self.location, phase)

    def to_plain(self) -> dict[str, Any]:
        """As JSON data."""
        return asdict(self)

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """From JSON data that `to_plain` made."""
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
