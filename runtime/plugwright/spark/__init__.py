"""The only room that imports pyspark: the session, and tasks in it, resident or streamed."""

from __future__ import annotations

from plugwright.plugins import ClassReference
from plugwright.spark._board import TaskStatus
from plugwright.spark._crashes import CrashBudget
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

__all__ = [
    "DEFAULT_MASTER",
    "ClassReference",
    "CrashBudget",
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
]
