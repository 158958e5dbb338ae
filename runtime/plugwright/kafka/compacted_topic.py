"""An internal topic that keeps state: created with its settings, or checked if it exists."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import ConfigResource, ResourceType

from plugwright.errors import ConfigError, ConnectError, RetriableError
from plugwright.kafka.admin import Admin
from plugwright.kafka.topics import create_topic, topic_exists
from plugwright.retry import retried

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

log = logging.getLogger(__name__)

_REQUEST_S = 15.0
_POLL_S = 0.1
_ENOUGH_BROKERS_S = 60.0
_ENOUGH_BROKERS_PAUSE_S = 0.1
"""Kafka Connect's wait for enough brokers: the defaults of its admin client's
``default.api.timeout.ms`` and ``retry.backoff.ms``."""


@dataclass(frozen=True, slots=True)
class TopicShape:
    """How a topic is created; ``-1`` is the broker's default.

    Attributes:
        settings: the topic's settings, in Kafka's names.
    """

    partitions: int = 1
    replication_factor: int = -1
    settings: Mapping[str, str] = field(default_factory=dict)

    def topic(self, name: str, *, single: bool = False) -> CompactedTopic:
        """A compacted topic with this shape."""
        return CompactedTopic(
            name,
            partitions=self.partitions,
            replication_factor=self.replication_factor,
            settings=self.settings,
            single=single,
        )


class CompactedTopic:
    """The name and shape of an internal topic.

    Args:
        name: the topic's name.
        partitions: the number of partitions to create; ``-1`` is the broker's default.
        replication_factor: the replicas to create; ``-1`` is the broker's default.
        settings: other topic settings for its creation.
        single: whether it must have a single partition, as the configs topic does.

    Attributes:
        shape: how it is created.
    """

    def __init__(
        self,
        name: str,
        *,
        partitions: int = 1,
        replication_factor: int = -1,
        settings: Mapping[str, str] | None = None,
        single: bool = False,
    ) -> None:
        self.name = name
        compacted = {**(settings or {}), "cleanup.policy": "compact"}
        self.shape = TopicShape(partitions, replication_factor, compacted)
        self._single = single

    def require(self, bootstrap_servers: str, overrides: Mapping[str, str] | None = None) -> None:
        """Create the topic, or check that the existing one can keep state.

        While the cluster has fewer brokers than the topic has replicas, for instance because it
        is starting, it is tried again for a minute, as in Kafka Connect. ``overrides`` are
        settings for the client, in Kafka's property names.

        Raises:
            ConnectError: if the broker refuses to create or describe it.
            ConfigError: if the existing topic is not compacted, or has too many partitions.
        """
        if not self._made(bootstrap_servers, overrides):
            with Admin(bootstrap_servers, overrides=overrides) as admin:
                self._require_compacted(admin)
                self._require_single(admin)

    def partitions(self, admin: Admin) -> Sequence[int]:
        """The numbers of its partitions; a new topic shows them only after a moment.

        Raises:
            ConnectError: if it shows none.
        """
        deadline = time.monotonic() + _REQUEST_S
        while True:
            found = admin.list_topics(self.name, _REQUEST_S).topics[self.name]
            if found.partitions:
                return sorted(found.partitions)
            if time.monotonic() > deadline:
                raise ConnectError(
                    f"topic {self.name} shows no partitions: {found.error}",
                    code="kafka.unreadable",
                    facts={"topic": self.name},
                )
            time.sleep(_POLL_S)

    def _made(self, bootstrap_servers: str, overrides: Mapping[str, str] | None) -> bool:
        """Whether the topic was created; an existing one needs no right to create it."""
        create = partial(
            create_topic,
            bootstrap_servers,
            self.name,
            partitions=self.shape.partitions,
            replication_factor=self.shape.replication_factor,
            config=self.shape.settings,
            overrides=overrides,
        )
        try:
            return retried(
                create,
                self._lacks_brokers,
                within_s=_ENOUGH_BROKERS_S,
                pause_s=_ENOUGH_BROKERS_PAUSE_S,
            )
        except RetriableError:
            raise
        except ConnectError:
            try:
                exists = topic_exists(bootstrap_servers, self.name, overrides=overrides)
            except ConnectError:  # the refusal says more
                exists = False
            if not exists:
                raise
            return False

    def _lacks_brokers(self, error: Exception) -> bool:
        """Whether a topic was refused because there are fewer brokers than replicas."""
        cause = error.__cause__
        if not isinstance(cause, KafkaException):
            return False
        lacking = bool(cause.args[0].code() == KafkaError.INVALID_REPLICATION_FACTOR)
        if lacking:
            log.info("%s; trying again for at most %d s", error, _ENOUGH_BROKERS_S)
        return lacking

    def _require_compacted(self, admin: Admin) -> None:
        resource = ConfigResource(ResourceType.TOPIC, self.name)
        try:
            futures = admin.client.describe_configs([resource], request_timeout=_REQUEST_S)
            policy = str(admin.answer(futures[resource])["cleanup.policy"].value)
        except KafkaException as error:
            log.warning("cleanup.policy of topic %s cannot be read: %s", self.name, error)
            return
        if policy != "compact":
            raise ConfigError(
                f"topic {self.name} has cleanup.policy={policy}, but requires cleanup.policy="
                "compact, otherwise Kafka deletes the worker's state",
                code="kafka.topic-not-compacted",
                hint=f"kafka-configs --alter --entity-type topics --entity-name {self.name} "
                "--add-config cleanup.policy=compact",
                facts={"topic": self.name, "cleanup.policy": policy},
            )

    def _require_single(self, admin: Admin) -> None:
        partitions = len(self.partitions(admin))
        if self._single and partitions != 1:
            raise ConfigError(
                f"topic {self.name} must have a single partition so that its entries are in "
                f"order, but it has {partitions}",
                code="kafka.topic-partitions",
                hint="configure another topic",
                facts={"topic": self.name, "partitions": partitions},
            )
