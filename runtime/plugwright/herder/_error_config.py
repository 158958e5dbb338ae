"""What is wrong with the ``errors.*`` settings of a connector (KIP-298, KIP-610)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from plugwright.worker import DEAD_LETTER_CONFIG, ERROR_CONFIG

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.config import ConfigValue

__all__ = ["validate_errors"]

_QUEUE = "errors.deadletterqueue.topic.name"


def validate_errors(properties: Mapping[str, str], *, sink: bool) -> Sequence[ConfigValue]:
    """The settings about failing records with their values and problems."""
    found = ERROR_CONFIG.validate_all(properties)
    if sink:
        found |= DEAD_LETTER_CONFIG.validate_all(properties)
        if problem := _circular(str(found[_QUEUE].value or "").strip(), properties):
            found[_QUEUE] = found[_QUEUE].with_error(problem)
    return list(found.values())


def _circular(queue: str, properties: Mapping[str, str]) -> str:
    """What is wrong if a sink would read its own dead-letter queue, in Kafka's sentences."""
    topics, pattern = properties.get("topics", ""), properties.get("topics.regex", "")
    if queue and queue in [topic.strip() for topic in topics.split(",")]:
        return (
            f"The DLQ topic '{queue}' may not be included in the list of topics "
            f"('topics={topics}') consumed by the connector"
        )
    if queue and pattern and _matches(pattern, queue):
        return (
            f"The DLQ topic '{queue}' may not be matched by the regex for the topics "
            f"('topics.regex={pattern}') consumed by the connector"
        )
    return ""


def _matches(pattern: str, topic: str) -> bool:
    try:
        return re.fullmatch(pattern, topic) is not None
    except re.error:
        return False  # a problem of the other key
