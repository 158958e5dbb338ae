"""Requests missing topics, so that brokers create them as they do for Java's consumer."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from confluent_kafka import KafkaError, KafkaException

from plugwright.retry import retried

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from confluent_kafka import Consumer

log = logging.getLogger(__name__)

CREATES = "allow.auto.create.topics"
"""The client's setting, on by default in Java's consumer and off in librdkafka's."""

_CREATED_WITHIN_S = 2.0
_PAUSE_S = 0.05
_ANSWER_TIMEOUT_S = 5.0
_COMING = frozenset({KafkaError.LEADER_NOT_AVAILABLE, KafkaError.UNKNOWN_TOPIC_OR_PART})


def request_topics(
    consumer: Consumer, settings: Mapping[str, object], topics: Sequence[str]
) -> None:
    """Request the metadata of each topic, so that brokers with automatic creation create it.

    librdkafka's requests for a subscription do not create topics. Errors are only logged, because
    the subscription reports topics that stay missing.

    Args:
        consumer: the client that will read the topics.
        settings: librdkafka's settings of the consumer.
        topics: the names of the topics; an existing one costs one request.
    """
    if str(settings.get(CREATES)).lower() != "true":
        return
    try:
        retried(
            lambda: _require(consumer, topics),
            _is_coming,
            within_s=_CREATED_WITHIN_S,
            pause_s=_PAUSE_S,
        )
    except KafkaException as error:
        log.debug("not every topic exists yet: %s", error)


def _require(consumer: Consumer, topics: Sequence[str]) -> None:
    errors = [
        consumer.list_topics(topic, timeout=_ANSWER_TIMEOUT_S).topics[topic].error
        for topic in topics
    ]
    if (error := next((each for each in errors if each is not None), None)) is not None:
        raise KafkaException(error)


def _is_coming(error: Exception) -> bool:
    return isinstance(error, KafkaException) and error.args[0].code() in _COMING
