"""A Kafka broker to talk to: one that is given, one in a container, or one of our own.

>>> with open_broker() as broker:  # doctest: +SKIP
...     print(broker.bootstrap_servers)
"""

from __future__ import annotations

from plugwright.kafka.brokers._artifacts import PinnedSet, Resolver, class_path, jars, kafka_server
from plugwright.kafka.brokers._broker import Broker
from plugwright.kafka.brokers._ivy import IvyResolver
from plugwright.kafka.brokers._select import open_broker

__all__ = [
    "Broker",
    "IvyResolver",
    "PinnedSet",
    "Resolver",
    "class_path",
    "jars",
    "kafka_server",
    "open_broker",
]
