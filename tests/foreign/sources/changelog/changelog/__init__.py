"""Follows the change log of a key-value store: shards of segments that are rotated."""

from __future__ import annotations

from changelog.connector import ChangeLogConnector
from changelog.task import ChangeLogTask

__all__ = ["ChangeLogConnector", "ChangeLogTask"]
