"""Connectors for SQL databases: tables into topics, and topics into tables."""

from __future__ import annotations

from plugwright_sql.sink_connector import SqlSinkConnector
from plugwright_sql.sink_task import SqlSinkTask
from plugwright_sql.source_connector import SqlSourceConnector
from plugwright_sql.source_task import SqlSourceTask

__all__ = ["SqlSinkConnector", "SqlSinkTask", "SqlSourceConnector", "SqlSourceTask"]
