"""Follows a table of SQLite by its growing id."""

from __future__ import annotations

from tablefeed.connector import TableFeedConnector
from tablefeed.task import TableFeedTask

__all__ = ["TableFeedConnector", "TableFeedTask"]
