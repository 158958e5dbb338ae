"""Topics that match a Java regular expression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Mapping

_INTERNAL = frozenset({"__consumer_offsets", "__share_group_state", "__transaction_state"})
"""Kafka's ``Topic.INTERNAL_TOPICS``."""


@dataclass(frozen=True, slots=True)
class TopicPattern:
    """A pattern for whole topic names, like the one of ``Consumer.subscribe(Pattern)``.

    Attributes:
        pattern: the pattern, as for Java's ``Pattern.compile``.
        internal: whether Kafka's internal topics match, too.
    """

    pattern: str
    internal: bool = False

    @classmethod
    def of(cls, pattern: str, client: Mapping[str, str]) -> TopicPattern:
        """The pattern of a client with these settings (``exclude.internal.topics``)."""
        excluded = client.get("exclude.internal.topics", "true").strip().lower()
        return cls(pattern, internal=excluded == "false")

    def compiled(self) -> re.Pattern[str]:
        """The compiled pattern, for matching whole names.

        Raises:
            ConfigError: if Java would refuse it, or it has no exact counterpart in Python.
        """
        # Imported here so that only connectors with a pattern load that package.
        from plugwright.transforms import java_pattern  # noqa: PLC0415

        return java_pattern(self.pattern, "topics.regex")

    def matching(self, topics: Iterable[str]) -> list[str]:
        """The matching topics, sorted.

        Raises:
            ConfigError: as `compiled`.
        """
        matches = self.compiled().fullmatch
        return sorted(
            topic
            for topic in topics
            if (self.internal or topic not in _INTERNAL) and matches(topic)
        )
