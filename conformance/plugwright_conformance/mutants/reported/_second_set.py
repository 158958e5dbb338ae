"""The second set of reported faults, collected after the first one had improved the checks."""

from __future__ import annotations

from plugwright_conformance.mutants.reported._bases import (
    BUFFER_SINK,
    EVENTS,
    FOLDER,
    LINES_SINK,
    LINES_SOURCE,
    OBJECTS,
    PAGES,
    STAMPED,
    TABLE_SINK,
)
from plugwright_conformance.mutants.reported._reported import LOST, TWICE, Reported

SECOND_SET = (
    Reported("R401", BUFFER_SINK, "second_sinks:KeyedWithoutTopicTask", LOST),
    Reported("R402", LINES_SINK, "second_sinks:NeedsTimestampTask", ("timestamp", "NoneType")),
    Reported(
        "R403",
        LINES_SINK,
        "second_sinks:FirstPartitionForAllTask",
        (*LOST, *TWICE, "commit", "an offset of", "promise"),
    ),
    Reported(
        "R404",
        TABLE_SINK,
        "second_sinks:OneStatementTask",
        ("too many", "variables", "large batch", "thousand", r"batch of [\d,]+"),
    ),
    Reported(
        "R405",
        TABLE_SINK,
        "second_sinks:KeepsFailedConnectionTask",
        ("handle", "descriptor", "connection", "open file", r"store\.db"),
    ),
    Reported("R406", OBJECTS, "second_sinks:LeavesBegunObjectTask", (r"\.begun", "left behind")),
    Reported(
        "R407",
        LINES_SINK,
        "second_sinks:OffsetInFourBytesTask",
        ("struct.error", "'i' format", "2147483647", r"offset.*\d{10}"),
    ),
    Reported("R411", STAMPED, "second_sources:StampsSecondsTask", ("timestamp", "seconds")),
    Reported(
        "R412",
        PAGES,
        "second_sources:CursorInFourBytesTask",
        (r"offset.*\d{10}", "large offset", r"2\*\*"),
    ),
    Reported(
        "R413",
        FOLDER,
        "second_sources:OneMapForAllTasks",
        ("task_configs", "configurations", "parallel", *LOST, *TWICE),
    ),
    Reported("R414", EVENTS, "second_sources:WaitsByWallClockTask", ("clock",)),
    Reported(
        "R415",
        LINES_SOURCE,
        "second_sources:ResolvesInGivenSettings",
        (
            "TypeError",
            "does not support item assignment",
            "settings.*changed",
            "changed.*settings",
            "written by",
        ),
    ),
)
"""Every one of them, in the order of their ids."""
