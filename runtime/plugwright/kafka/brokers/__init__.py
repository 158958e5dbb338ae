"""Opens a Kafka broker: an existing one, one in a container, or an embedded one.

>>> with open_broker() as broker:  # doctest: +SKIP
...     print(broker.bootstrap_servers)
"""

from __future__ import annotations

from plugwright.kafka.brokers._artifacts import (
    ArtifactResolver,
    PinnedSet,
    class_path,
    jars,
    kafka_server,
)
from plugwright.kafka.brokers._broker import Broker, RestartableBroker
from plugwright.kafka.brokers.embedded import archive_broker_classes
from plugwright.kafka.brokers.ivy import IvyResolver
from plugwright.kafka.brokers.ports import free_ports
from plugwright.kafka.brokers.selection import open_broker, open_restartable

__all__ = [
    "ArtifactResolver",
    "Broker",
    "IvyResolver",
    "PinnedSet",
    "RestartableBroker",
    "archive_broker_classes",
    "class_path",
    "free_ports",
    "jars",
    "kafka_server",
    "open_broker",
    "open_restartable",
]
