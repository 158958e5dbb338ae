"""Validates combinations of a sink's settings, with Kafka's messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.config import ConfigValue
from plugwright.errors import ConfigError
from plugwright.transforms import java_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plugwright.herder._worker_config import WorkerConfig

_TOPICS, _REGEX = "topics", "topics.regex"
_GROUP = "consumer.override.group.id"


def with_sink_problems(
    values: Sequence[ConfigValue], resolved: Mapping[str, str | None], worker: WorkerConfig
) -> Sequence[ConfigValue]:
    """Add the problems that a sink's settings have in combination.

    Args:
        values: every setting with its own problems.
        resolved: the configuration, references to config providers resolved.
        worker: the worker's settings.
    """
    found = list(values)
    for key, problem in (*_topic_problems(resolved), *_group_problems(resolved, worker)):
        if key not in {value.name for value in found}:
            found.append(ConfigValue(key, resolved.get(key)))
        found = [each.with_error(problem) if each.name == key else each for each in found]
    return found


def _topic_problems(resolved: Mapping[str, str | None]) -> Iterator[tuple[str, str]]:
    """The problems that ``SinkConnectorConfig.validate`` and its regex validator report."""
    topics, pattern = ((resolved.get(key) or "").strip() for key in (_TOPICS, _REGEX))
    if resolved.get(_TOPICS, "") is None:
        yield _TOPICS, f"Configuration '{_TOPICS}' values must not be null."
    both = "topics and topics.regex are mutually exclusive options, but both are set."
    neither = "Must configure one of topics or topics.regex"
    if bool(topics) == bool(pattern):
        yield from ((key, both if topics else neither) for key in (_TOPICS, _REGEX))
    if resolved.get(_REGEX, "") is None:
        yield _REGEX, f"Invalid value null for configuration {_REGEX}: Invalid regex: null"
    try:
        java_pattern(pattern, _REGEX)
    except ConfigError as error:
        yield _REGEX, str(error)


def _group_problems(
    resolved: Mapping[str, str | None], worker: WorkerConfig
) -> Iterator[tuple[str, str]]:
    """The problem of a sink that would use the consumer group of the workers."""
    name, group = resolved["name"], resolved.get(_GROUP)
    if not worker.distributed or (group or f"connect-{name}") != worker.group_id:
        return
    key, who = (_GROUP, group) if group else ("name", f"for sink connector named {name}")
    yield key, f"Consumer group {who} conflicts with Connect worker group {worker.group_id}"
