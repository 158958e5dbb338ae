"""The task: reads its share of the files, remembers the position in each."""

from __future__ import annotations

import threading
import zlib
from collections import deque
from typing import TYPE_CHECKING, Any

from plugwright import ConnectError, SourceRecord, SourceTask
from plugwright_lake.local_store import TEMPORARY
from plugwright_lake.reading import EXTENSIONS, ReadFile, read_file
from plugwright_lake.settings import VERSION
from plugwright_lake.source_offset import finished, position_of
from plugwright_lake.source_settings import SourceSettings
from plugwright_lake.store import open_store, store_error

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["LakeSourceTask"]


class LakeSourceTask(SourceTask):
    """Reads files that it finds, each from its stored position to its end.

    Which task reads a file follows from its path alone, so that files that come later have their
    task, too. A file is read whole: it is taken to be complete when it is seen.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._waiting: deque[str] = deque()
        self._done: set[str] = set()
        self._positions: dict[str, int] = {}
        self._file: ReadFile | None = None

    def version(self) -> str:
        """The version of this distribution."""
        return VERSION

    def start(self, props: Mapping[str, str]) -> None:
        """Reach the store.

        Raises:
            ConfigError: if a setting is missing or wrong.
            ConnectError: if there is no driver for the store.
        """
        self._settings = SourceSettings.parse(props)
        self._store = open_store(self._settings.url, self._settings.options)
        self._stopping.clear()
        self._waiting.clear()
        self._done, self._positions, self._file = set(), {}, None

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next records, or nothing after a wait.

        Raises:
            DataError: if a file is not what its name says.
            RetriableError: if the store cannot be read now.
            ConnectError: if it may not be read, or a stored offset is not a position.
        """
        with self._lock:
            if self._stopping.is_set():
                return None
            try:
                found = self._next_file()
            except OSError as error:
                self._file = None
                self._stopping.wait(self._settings.wait_s)
                raise store_error(error, self._settings.url, "read") from error
            if not found:
                self._stopping.wait(self._settings.wait_s)
                return None
            return self._take()

    def stop(self) -> None:
        """End a waiting poll."""
        self._stopping.set()

    def _next_file(self) -> bool:
        """Open a file with unread rows; ``False`` if there is none."""
        while self._file is None:
            if not self._waiting and not self._look():
                return False
            self._open(self._waiting[0])
            self._waiting.popleft()  # one that could not be read stays the next
        return True

    def _look(self) -> bool:
        """Find files that are not done, in their order; put those away whose end is stored."""
        settings = self._settings
        found = self._store.walk(settings.folder, by_time=settings.by_time)
        asked = [
            path
            for path in found
            if self._is_mine(path) and (settings.finished or path not in self._done)
        ]
        for path, offset in self._stored(asked):
            if offset is not None and finished(offset):
                self._put_away(path)
            elif path not in self._done:
                self._positions[path] = 0 if offset is None else position_of(offset)
                self._waiting.append(path)
        return bool(self._waiting)

    def _stored(self, paths: list[str]) -> list[tuple[str, Mapping[str, Any] | None]]:
        """The stored offsets of files, in their order."""
        reader = self.context.offset_storage_reader
        found = reader.offsets([{"file": path} for path in paths])
        return [(str(partition["file"]), offset) for partition, offset in found]

    def _put_away(self, path: str) -> None:
        """Move a file that has been read completely, if configured."""
        if not self._settings.finished:
            self._done.add(path)
            return
        inside = path.removeprefix(self._settings.folder).strip("/")
        self._store.move(path, f"{self._settings.finished}/{inside}")
        self._done.discard(path)  # if it comes back, the stored offset applies

    def _is_mine(self, path: str) -> bool:
        settings = self._settings
        away = (f"{TEMPORARY}/", f"{settings.finished}/" if settings.finished else TEMPORARY)
        if path.startswith(away) or not path.endswith(EXTENSIONS):
            return False
        return zlib.crc32(path.encode()) % settings.tasks == settings.task

    def _open(self, path: str) -> None:
        topic = self._settings.topic or self._topic_of(path)
        try:
            file = read_file(path, self._store.read(path))
        except FileNotFoundError:  # removed by another process
            self._done.add(path)
            return
        self._done.add(path)
        self._topic, self._path, self._position = topic, path, self._positions.pop(path)
        if self._position < len(file):
            self._file = file

    def _topic_of(self, path: str) -> str:
        inside = path.removeprefix(self._settings.folder).strip("/")
        topic, separator, _ = inside.partition("/")
        if not separator:
            raise ConnectError(
                f"{path} lies in no folder that could name its topic",
                code="lake.no-topic",
                hint="set topic, or move the file into a folder",
            )
        return topic

    def _take(self) -> Sequence[SourceRecord]:
        """The next rows of the file as records."""
        file = self._file
        assert file is not None  # noqa: S101  # the caller has opened it
        values = file.rows(self._position, self._position + self._settings.batch)
        partition = {"file": self._path}
        records = []
        for number, value in enumerate(values, self._position + 1):
            offset = {"position": number, "finished": number == len(file)}
            records.append(SourceRecord(partition, offset, self._topic, value, file.schema))
        self._position += len(records)
        if self._position == len(file):
            self._file = None
        return records
