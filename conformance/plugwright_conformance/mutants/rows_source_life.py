"""Sources of rows whose life goes wrong: starting, waiting, stopping, dividing."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from plugwright import ConnectError, SourceRecord
from plugwright_conformance.reference.rows.codec import directory_of
from plugwright_conformance.reference.rows.source import (
    RowsSourceConnector,
    RowsSourceTask,
    tables_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import Task

__all__ = [
    "DividesWithoutRemainder",
    "DropsCause",
    "EverybodyDoesEverything",
    "LogsConfiguration",
    "PutsUrlIntoMessage",
    "PutsUrlIntoPartition",
    "RemembersInDriver",
    "RemembersInModule",
    "StartsOver",
    "StopWaitsForPoll",
    "WaitsForEver",
    "WaitsInStart",
]

_SEEN: set[str] = set()


class WaitsForEverTask(RowsSourceTask):
    """Sleeps until there is data, whatever stop() says."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """Rows, or nothing ever."""
        return super().poll() or threading.Event().wait()  # type: ignore[return-value]  # never returns


class WaitsForEver(RowsSourceConnector):
    """Its task does not hear of stop()."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return WaitsForEverTask


class StopWaitsForPollTask(RowsSourceTask):
    """Believes that somebody else polls."""

    def __init__(self) -> None:
        super().__init__()
        self._between = threading.Event()

    def stop(self) -> None:
        """Wait for the end of a poll that only this thread could make."""
        super().stop()
        self._between.wait()


class StopWaitsForPoll(RowsSourceConnector):
    """Its task blocks itself."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return StopWaitsForPollTask


class RemembersInModuleTask(RowsSourceTask):
    """Delivers nothing twice, not even in another life."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """Rows that this process has not seen."""
        fresh = [record for record in super().poll() or () if str(record.value) not in _SEEN]
        _SEEN.update(str(record.value) for record in fresh)
        return fresh


class RemembersInModule(RowsSourceConnector):
    """Keeps what it has seen outside of itself."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return RemembersInModuleTask


class WaitsInStartTask(RowsSourceTask):
    """Waits for its tables."""

    def start(self, props: Mapping[str, str]) -> None:
        """Wait for as long as it takes."""
        if not Path(directory_of(props["rows.url"])).is_dir():
            threading.Event().wait()
        super().start(props)


class WaitsInStart(RowsSourceConnector):
    """Has no limit for its connection."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return WaitsInStartTask


class RemembersInDriverTask(RowsSourceTask):
    """Goes on from its own memory, or from the end."""

    memory: ClassVar[set[str]] = set()

    def _line(self, table: str) -> int:
        line = super()._line(table)
        if line and table not in self.memory:
            path = self._directory / f"{table}.jsonl"
            return len(path.read_text("utf-8").splitlines())
        self.memory.add(table)
        return line


class RemembersInDriver(RowsSourceConnector):
    """Trusts the process to live."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return RemembersInDriverTask


class DividesWithoutRemainder(RowsSourceConnector):
    """Rounds down."""

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """Equal parts; what is left over is left out."""
        tables = tables_of(self._props["rows.url"])
        size = max(len(tables) // max_tasks, 1)
        count = min(max_tasks, len(tables))
        parts = [tables[number * size : (number + 1) * size] for number in range(count)]
        return [{**self._props, "tables": ",".join(part)} for part in parts]


class EverybodyDoesEverything(RowsSourceConnector):
    """Does not divide at all."""

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """All tables for everybody."""
        return [super().task_configs(1)[0]] * max_tasks


class StartsOverTask(RowsSourceTask):
    """Does not care where it was."""

    def _line(self, table: str) -> int:  # noqa: ARG002  # whatever the table
        return 0


class StartsOver(RowsSourceConnector):
    """Asks nobody for its offsets."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return StartsOverTask


class DropsCauseTask(RowsSourceTask):
    """Has one sentence for everything."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start, or say the sentence."""
        try:
            super().start(props)
        except ConnectError:
            raise ConnectError("the rows are not available", code="rows.gone") from None


class DropsCause(RowsSourceConnector):
    """Tells nobody why."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return DropsCauseTask


class LogsConfigurationTask(RowsSourceTask):
    """Helps with debugging."""

    def start(self, props: Mapping[str, str]) -> None:
        """Log everything."""
        logging.getLogger("rows").debug("starting with %s", dict(props))
        super().start(props)


class LogsConfiguration(RowsSourceConnector):
    """Its log knows the password."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return LogsConfigurationTask


class PutsUrlIntoMessageTask(RowsSourceTask):
    """Is exact about where it failed."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start, or tell the whole URL."""
        try:
            super().start(props)
        except ConnectError as error:
            raise ConnectError(f"cannot read {props['rows.url']}", code="rows.gone") from error


class PutsUrlIntoMessage(RowsSourceConnector):
    """Its errors have the credentials."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return PutsUrlIntoMessageTask


class PutsUrlIntoPartitionTask(RowsSourceTask):
    """Is exact about where the data is."""

    def start(self, props: Mapping[str, str]) -> None:
        """Remember the URL."""
        self._url = props["rows.url"]
        super().start(props)

    def record(self, table: str, line: int, row: Any) -> SourceRecord:
        """The record, with the way to it."""
        record = super().record(table, line, row)
        record.source_partition = {"table": table, "url": self._url}
        return record


class PutsUrlIntoPartition(RowsSourceConnector):
    """Its offsets have the credentials."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return PutsUrlIntoPartitionTask
