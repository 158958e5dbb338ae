"""A sink of the old kind: it works, but it was never given a manifest."""

from __future__ import annotations

from legacy_sink.connector import LegacySinkConnector, LegacySinkTask

__all__ = ["LegacySinkConnector", "LegacySinkTask"]
