"""Validates the ``errors.*`` settings of a connector (KIP-298, KIP-610)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.errors import ConfigError
from plugwright.transforms import java_pattern
from plugwright.worker import DEAD_LETTER_CONFIG, ERROR_CONFIG

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plugwright.config import ConfigValue

_QUEUE = "errors.deadletterqueue.topic.name"


def validate_errors(properties: Mapping[str, str], *, sink: bool) -> Sequence[ConfigValue]:
    """The error-handling settings with their values and problems."""
    found = ERROR_CONFIG.validate_all(properties)
    if sink:
        found |= DEAD_LETTER_CONFIG.validate_all(properties)
    return list(found.values())


def dead_letter_problems(properties: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Problems of a sink that would read its own dead-letter queue, in Kafka's words."""
    queue = properties.get(_QUEUE, "").strip()
    topics = list(dict.fromkeys(each.strip() for each in properties.get("topics", "").split(",")))
    pattern = properties.get("topics.regex", "")
    if queue and queue in topics:
        message = (
            f"The DLQ topic '{queue}' may not be included in the list of topics "
            f"('topics=[{', '.join(topics)}]') consumed by the connector"
        )
        yield "topics", message
    if queue and pattern and _matches(pattern, queue):
        message = (
            f"The DLQ topic '{queue}' may not be matched by the regex for the topics "
            f"('topics.regex={pattern}') consumed by the connector"
        )
        yield "topics.regex", message


def duplicate_topics(properties: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Problems of a topic list with duplicate or empty names, in Kafka's words."""
    topics = [each.strip() for each in properties.get("topics", "").split(",")]
    if len(set(topics)) < len(topics):
        yield "topics", "Configuration 'topics' values must not be duplicated."
    elif len(topics) > 1 and "" in topics:
        yield "topics", "Configuration 'topics' values must not be empty."


def _matches(pattern: str, topic: str) -> bool:
    try:
        return java_pattern(pattern, "topics.regex").fullmatch(topic) is not None
    except ConfigError:
        return False  # reported as a problem of the other key
