"""The only package that imports pyspark: sessions, resident and streamed tasks, data sources.

Names are imported on first use (PEP 562): a data source needs neither one of our sessions
nor a Kafka client, and its workers start faster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.late import late_names

if TYPE_CHECKING:
    from plugwright.plugins import ClassReference
    from plugwright.spark._archiving import archive_spark_classes
    from plugwright.spark._job import ResidentJob
    from plugwright.spark._nearby import Executors, executors_of, is_here
    from plugwright.spark._shipments import Shipments
    from plugwright.spark._spec import TaskSpec
    from plugwright.spark._stream_job import StreamJob
    from plugwright.spark._task_table import TaskStatus
    from plugwright.spark.addresses import driver_address
    from plugwright.spark.crashes import CrashBudget, Exit
    from plugwright.spark.datasource import PlugwrightDataSource, register
    from plugwright.spark.kafka_source import KafkaDataSource
    from plugwright.spark.launcher import SparkLauncher
    from plugwright.spark.readiness import require_executors
    from plugwright.spark.secured import is_local
    from plugwright.spark.session import (
        DEFAULT_MASTER,
        close_session,
        java_version,
        joined_session,
        master_of,
        open_session,
        session_scratch,
    )
    from plugwright.spark.stream_query import StreamSettings
    from plugwright.spark.watch import NO_SLOT

__all__ = [
    "DEFAULT_MASTER",
    "NO_SLOT",
    "ClassReference",
    "CrashBudget",
    "Executors",
    "Exit",
    "KafkaDataSource",
    "PlugwrightDataSource",
    "ResidentJob",
    "Shipments",
    "SparkLauncher",
    "StreamJob",
    "StreamSettings",
    "TaskSpec",
    "TaskStatus",
    "archive_spark_classes",
    "close_session",
    "current_phase",
    "driver_address",
    "executors_of",
    "is_here",
    "is_local",
    "java_version",
    "joined_session",
    "master_of",
    "open_session",
    "register",
    "require_executors",
    "session_scratch",
]

__getattr__ = late_names(
    __name__,
    {
        "DEFAULT_MASTER": ".session",
        "NO_SLOT": ".watch",
        "ClassReference": "plugwright.plugins",
        "CrashBudget": ".crashes",
        "Executors": "._nearby",
        "Exit": ".crashes",
        "KafkaDataSource": ".kafka_source",
        "PlugwrightDataSource": ".datasource",
        "ResidentJob": "._job",
        "Shipments": "._shipments",
        "SparkLauncher": ".launcher",
        "StreamJob": "._stream_job",
        "StreamSettings": ".stream_query",
        "TaskSpec": "._spec",
        "TaskStatus": "._task_table",
        "archive_spark_classes": "._archiving",
        "close_session": ".session",
        "current_phase": ".exit_table",
        "driver_address": ".addresses",
        "executors_of": "._nearby",
        "is_here": "._nearby",
        "is_local": ".secured",
        "java_version": ".session",
        "joined_session": ".session",
        "master_of": ".session",
        "open_session": ".session",
        "register": ".datasource",
        "require_executors": ".readiness",
        "session_scratch": ".session",
    },
)
