"""Sources of rows whose life goes wrong: starting, waiting, stopping, dividing."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from plugwright import ConnectError, SourceRecord
from plugwright_conformance.mutants._mutant import mutant
from plugwright_conformance.reference.rows.codec import directory_of
from plugwright_conformance.reference.rows.source import (
    RowsSourceConnector,
    RowsSourceTask,
    tables_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


__all__ = [
    "DividesWithoutRemainder",
    "DropsCauseTask",
    "EverybodyDoesEverything",
    "LogsConfigurationTask",
    "PutsUrlIntoMessageTask",
    "PutsUrlIntoPartitionTask",
    "RemembersInDriverTask",
    "RemembersInModuleTask",
    "StartsOverTask",
    "StopWaitsForPollTask",
    "WaitsForEverTask",
    "WaitsInStartTask",
]

_SEEN: set[str] = set()


@mutant(
    "M039a",
    "poll() waits without limit, stop() only sets a flag",
    killed_by="CON-LIF-05",
    says="poll() or put() is still running",
)
class WaitsForEverTask(RowsSourceTask):
    """Sleeps until there is data, whatever stop() says."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """Rows, or nothing ever."""
        return super().poll() or threading.Event().wait()  # type: ignore[return-value]  # never returns


@mutant(
    "M040",
    "stop() waits for a poll on the same thread",
    killed_by="CON-LIF-06",
    says="still in",
)
class StopWaitsForPollTask(RowsSourceTask):
    """Believes that somebody else polls."""

    def __init__(self) -> None:
        super().__init__()
        self._between = threading.Event()

    def stop(self) -> None:
        """Wait for the end of a poll that only this thread could make."""
        super().stop()
        self._between.wait()


@mutant(
    "M041",
    "seen values kept in a module global",
    base="lines-source",
    killed_by="CON-LIF-07",
    says="life 2",
)
class RemembersInModuleTask(RowsSourceTask):
    """Delivers nothing twice, not even in another life."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """Rows that this process has not seen."""
        fresh = [record for record in super().poll() or () if str(record.value) not in _SEEN]
        _SEEN.update(str(record.value) for record in fresh)
        return fresh


@mutant(
    "M043",
    "start() waits for the endpoint without limit",
    killed_by="CON-LIF-09",
    says="it is still running",
)
class WaitsInStartTask(RowsSourceTask):
    """Waits for its tables."""

    def start(self, props: Mapping[str, str]) -> None:
        """Wait for as long as it takes."""
        if not Path(directory_of(props["rows.url"])).is_dir():
            threading.Event().wait()
        super().start(props)


@mutant(
    "M158",
    "position kept in the driver's memory only",
    base="lines-source",
    killed_by="CON-SPK-05",
    says="lost",
)
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


@mutant(
    "M121",
    "division loses the remainder",
    killed_by="CON-PAR-02",
    says="6 missing",
)
class DividesWithoutRemainder(RowsSourceConnector):
    """Rounds down."""

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """Equal parts; what is left over is left out."""
        tables = tables_of(self._props["rows.url"])
        size = max(len(tables) // max_tasks, 1)
        count = min(max_tasks, len(tables))
        parts = [tables[number * size : (number + 1) * size] for number in range(count)]
        return [{**self._props, "tables": ",".join(part)} for part in parts]


@mutant(
    "M122",
    "every task reads everything",
    killed_by="CON-PAR-03",
    says="tasks.max=4",
    sentinel=True,
)
class EverybodyDoesEverything(RowsSourceConnector):
    """Does not divide at all."""

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """All tables for everybody."""
        return [super().task_configs(1)[0]] * max_tasks


@mutant(
    "M071b",
    "never asks for stored offsets",
    base="lines-source",
    killed_by="SRC-OFF-01",
    says="0 look-ups",
    sentinel=True,
)
class StartsOverTask(RowsSourceTask):
    """Does not care where it was."""

    def _line(self, table: str) -> int:  # noqa: ARG002  # whatever the table
        return 0


@mutant(
    "M153",
    "wraps every error in one sentence and drops the cause",
    killed_by="CON-OBS-04",
    says="Not a directory",
    sentinel=True,
)
class DropsCauseTask(RowsSourceTask):
    """Has one sentence for everything."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start, or say the sentence."""
        try:
            super().start(props)
        except ConnectError:
            raise ConnectError("the rows are not available", code="rows.gone") from None


@mutant(
    "M145",
    "logs the whole configuration at DEBUG",
    killed_by="CON-SEC-02",
    says="starting with",
)
class LogsConfigurationTask(RowsSourceTask):
    """Helps with debugging."""

    def start(self, props: Mapping[str, str]) -> None:
        """Log everything."""
        logging.getLogger("rows").debug("starting with %s", dict(props))
        super().start(props)


@mutant(
    "M147",
    "URL with credentials in the exception text",
    killed_by="CON-SEC-04",
    says="cannot read rows://",
)
class PutsUrlIntoMessageTask(RowsSourceTask):
    """Is exact about where it failed."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start, or tell the whole URL."""
        try:
            super().start(props)
        except ConnectError as error:
            raise ConnectError(f"cannot read {props['rows.url']}", code="rows.gone") from error


@mutant(
    "M151",
    "partition map holds the connection string",
    killed_by="CON-SEC-09",
    says="offsets without rows.url",
)
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
