"""Creates topics for source connectors with the settings of their topic groups (KIP-158)."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TopicGroup:
    """The topic settings of one group.

    Attributes:
        name: the group, ``default`` for the last one.
        include: regular expressions for whole topic names; those of ``default`` match all.
        exclude: regular expressions that take precedence over ``include``.
        partitions: ``-1`` for the broker's default.
        replication_factor: ``-1`` for the broker's default.
        config: settings of the topic.
    """

    name: str
    include: tuple[str, ...]
    exclude: tuple[str, ...] = ()
    partitions: int = -1
    replication_factor: int = -1
    config: Mapping[str, str] = field(default_factory=dict)

    def matches(self, topic: str) -> bool:
        """Whether a topic matches this group."""
        if any(re.fullmatch(pattern, topic) for pattern in self.exclude):
            return False
        return any(re.fullmatch(pattern, topic) for pattern in self.include)


class TopicAdmin(Protocol):
    """Checks for and creates topics."""

    def exists(self, topic: str) -> bool:
        """Whether the topic exists.

        Raises:
            RetriableError: if Kafka does not answer.
        """

    def create(self, topic: str, group: TopicGroup) -> None:
        """Create the topic, unless it exists by now.

        Raises:
            RetriableError: if Kafka does not answer.
            ConnectError: if Kafka refuses.
        """


class TopicCreation:
    """Creates each topic before its first record, once.

    Args:
        groups: in matching order, ``default`` last; empty to create no topics.
    """

    def __init__(self, groups: Sequence[TopicGroup] = (), admin: TopicAdmin | None = None) -> None:
        self._groups = groups
        self._admin = admin if groups else None
        self._known: set[str] = set()

    @property
    def enabled(self) -> bool:
        """Whether topic creation is enabled."""
        return self._admin is not None

    def ensure(self, topics: Iterable[str]) -> None:
        """Create the topics that do not exist.

        Raises:
            RetriableError: if Kafka does not answer.
            ConnectError: if Kafka refuses.
        """
        if self._admin is None:
            return
        for topic in sorted(set(topics) - self._known):
            group = next((group for group in self._groups if group.matches(topic)), None)
            if group is not None and not self._admin.exists(topic):
                log.info("creating topic %s with the settings of group %s", topic, group.name)
                self._admin.create(topic, group)
            self._known.add(topic)
