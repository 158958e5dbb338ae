"""What a task host has to know to run its task, as plain data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Self

from plugwright.plugins import ClassReference

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["TaskSpec"]


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
        topics: what a sink task subscribes to.
        client: overrides for the task's producer or consumer, Kafka's property names.
        offsets_topic: where a source's offsets are kept.
        flush_interval_s: time between offset commits.
        flush_timeout_s: how long a commit may take.
    """

    connector: str
    task: int
    kind: str
    task_class: ClassReference
    version: str
    location: str
    config: Mapping[str, str]
    bootstrap_servers: str
    key_converter: ClassReference
    value_converter: ClassReference
    header_converter: ClassReference
    transforms: Mapping[str, str] = field(default_factory=dict)
    transform_classes: Mapping[str, ClassReference] = field(default_factory=dict)
    stage_paths: tuple[tuple[str, ...], ...] = ()
    topics: tuple[str, ...] = ()
    client: Mapping[str, str] = field(default_factory=dict)
    offsets_topic: str = ""
    offsets_partitions: int = 25
    flush_interval_s: float = 60.0
    flush_timeout_s: float = 5.0

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
                "transform_classes": {
                    name: ClassReference(**reference)
                    for name, reference in plain["transform_classes"].items()
                },
            }
        )
