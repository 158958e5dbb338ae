"""Neutral names for connectors and topics that never reach Kafka."""

from __future__ import annotations

from plugwright.record import TopicPartition

__all__ = ["CONNECTOR", "HOME", "TOPIC"]

CONNECTOR = "orders-feed"
TOPIC = "orders"
HOME = TopicPartition(TOPIC, 0)
"""Where sinks get the records from that checks hand to them."""
