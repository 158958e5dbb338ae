"""Takes messages out of a spool; a message is removed when Kafka has it."""

from __future__ import annotations

from spool.connector import SpoolConnector
from spool.task import SpoolTask

__all__ = ["SpoolConnector", "SpoolTask"]
