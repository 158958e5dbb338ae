"""Looks up and creates topics for source connectors with the admin client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.errors import ConnectError, RetriableError
from plugwright.kafka.topics import create_topic, topic_exists

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.worker import TopicGroup


class KafkaTopicAdmin:
    """The topic admin of a source task.

    Args:
        overrides: settings for the client, in Kafka's property names.
    """

    def __init__(self, bootstrap_servers: str, overrides: Mapping[str, str]) -> None:
        self._bootstrap_servers = bootstrap_servers
        self._overrides = overrides

    def exists(self, topic: str) -> bool:
        """Whether the topic exists.

        Raises:
            RetriableError: if Kafka does not answer.
        """
        return topic_exists(self._bootstrap_servers, topic, overrides=self._overrides)

    def create(self, topic: str, group: TopicGroup) -> None:
        """Create the topic with the settings of its group.

        Raises:
            RetriableError: if Kafka does not answer.
            ConnectError: if it refuses.
        """
        try:
            create_topic(
                self._bootstrap_servers,
                topic,
                partitions=group.partitions,
                replication_factor=group.replication_factor,
                config=group.config,
                overrides=self._overrides,
            )
        except RetriableError:
            raise
        except ConnectError as error:
            raise ConnectError(
                f"Task failed to create new topic {topic}: {error}",
                code=error.code,
                hint=error.hint
                or "ensure that the task may create topics, or create the topic, and restart the "
                "task",
                facts={"topic": topic, "group": group.name},
            ) from error
