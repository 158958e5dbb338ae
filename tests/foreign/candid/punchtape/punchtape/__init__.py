"""Reads punch tapes: segment files of binary frames that a recorder appends to.

A directory holds ``0000000001.tape``, ``0000000002.tape`` and so on. The recorder begins a segment
when the one before is complete. A frame is

    4 bytes   length of the text, big-endian
    4 bytes   CRC-32 of the next 8 bytes and the text
    8 bytes   number of the frame
    n bytes   text in UTF-8

Texts are returned in columns, because tapes are long and frames are small.
"""

from __future__ import annotations

import os
import re
import struct
import threading
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

from plugwright import (
    INT64_SCHEMA,
    STRING_SCHEMA,
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    ExactlyOnceSupport,
    Importance,
    NonEmptyString,
    NonEmptyStringWithoutControlChars,
    Range,
    RetriableError,
    SourceColumns,
    SourceConnector,
    SourceTask,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HEAD = struct.Struct(">II")
NUMBER = struct.Struct(">q")
SEGMENT = re.compile(r"[0-9]{10}\.tape")
LONGEST = 64 * 1024 * 1024

CONFIG = (
    ConfigDef()
    .define(
        "tape.directory",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyStringWithoutControlChars(),
        documentation="Directory of the segments; it may appear later than the connector.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic to write to.",
    )
    .define(
        "chunk.bytes",
        ConfigType.INT,
        default=1 << 20,
        importance=Importance.LOW,
        validator=Range.between(4096, 1 << 26),
        documentation="How much to read at once; a longer frame is read as a whole.",
    )
    .define(
        "max.frames",
        ConfigType.INT,
        default=5000,
        importance=Importance.LOW,
        validator=Range.between(1, 15_000),
        documentation="How many frames one poll returns at most.",
    )
    .define(
        "idle.ms",
        ConfigType.INT,
        default=3000,
        importance=Importance.LOW,
        validator=Range.between(10, 30_000),
        documentation="How long to sleep at the end of the tape.",
    )
)


class Place(NamedTuple):
    """Where to go on: a byte of a segment; before the first segment, no name."""

    segment: str
    byte: int

    @classmethod
    def of(cls, offset: Mapping[str, Any]) -> Place:
        """The place in a stored offset.

        Raises:
            ConnectError: if there is none in it.
        """
        segment, byte = offset.get("segment"), offset.get("byte")
        if (
            set(offset) != {"segment", "byte"}
            or not isinstance(segment, str)
            or not (SEGMENT.fullmatch(segment) or segment == "")
            or type(byte) is not int
            or byte < 0
        ):
            raise ConnectError(
                "an offset must be {'segment': '0000000001.tape', 'byte': number}, found "
                f"{dict(offset)!r}",
                code="punchtape.offset",
            )
        return cls(segment, byte)


class PunchTapeSourceConnector(SourceConnector):
    """One tape, one task."""

    def __init__(self) -> None:
        self._props: Mapping[str, str] = {}

    def version(self) -> str:
        return "1.12.0"

    def config(self) -> ConfigDef:
        return CONFIG

    def start(self, props: Mapping[str, str]) -> None:
        CONFIG.parse(props)
        self._props = dict(props)

    def task_class(self) -> type[SourceTask]:
        return PunchTapeSourceTask

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        return [self._props]

    def stop(self) -> None:
        self._props = {}

    def exactly_once_support(self, props: Mapping[str, str]) -> ExactlyOnceSupport:
        return ExactlyOnceSupport.SUPPORTED

    def alter_offsets(
        self,
        props: Mapping[str, str],
        offsets: Sequence[tuple[Mapping[str, Any], Mapping[str, Any] | None]],
    ) -> bool:
        for partition, offset in offsets:
            if set(partition) != {"tape"} or not isinstance(partition["tape"], str):
                raise ConnectError(
                    f"a source partition must be {{'tape': directory}}, found {dict(partition)!r}",
                    code="punchtape.partition",
                )
            if offset is not None:
                Place.of(offset)
        return False


class PunchTapeSourceTask(SourceTask):
    """Keeps the current segment open, and reads it without moving its position."""

    def __init__(self) -> None:
        self._ending = threading.Event()
        self._file_in_use = threading.Lock()
        self._file: int | None = None

    def version(self) -> str:
        return "1.12.0"

    def start(self, props: Mapping[str, str]) -> None:
        config = CONFIG.parse(props)
        self._directory: str = config["tape.directory"]
        self._topic: str = config["topic"]
        self._chunk: int = config["chunk.bytes"]
        self._most: int = config["max.frames"]
        self._idle_s: float = config["idle.ms"] / 1000
        self._partition = {"tape": self._directory}
        stored = self.context.offset_storage_reader.offset(self._partition)
        self._place = Place("", 0) if stored is None else Place.of(stored)

    def poll(self) -> SourceColumns | None:
        try:
            with self._file_in_use:
                found = None if self._ending.is_set() else self._read()
        except OSError as error:
            with self._file_in_use:
                self._close()
            raise self._failure(error) from error
        if found is None:
            self._ending.wait(self._idle_s)
        return found

    def stop(self) -> None:
        self._ending.set()
        with self._file_in_use:
            self._close()

    def _read(self) -> SourceColumns | None:
        """The next frames, of this segment or of one behind it."""
        while not self._ending.is_set():
            # Listed before the end is read: then a segment that has a successor is complete.
            names = self._segments()
            later = [name for name in names if name > self._place.segment]
            if self._place.segment:
                frames = self._frames(complete=bool(later))
                if frames is not None:
                    return frames
            if not later:
                return None
            self._close()
            self._place = Place(later[0], 0)
        return None

    def _segments(self) -> list[str]:
        try:
            names = os.listdir(self._directory)
        except FileNotFoundError:
            if self._place.segment:
                raise
            return []
        return sorted(name for name in names if SEGMENT.fullmatch(name))

    def _frames(self, *, complete: bool) -> SourceColumns | None:
        """The frames from the place on; nothing at the end of the segment."""
        segment, begin = self._place
        if self._file is None:
            path = os.path.join(self._directory, segment)
            self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        size = os.fstat(self._file).st_size
        if size < begin:
            raise ConnectError(
                f"segment {segment} of {self._directory} has {size} bytes, but was read up to byte "
                f"{begin}",
                code="punchtape.shorter",
                facts={"directory": self._directory, "segment": segment},
            )
        data = os.pread(self._file, self._chunk, begin)
        if len(data) >= HEAD.size:
            (length, _) = HEAD.unpack_from(data)
            wanted = HEAD.size + NUMBER.size + length
            if len(data) < wanted <= min(size - begin, LONGEST):
                data = self._whole(wanted, begin)
        numbers: list[int] = []
        texts: list[str] = []
        ends: list[int] = []
        at, problem = 0, ""
        while len(texts) < self._most and at + HEAD.size + NUMBER.size <= len(data):
            length, checksum = HEAD.unpack_from(data, at)
            end = at + HEAD.size + NUMBER.size + length
            if length > LONGEST:
                problem = f"a length of {length} bytes"
                break
            if end > len(data):
                break
            content = memoryview(data)[at + HEAD.size : end]
            if zlib.crc32(content) != checksum:
                problem = "a wrong checksum"
                break
            try:
                texts.append(str(content[NUMBER.size :], "utf-8"))
            except UnicodeDecodeError as error:
                problem = f"a text that is not UTF-8 ({error.reason})"
                break
            numbers.append(NUMBER.unpack_from(content)[0])
            ends.append(begin + end)
            at = end
        if texts:
            self._place = Place(segment, ends[-1])
            return SourceColumns(
                self._partition,
                lambda index: {"segment": segment, "byte": ends[index]},
                self._topic,
                texts,
                STRING_SCHEMA,
                keys=numbers,
                key_schema=INT64_SCHEMA,
            )
        if not problem and complete and begin < os.fstat(self._file).st_size:
            problem = "half a frame, although the next segment has begun"
        if problem:
            raise DataError(
                f"segment {segment} of {self._directory} has {problem} at byte {begin}",
                code="punchtape.frame",
                hint="repair the segment, or alter the offset to a byte where a frame begins",
                facts={"directory": self._directory, "segment": segment, "byte": begin},
            )
        return None

    def _whole(self, wanted: int, begin: int) -> bytes:
        """So many bytes, though one call may return fewer."""
        assert self._file is not None
        parts: list[bytes] = []
        while wanted > 0:
            part = os.pread(self._file, wanted, begin)
            if not part:
                break
            parts.append(part)
            begin, wanted = begin + len(part), wanted - len(part)
        return b"".join(parts)

    def _close(self) -> None:
        if self._file is not None:
            file, self._file = self._file, None
            os.close(file)

    def _failure(self, error: OSError) -> ConnectError:
        """What is wrong for good fails the task; everything else is tried again after a pause."""
        lasting = (FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError)
        kind = ConnectError if isinstance(error, lasting) else RetriableError
        if kind is RetriableError:
            self._ending.wait(min(self._idle_s, 1.0))
        return kind(
            f"the tape in {self._directory} cannot be read: {error}",
            code="punchtape.file",
            facts={"directory": self._directory, "segment": self._place.segment},
        )
