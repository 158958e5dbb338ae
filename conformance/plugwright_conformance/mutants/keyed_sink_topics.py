"""Sinks that keep the last line of each key: an endpoint with topics, a good one, and a bad one."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from plugwright_conformance.reference.rows.keyed_sink import KeyedSinkTask
from plugwright_conformance.reference.rows.keyed_testing import KeyedEndpoint

if TYPE_CHECKING:
    from plugwright import SinkRecord

__all__ = ["OneTableTask", "TablesOfTopicsTask", "TopicsEndpoint"]


class TopicsEndpoint(KeyedEndpoint):
    """A table that has the topic of each line."""

    def read_topics(self) -> list[str]:
        """The topic of each line."""
        if not self._file.exists():
            return []
        with closing(sqlite3.connect(self._file)) as database:
            known = database.execute("SELECT 1 FROM sqlite_master WHERE name = 'keyed'").fetchall()
            query = "SELECT topic FROM keyed ORDER BY rowid"
            return [topic for (topic,) in database.execute(query)] if known else []


class TablesOfTopicsTask(KeyedSinkTask):
    """Keeps the keys of topics apart."""


class OneTableTask(KeyedSinkTask):
    """Leaves the topic out."""

    def row(self, record: SinkRecord) -> tuple[str, str, str | None]:
        """Key and line of one record."""
        _, key, line = super().row(record)
        return "", key, line
