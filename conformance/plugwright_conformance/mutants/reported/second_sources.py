"""Reported faults of sources, second set: units, large offsets, clocks and shared settings."""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright_conformance.mutants.reported.endpoints import EventsEndpoint
from plugwright_conformance.mutants.reported.lines_source import FolderSource, LinesSource
from plugwright_conformance.mutants.reported.table_sources import (
    EventsSource,
    EventsSourceTask,
    PagesSourceTask,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SourceRecord

__all__ = [
    "CursorInFourBytesTask",
    "OneMapForAllTasks",
    "ResolvesInGivenSettings",
    "StampedEventsEndpoint",
    "StampedEventsSource",
    "StampedEventsSourceTask",
    "StampsSecondsTask",
    "WaitsByWallClockTask",
]

_INTERVAL_S = 0.05
_INT = 2**31 - 1


class StampedEventsEndpoint(EventsEndpoint):
    """Rows that were changed five at a time; the time of change is read, too."""

    def read_timestamps(self) -> list[int]:
        """When every row was changed, in milliseconds since 1970."""
        times = self._ask("SELECT at FROM events ORDER BY id")
        return [int(datetime.fromisoformat(at).timestamp() * 1000) for at in times]


class StampedEventsSourceTask(EventsSourceTask):
    """Reads rows by time of change, which is the timestamp of the record."""

    def record(self, number: int, at: str, value: str) -> SourceRecord:
        """The record of a row, with its timestamp in milliseconds."""
        record = super().record(number, at, value)
        record.timestamp = int(datetime.fromisoformat(at).timestamp() * 1000)
        return record


class StampedEventsSource(EventsSource):
    """Reads a table of events with their times."""

    TASK = StampedEventsSourceTask


class StampsSecondsTask(StampedEventsSourceTask):
    """Gives the timestamp of a record in seconds.

    https://github.com/jaredpetersen/kafka-connect-redis/pull/26: timestamps were of January 1970,
    and the topic's retention removed the records within minutes.
    """

    def record(self, number: int, at: str, value: str) -> SourceRecord:
        """The record of a row."""
        record = super().record(number, at, value)
        record.timestamp = int(datetime.fromisoformat(at).timestamp())
        return record


class CursorInFourBytesTask(PagesSourceTask):
    """Reads a stored position as an integer of four bytes; a larger one is none.

    https://github.com/debezium/debezium/pull/7900: a binlog position above Integer.MAX_VALUE was a
    Long, for which getInteger() gave -1.
    """

    @staticmethod
    def checked(offset: Mapping[str, Any]) -> int:
        """The cursor of an offset, or the beginning."""
        cursor = PagesSourceTask.checked(offset)
        return cursor if cursor <= _INT else -1


class OneMapForAllTasks(FolderSource):
    """Puts the files of every task into one and the same map.

    https://github.com/marklogic/java-client-api/pull/1167: each item of the list was the same Map,
    so that the last put() was the assignment of all tasks.
    """

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """The files, shared out."""
        config, configs = dict(self._props), []
        for found in super().task_configs(max_tasks):
            config["files"] = found["files"]
            configs.append(config)
        return configs


class WaitsByWallClockTask(EventsSourceTask):
    """Asks when so much time has passed since it asked last, by the clock on the wall.

    https://github.com/apache/storm/issues/4907: with System.currentTimeMillis() the difference is
    negative when the clock is set back, and refreshing is delayed by as much.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Begin, with a question to ask at once."""
        super().start(props)
        self._asked = 0.0

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next rows, if it is time."""
        if time.time() - self._asked < _INTERVAL_S:
            self.idle()
            return None
        if not (records := super().poll()):
            self._asked = time.time()
        return records


class ResolvesInGivenSettings(LinesSource):
    """Resolves its settings in the map that it was given.

    https://github.com/apache/kafka/pull/6795: resolving variables modified the map of originals,
    which may be immutable or belong to somebody else.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Check the settings and keep them."""
        props["place"] = str(Path(props["place"]).absolute())  # type: ignore[index]  # the fault
        super().start(props)
