"""Determines the topics that a client may not write to, from the authorizer's answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from confluent_kafka import KafkaException, TopicCollection
from confluent_kafka.admin import AclOperation, AdminClient

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_REQUEST_S = 10.0
_ITS_OWN = frozenset({"transactional.id", "enable.idempotence", "error_cb"})


def unwritable_topics(settings: Mapping[str, object], topics: Sequence[str]) -> Sequence[str]:
    """Those of the topics that a client with these settings may not write to.

    The error of a transaction that lacks a permission does not contain the topic. All topics are
    returned if the brokers do not report the permissions.

    Args:
        settings: librdkafka's settings of the producer, with its login.
        topics: the topics that the producer has written to.
    """
    client = AdminClient({key: value for key, value in settings.items() if key not in _ITS_OWN})
    futures = client.describe_topics(
        TopicCollection(list(topics)),
        include_authorized_operations=True,
        request_timeout=_REQUEST_S,
    )
    denied = []
    for topic, answer in futures.items():
        try:
            allowed = answer.result().authorized_operations or ()
        except KafkaException:  # it may not even be described
            allowed = ()
        if AclOperation.WRITE not in allowed:
            denied.append(topic)
    return denied or topics
