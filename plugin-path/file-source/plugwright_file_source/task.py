"""The task: reads lines, remembers the position after each."""

from __future__ import annotations

import os
import threading
import time
from itertools import accumulate
from typing import TYPE_CHECKING, Any, BinaryIO

from plugwright import (
    STRING_SCHEMA,
    AbstractConfig,
    ConnectError,
    DataError,
    RetriableError,
    SourceColumns,
    SourceTask,
)
from plugwright_file_source.position import position_of
from plugwright_file_source.settings import BATCH_SIZE, CONFIG, FILE, TOPIC, VERSION
from plugwright_file_source.standard_input import StandardInput

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SourceRecord

__all__ = ["FileStreamSourceTask"]

_CHUNK = 256 * 1024
_WAIT_FOR_GROWTH_S = 0.25
_FIRST_WAIT_S = 0.002
_LONGEST_WAIT_S = 1.0
_SLOWER = 1.02  # reaches the longest wait after about half a minute
_WAIT_FOR_FILE_S = 1.0


class FileStreamSourceTask(SourceTask):
    """Reads one file from the stored position on, or standard input if no file is named.

    A line ends with a line feed, which is not part of the value; a carriage return before it is,
    so that writing the values back, one line each, gives the same bytes. A last line without its
    line feed waits until it is complete. Text is UTF-8.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._file: BinaryIO | None = None
        self._lines: list[bytes] = []
        self._next = 0
        self._tail = bytearray()  # grows cheaply, however long the line
        self._wait_s = _FIRST_WAIT_S

    def version(self) -> str:
        """The version of this distribution."""
        return VERSION

    def start(self, props: Mapping[str, str]) -> None:
        """Look up where an earlier task stopped.

        Raises:
            ConfigError: if a setting is missing or wrong.
            ConnectError: if the stored offset is not a position.
        """
        settings = AbstractConfig(CONFIG, props, log_values=False)
        file: str | None = settings.get(FILE) or None
        self._input = StandardInput() if file is None else None
        self._path: str = "standard input" if file is None else file
        self._topic = settings.get_string(TOPIC)
        self._batch_size = max(1, settings.get_int(BATCH_SIZE))
        self._partition = {"filename": file}
        stored = None
        if file is not None:  # standard input has no position to look up
            stored = self.context.offset_storage_reader.offset(self._partition)
        self._position = 0 if stored is None else position_of(stored)
        self._lines, self._next, self._tail = [], 0, bytearray()
        self._stopping.clear()

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next lines, or nothing after a short wait.

        Raises:
            DataError: if a line is not UTF-8.
            RetriableError: if the file cannot be read now.
            ConnectError: if the file is shorter than what was read of it, or may not be read.
        """
        with self._lock:
            try:
                if not self._stopping.is_set() and self._open() and self._fill():
                    return self._take()
            except OSError as error:
                raise self._read_again_later(error) from error
            return None

    def stop(self) -> None:
        """Close the file; ends a waiting poll."""
        self._stopping.set()
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None

    def _open(self) -> bool:
        if self._file is not None or self._input is not None:
            return True
        try:
            self._file = open(self._path, "rb", buffering=0)  # noqa: PTH123, SIM115  # stop closes it
        except FileNotFoundError:
            self._stopping.wait(_WAIT_FOR_FILE_S)
            return False
        except (PermissionError, IsADirectoryError, NotADirectoryError) as error:
            raise ConnectError(
                f"cannot read {self._path}: {error.strerror}",
                code="file-source.unreadable",
                facts={"file": self._path},
            ) from error
        self._refuse_shorter_file()
        self._file.seek(self._position)
        return True

    def _refuse_shorter_file(self) -> None:
        assert self._file is not None  # noqa: S101  # callers have opened it
        size = os.fstat(self._file.fileno()).st_size
        if size < self._position + len(self._tail):
            raise ConnectError(
                f"{self._path} has {size} bytes, but {self._position} were read before: "
                "it was truncated or replaced",
                code="file-source.truncated",
                hint="restore the file, or reset the connector's offsets to read it from the start",
                facts={"file": self._path, "size": size, "position": self._position},
            )

    def _fill(self) -> bool:
        """Wait for complete lines; ``False`` if the wait ends without any."""
        if self._next < len(self._lines):
            return True
        chunk = self._more()
        if not chunk:
            self._wait_for_growth()
            return False
        self._wait_s = _FIRST_WAIT_S
        if b"\n" not in chunk:
            self._tail += chunk
            return False
        first, *self._lines, rest = chunk.split(b"\n")
        self._lines.insert(0, bytes(self._tail + first))
        self._tail = bytearray(rest)
        self._next = 0
        return True

    def _more(self) -> bytes:
        """More bytes; empty if there are none now."""
        if self._input is not None:
            return self._input.read(_CHUNK, _WAIT_FOR_GROWTH_S)
        assert self._file is not None  # noqa: S101  # callers have opened it
        chunk = self._file.read(_CHUNK)
        if not chunk:
            self._refuse_shorter_file()
            self._leave_replaced_file()
        return chunk

    def _leave_replaced_file(self) -> None:
        """Close a file that another one has taken the name of; the next poll opens that one."""
        assert self._file is not None  # noqa: S101  # callers have opened it
        try:
            named = os.stat(self._path)  # noqa: PTH116  # once for each idle poll
        except FileNotFoundError:  # it is being rotated
            return
        if not os.path.samestat(named, os.fstat(self._file.fileno())):
            self._file.close()
            self._file, self._tail = None, bytearray()

    def _read_again_later(self, error: OSError) -> RetriableError:
        """Forget what was read and not emitted, wait, and begin again at the last record."""
        if self._file is not None:
            self._file.close()
            self._file = None
        self._lines, self._next, self._tail = [], 0, bytearray()
        self._stopping.wait(_WAIT_FOR_FILE_S)
        return RetriableError(
            f"cannot read {self._path}: {error.strerror}",
            code="file-source.unreadable",
            hint="the file is tried again every second; check the disk if that does not help",
            facts={"file": self._path},
        )

    def _wait_for_growth(self) -> None:
        """Wait longer each time, so that a lively file has little delay and a still one no cost."""
        wait_s = min(self._wait_s, _LONGEST_WAIT_S)
        self._stopping.wait(wait_s)
        self._wait_s = wait_s * (2 if wait_s < _WAIT_FOR_GROWTH_S else _SLOWER)

    def _take(self) -> Sequence[SourceRecord]:
        """The next batch of lines as records, up to one that is not valid text. Hot path."""
        lines = self._lines[self._next : self._next + self._batch_size]
        texts = self._texts(lines)
        ends = [*accumulate(map(len, lines[: len(texts)]), initial=self._position)]
        piped = self._input is not None

        def offset_at(index: int) -> Mapping[str, Any]:
            return {"position": None if piped else ends[index + 1] + index + 1}

        self._position = ends[-1] + len(texts)
        self._next += len(texts)
        return SourceColumns(
            self._partition,
            offset_at,
            self._topic,
            texts,
            STRING_SCHEMA,
            timestamp=int(time.time() * 1000),
        )

    def _texts(self, lines: Sequence[bytes]) -> list[str]:
        """The lines as text, up to one that is none; the lines before it are delivered first."""
        try:
            return [line.decode() for line in lines]
        except UnicodeDecodeError:
            texts: list[str] = []
        position = self._position
        for line in lines:
            try:
                texts.append(line.decode())
            except UnicodeDecodeError as error:
                if texts:
                    break
                raise self._not_text(position + error.start) from error
            position += len(line) + 1
        return texts

    def _not_text(self, position: int) -> DataError:
        return DataError(
            f"{self._path} is not UTF-8 at byte {position}",
            code="file-source.not-utf-8",
            hint="convert the file to UTF-8",
            facts={"file": self._path, "position": position},
        )
