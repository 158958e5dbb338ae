"""What connectors and topics are called that never reach Kafka: names that tell of no test."""

from __future__ import annotations

__all__ = ["CONNECTOR", "TOPIC"]

CONNECTOR = "orders-feed"
TOPIC = "orders"
