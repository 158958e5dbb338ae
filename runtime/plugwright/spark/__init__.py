"""The only room that imports pyspark: sessions, tasks in them (resident or streamed), data sources.

Names are imported when they are first used (PEP 562): a data source needs neither a session of ours
nor a Kafka client, and its workers start the sooner.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plugwright.plugins import ClassReference
    from plugwright.spark._board import TaskStatus
    from plugwright.spark._crashes import CrashBudget, Exit
    from plugwright.spark._job import ResidentJob
    from plugwright.spark._launcher import SparkLauncher
    from plugwright.spark._session import (
        DEFAULT_MASTER,
        close_session,
        java_version,
        master_of,
        open_session,
    )
    from plugwright.spark._spec import TaskSpec
    from plugwright.spark._stream_job import StreamJob
    from plugwright.spark._stream_query import StreamSettings
    from plugwright.spark.datasource import PlugwrightDataSource, register
    from plugwright.spark.kafka_source import KafkaDataSource

__all__ = [
    "DEFAULT_MASTER",
    "ClassReference",
    "CrashBudget",
    "Exit",
    "KafkaDataSource",
    "PlugwrightDataSource",
    "ResidentJob",
    "SparkLauncher",
    "StreamJob",
    "StreamSettings",
    "TaskSpec",
    "TaskStatus",
    "close_session",
    "java_version",
    "master_of",
    "open_session",
    "register",
]

_HOMES = {
    "DEFAULT_MASTER": "plugwright.spark._session",
    "ClassReference": "plugwright.plugins",
    "CrashBudget": "plugwright.spark._crashes",
    "Exit": "plugwright.spark._crashes",
    "KafkaDataSource": "plugwright.spark.kafka_source",
    "PlugwrightDataSource": "plugwright.spark.datasource",
    "ResidentJob": "plugwright.spark._job",
    "SparkLauncher": "plugwright.spark._launcher",
    "StreamJob": "plugwright.spark._stream_job",
    "StreamSettings": "plugwright.spark._stream_query",
    "TaskSpec": "plugwright.spark._spec",
    "TaskStatus": "plugwright.spark._board",
    "close_session": "plugwright.spark._session",
    "java_version": "plugwright.spark._session",
    "master_of": "plugwright.spark._session",
    "open_session": "plugwright.spark._session",
    "register": "plugwright.spark.datasource",
}


def __getattr__(name: str) -> object:
    """Import a name of the room when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found
