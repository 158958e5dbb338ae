"""Row sources with faults in their life cycle, task configurations or messages."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from plugwright import ConnectError, SourceRecord
from plugwright_conformance.mutants.mutant import mutant
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
    "StartsOnce",
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
    failure="poll() or put() is still running",
)
class WaitsForEverTask(RowsSourceTask):
    """Waits in poll() without limit; stop() does not end the wait."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next rows; waits forever if there are none."""
        return super().poll() or threading.Event().wait()  # type: ignore[return-value]  # never returns


@mutant(
    "M040",
    "stop() waits for a poll on the same thread",
    killed_by="CON-LIF-06",
    failure="still in",
)
class StopWaitsForPollTask(RowsSourceTask):
    """Waits in stop() for a poll on the same thread."""

    def __init__(self) -> None:
        super().__init__()
        self._between = threading.Event()

    def stop(self) -> None:
        """Stop, then wait for a poll that cannot happen."""
        super().stop()
        self._between.wait()


@mutant(
    "M041",
    "seen values kept in a module global",
    base="lines-source",
    killed_by="CON-LIF-07",
    failure="life 2",
)
class RemembersInModuleTask(RowsSourceTask):
    """Remembers delivered rows in a module variable."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """The rows that this process has not delivered."""
        fresh = [record for record in super().poll() or () if str(record.value) not in _SEEN]
        _SEEN.update(str(record.value) for record in fresh)
        return fresh


@mutant(
    "M041a",
    "a connector that was stopped cannot be started again",
    killed_by="CON-LIF-07",
    failure="cannot init again",
)
class StartsOnce(RowsSourceConnector):
    """Refuses a second start.

    Reported at https://github.com/streamthoughts/kafka-connect-file-pulse/issues/28.
    """

    _begun = False

    def start(self, props: Mapping[str, str]) -> None:
        """Start, for the first time."""
        if self._begun:
            raise ConnectError("cannot init again", code="rows.begun")
        self._begun = True
        super().start(props)


@mutant(
    "M043",
    "start() waits for the endpoint without limit",
    killed_by="CON-LIF-09",
    failure="it is still running",
)
class WaitsInStartTask(RowsSourceTask):
    """Waits in start() until its tables exist."""

    def start(self, props: Mapping[str, str]) -> None:
        """Wait without limit, then start."""
        if not Path(directory_of(props["rows.url"])).is_dir():
            threading.Event().wait()
        super().start(props)


@mutant(
    "M158",
    "position kept in the driver's memory only",
    base="lines-source",
    killed_by="CON-SPK-05",
    failure="lost",
)
class RemembersInDriverTask(RowsSourceTask):
    """Keeps its position in the memory of the process."""

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
    failure="6 missing",
)
class DividesWithoutRemainder(RowsSourceConnector):
    """Drops the remainder of a division."""

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """Equal parts, without the remainder."""
        tables = tables_of(self._props["rows.url"])
        size = max(len(tables) // max_tasks, 1)
        count = min(max_tasks, len(tables))
        parts = [tables[number * size : (number + 1) * size] for number in range(count)]
        return [{**self._props, "tables": ",".join(part)} for part in parts]


@mutant(
    "M122",
    "every task reads everything",
    killed_by="CON-PAR-03",
    failure="tasks.max=4",
    sentinel=True,
)
class EverybodyDoesEverything(RowsSourceConnector):
    """Gives every task all tables."""

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """The same configuration for every task."""
        return [super().task_configs(1)[0]] * max_tasks


@mutant(
    "M071b",
    "never asks for stored offsets",
    base="lines-source",
    killed_by="SRC-OFF-01",
    failure="0 look-ups",
    sentinel=True,
)
class StartsOverTask(RowsSourceTask):
    """Ignores stored offsets."""

    def _line(self, table: str) -> int:  # noqa: ARG002  # whatever the table
        return 0


@mutant(
    "M153",
    "wraps every error in one sentence and drops the cause",
    killed_by="CON-OBS-04",
    failure="Not a directory",
    sentinel=True,
)
class DropsCauseTask(RowsSourceTask):
    """Raises the same message for every error, without its cause."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start, or raise the message."""
        try:
            super().start(props)
        except ConnectError:
            raise ConnectError("the rows are not available", code="rows.gone") from None


@mutant(
    "M145",
    "logs the whole configuration at DEBUG",
    killed_by="CON-SEC-02",
    failure="starting with",
)
class LogsConfigurationTask(RowsSourceTask):
    """Logs its configuration."""

    def start(self, props: Mapping[str, str]) -> None:
        """Log the configuration, then start."""
        logging.getLogger("rows").debug("starting with %s", dict(props))
        super().start(props)


@mutant(
    "M147",
    "URL with credentials in the exception text",
    killed_by="CON-SEC-04",
    failure="cannot read rows://",
)
class PutsUrlIntoMessageTask(RowsSourceTask):
    """Puts the URL with credentials into an error."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start, or raise an error with the URL."""
        try:
            super().start(props)
        except ConnectError as error:
            raise ConnectError(f"cannot read {props['rows.url']}", code="rows.gone") from error


@mutant(
    "M151",
    "partition map holds the connection string",
    killed_by="CON-SEC-09",
    failure="offsets without rows.url",
)
class PutsUrlIntoPartitionTask(RowsSourceTask):
    """Puts the URL with credentials into source partitions."""

    def start(self, props: Mapping[str, str]) -> None:
        """Remember the URL, then start."""
        self._url = props["rows.url"]
        super().start(props)

    def record(self, table: str, line: int, row: Any) -> SourceRecord:
        """The record, with the URL in its partition."""
        record = super().record(table, line, row)
        record.source_partition = {"table": table, "url": self._url}
        return record
