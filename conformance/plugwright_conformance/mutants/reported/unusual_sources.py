"""Good sources that do what the API permits and few do; each class names the clause."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

from plugwright import (
    INT64_SCHEMA,
    STRING_SCHEMA,
    ConfigDef,
    ConfigType,
    ConnectError,
    Importance,
    RetriableError,
    SchemaBuilder,
    SourceRecord,
    Struct,
)
from plugwright_conformance.mutants.reported.endpoints import EventsEndpoint, FolderEndpoint
from plugwright_conformance.mutants.reported.lines_source import (
    FolderSource,
    FolderSourceTask,
    LinesSource,
    LinesSourceTask,
    position_of,
)
from plugwright_conformance.mutants.reported.table_sources import EventsSourceTask, PagesSourceTask

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from plugwright import RecordMetadata

__all__ = [
    "BeginsQuietlyTask",
    "ColumnsEndpoint",
    "DescribedByFunctions",
    "EmptyFolderEndpoint",
    "EmptyListTask",
    "EnvelopeTask",
    "EnvelopesEndpoint",
    "FolderThatMayBeEmpty",
    "KeyedTask",
    "MoreColumnsTask",
    "OneAtATimeTask",
    "OneTaskForAllFiles",
    "OwnSequenceTask",
    "OwnTopicTask",
    "ReadsAheadTask",
    "RetriableWhenIdleTask",
    "RichOffsetsTask",
    "WaitsOutTask",
    "WindowTask",
]


class EmptyListTask(EventsSourceTask):
    """`SourceTask.poll`: "the next records, or nothing"; an empty list is nothing."""

    def poll(self) -> Sequence[SourceRecord]:
        """The next rows, or an empty list."""
        return super().poll() or []


class OneAtATimeTask(LinesSourceTask):
    """`SourceTask.poll`: how many records it returns is its own affair; here it is one."""

    def records(self, path: Path) -> list[SourceRecord]:
        """The next record."""
        self._batch = 1
        return super().records(path)


class RetriableWhenIdleTask(EventsSourceTask):
    """`SourceTask.poll`: RetriableError "counts as nothing this time"."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next rows.

        Raises:
            RetriableError: if there are none.
        """
        if records := super().poll():
            return records
        raise RetriableError("nothing this time")


class BeginsQuietlyTask(EventsSourceTask):
    """`SourceTask.poll`: it "may wait a little", and nobody says how often it has nothing first."""

    def start(self, props: Mapping[str, str]) -> None:
        """Begin, with nothing for a while."""
        super().start(props)
        self._quiet = 9

    def poll(self) -> Sequence[SourceRecord] | None:
        """Nothing at first, then the next rows."""
        if self._quiet:
            self._quiet -= 1
            self.idle()
            return None
        return super().poll()


class WindowTask(EventsSourceTask):
    """`SourceTask.commit_record`: "called when Kafka has a record"; at most ten wait for it."""

    def start(self, props: Mapping[str, str]) -> None:
        """Begin, with an empty window."""
        super().start(props)
        self._lock = threading.Lock()
        self._under_way = 0

    def poll(self) -> Sequence[SourceRecord] | None:
        """As many rows as there is room for in the window."""
        self._batch = 10 - self._under_way
        if not self._batch:
            self.idle()
            return None
        records = super().poll()
        with self._lock:
            self._under_way += len(records or ())
        return records

    def commit_record(self, record: SourceRecord, metadata: RecordMetadata | None) -> None:  # noqa: ARG002
        """Make room."""
        with self._lock:
            self._under_way -= 1


class _Records(Sequence[SourceRecord]):
    """A sequence that is no list."""

    def __init__(self, records: Sequence[SourceRecord]) -> None:
        self._records = tuple(records)

    @overload
    def __getitem__(self, index: int) -> SourceRecord: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[SourceRecord]: ...

    def __getitem__(self, index: int | slice) -> SourceRecord | Sequence[SourceRecord]:
        return self._records[index]

    def __len__(self) -> int:
        return len(self._records)


class OwnSequenceTask(PagesSourceTask):
    """`SourceTask.poll` returns a Sequence; nothing says that it is a list."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next items, in a sequence of its own."""
        records = super().poll()
        return records and _Records(records)


class KeyedTask(EventsSourceTask):
    """`SourceRecord`: a key with its schema, a timestamp, and headers belong to a record."""

    def record(self, number: int, at: str, value: str) -> SourceRecord:
        """The record of a row, with everything that it may have."""
        record = super().record(number, at, value)
        record.key_schema, record.key = INT64_SCHEMA, number
        record.timestamp = 1000 * number
        record.headers.add("changed", at, STRING_SCHEMA)
        return record


class EnvelopeTask(EventsSourceTask):
    """A value may be an envelope around what was changed, as change data capture has it."""

    def made(self, offset: Mapping[str, Any], value: str) -> SourceRecord:
        """A record that tells what happened."""
        return super().made(offset, json.dumps({"op": "c", "after": value}))


class MoreColumnsTask(EventsSourceTask):
    """A value may be a struct in which the text is one column of several."""

    def __init__(self) -> None:
        super().__init__()
        self._schema = (
            SchemaBuilder.struct()
            .name("events")
            .field("id", SchemaBuilder.int64())
            .field("value", SchemaBuilder.string())
            .build()
        )

    def made(self, offset: Mapping[str, Any], value: str) -> SourceRecord:
        """A record with the whole row."""
        record = super().made(offset, value)
        record.value_schema = self._schema
        record.value = Struct(self._schema).put("id", offset["id"]).put("value", value)
        return record


class OwnTopicTask(EventsSourceTask):
    """`SourceRecord.topic`: the task names the topic, here with the table behind the prefix."""

    def start(self, props: Mapping[str, str]) -> None:
        """Begin, with a topic for the table."""
        super().start(props)
        self._topic += ".events"


class RichOffsetsTask(LinesSourceTask):
    """Values in maps are "text, numbers, booleans or None"; here are all of them."""

    def partition(self, path: Path) -> Mapping[str, Any]:
        """A source partition with values of several types."""
        return {"file": path.name, "shard": None, "follow": True, "version": 2}

    def begin(self, path: Path) -> int:
        """Where to begin in a file.

        Raises:
            ConnectError: if the offset is of another form.
        """
        stored = self.context.offset_storage_reader.offset(self.partition(path))
        if stored is None:
            return 0
        if stored.get("done") is not False or set(stored) != {"position", "done", "part"}:
            raise ConnectError(f"this is no offset: {dict(stored)!r}")
        return position_of({"position": stored["position"]})

    def record(self, path: Path, line: bytes) -> SourceRecord:
        """The record of the next line."""
        record = super().record(path, line)
        record.source_offset = {**(record.source_offset or {}), "done": False, "part": None}
        return record


class WaitsOutTask(EventsSourceTask):
    """An outage is nothing this time, and no error, for as long as it takes."""

    def rows(self) -> list[Any]:
        """The next rows; none while the database does not answer."""
        try:
            return super().rows()
        except RetriableError:
            return []


class ReadsAheadTask(EventsSourceTask):
    """A task may have threads of its own, and ends them when it is stopped."""

    def start(self, props: Mapping[str, str]) -> None:
        """Begin, with a thread that reads ahead."""
        super().start(props)
        self._failure: ConnectError | None = None
        self._ready: queue.Queue[list[SourceRecord]] = queue.Queue(2)
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        while not self._stopping.is_set():
            try:
                found = EventsSourceTask.poll(self)
            except RetriableError:
                continue
            except ConnectError as error:
                self._failure = error
                return
            while found and not self._stopping.is_set():
                try:
                    self._ready.put(list(found), timeout=0.1)
                except queue.Full:
                    continue
                break

    def poll(self) -> Sequence[SourceRecord] | None:
        """What the thread has read.

        Raises:
            ConnectError: if it could read no more.
        """
        if self._failure is not None:
            raise self._failure
        try:
            return self._ready.get(timeout=0.1)
        except queue.Empty:
            return None

    def stop(self) -> None:
        """End the thread."""
        super().stop()
        reader = getattr(self, "_reader", None)
        if reader is not None and reader is not threading.current_thread():
            reader.join()


class FolderThatMayBeEmpty(FolderSource):
    """`Connector.task_configs`: "at most" so many; none, while there is no file."""


class EnvelopesEndpoint(EventsEndpoint):
    """The same rows, of which records tell what happened."""

    def seeded(self, value: Any) -> str:
        """The text of the row behind an envelope."""
        text: str = json.loads(value)["after"]
        return text


class ColumnsEndpoint(EventsEndpoint):
    """The same rows, of which records have every column."""

    def seeded(self, value: Any) -> str:
        """The column that was seeded."""
        text: str = value["value"]
        return text


class EmptyFolderEndpoint(FolderEndpoint):
    """A directory that has no file before something is seeded."""

    def start(self) -> Mapping[str, str]:
        """Make the directory."""
        self._folder.mkdir()
        return {"place": str(self._folder)}


class OneTaskForAllFiles(FolderSource):
    """`Connector.task_configs`: one task has several source partitions, whatever the limit."""

    TASK = FolderSourceTask

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:  # noqa: ARG002
        """One configuration with all files."""
        return super().task_configs(1)


def _plain(name: str, value: object) -> None:
    """Refuse what is no plain word; a function does for a validator."""
    if not str(value).isalnum():
        raise ValueError(f"{name} must be a plain word, found {value!r}")


class DescribedByFunctions(LinesSource):
    """`ConfigDef.define`: any callable is a validator, and it may refuse what it likes."""

    def config(self) -> ConfigDef:
        """With settings that take plain words only."""
        found = super().config()
        for name, kind in (("style", ConfigType.STRING), ("login", ConfigType.PASSWORD)):
            found = found.define(
                name,
                kind,
                default="plain" if kind is ConfigType.STRING else "",
                importance=Importance.LOW,
                validator=_plain if kind is ConfigType.STRING else None,
                documentation="A plain word.",
            )
        return found

    def start(self, props: Mapping[str, str]) -> None:
        """Keep the settings, and the style apart."""
        super().start(props)
        self.style: str = self.config().parse(props)["style"]
