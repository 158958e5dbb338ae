"""What connectors and topics are called that never reach Kafka: names that tell of no test."""

from __future__ import annotations

from plugwright.record import TopicPartition

__all__ = ["CONNECTOR", "HOME", "TOPIC"]

CONNECTOR = "orders-feed"
TOPIC = "orders"
HOME = TopicPartition(TOPIC, 0)
"""Where sinks get the records from that checks hand to them."""
