"""Reads CSV files out of an inbox, one record per row, and moves each file on when it is done.

Files appear in the inbox complete, by being renamed, and do not change there. The first row has
the names of the columns. A file is moved to the directory of finished files when Kafka has all of
its rows. Which file it was is known by its name and the time of its last change, so that another
file with the same name is a new one.
"""

import csv
import os
import re
import threading
import zlib

from plugwright import (
    STRING_SCHEMA,
    ConfigDef,
    ConfigError,
    ConfigType,
    ConnectError,
    DataError,
    Headers,
    Importance,
    LambdaValidator,
    NonEmptyString,
    NonEmptyStringWithoutControlChars,
    Range,
    RetriableError,
    SourceConnector,
    SourceRecord,
    SourceTask,
)

csv.field_size_limit(2**31 - 1)

_DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}


def _check_delimiter(name, value):
    if value not in _DELIMITERS:
        raise ConfigError(f"{name} must be one of {', '.join(_DELIMITERS)}, found {value!r}")


def _same(inbox, finished):
    return bool(inbox and finished) and os.path.abspath(inbox) == os.path.abspath(finished)


CONFIG = (
    ConfigDef()
    .define(
        "inbox",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyStringWithoutControlChars(),
        documentation="Directory in which files appear.",
    )
    .define(
        "finished",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyStringWithoutControlChars(),
        documentation="Directory to move files to; on the same file system as the inbox.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic of the rows.",
    )
    .define(
        "delimiter",
        ConfigType.STRING,
        default="comma",
        importance=Importance.MEDIUM,
        validator=LambdaValidator.with_(_check_delimiter, lambda: ", ".join(_DELIMITERS)),
        documentation="What is between the columns.",
    )
    .define(
        "key.column",
        ConfigType.STRING,
        default="",
        importance=Importance.MEDIUM,
        documentation="Column to take the key from; without it records have no key.",
    )
    .define(
        "look.ms",
        ConfigType.INT,
        default=1000,
        importance=Importance.LOW,
        validator=Range.between(1, 60_000),
        documentation="How long to wait before an empty inbox is looked at again.",
    )
)

TASK_CONFIG = (
    ConfigDef(CONFIG)
    .define("task.number", ConfigType.INT, default=0, internal=True)
    .define("task.count", ConfigType.INT, default=1, internal=True)
)


class CsvMoorSourceConnector(SourceConnector):
    """Every task takes the files whose names hash to it."""

    def version(self):
        return "1.4.2"

    def config(self):
        return CONFIG

    def validate(self, props):
        found = super().validate(props)
        values = {each.name: each.value for each in found}
        if not _same(values["inbox"], values["finished"]):
            return found
        problem = "finished must be another directory than inbox"
        return [each.with_error(problem) if each.name == "finished" else each for each in found]

    def start(self, props):
        config = CONFIG.parse(props)
        if _same(config["inbox"], config["finished"]):
            raise ConfigError("finished must be another directory than inbox")
        self._props = dict(props)

    def task_class(self):
        return CsvMoorSourceTask

    def task_configs(self, max_tasks):
        return [
            {**self._props, "task.number": str(number), "task.count": str(max_tasks)}
            for number in range(max_tasks)
        ]

    def stop(self):
        self._props = {}

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            good = set(partition) == {"file", "changed"} and all(
                isinstance(each, str) for each in partition.values()
            )
            if not good:
                raise ConnectError(
                    "a source partition is {'file': name, 'changed': time}, found "
                    f"{dict(partition)!r}"
                )
            if offset is not None:
                rows_done(offset)
        return False


def rows_done(offset):
    """The number of rows in a stored offset."""
    if set(offset) != {"rows"} or type(offset["rows"]) is not int or offset["rows"] < 0:
        raise ConnectError(
            f"an offset is {{'rows': number}}, found {dict(offset)!r}", code="csvmoor.offset"
        )
    return offset["rows"]


class Current:
    """The file that is being read."""

    def __init__(self, name, path, changed, done):
        self.name, self.path, self.changed, self.done = name, path, changed, done
        self.rows = None  # a generator, while the file is open
        self.ended = False

    @property
    def partition(self):
        return {"file": self.name, "changed": self.changed}


class CsvMoorSourceTask(SourceTask):
    def __init__(self):
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._current = None
        self._due = {}  # of each file: how many of its records Kafka has not acknowledged

    def version(self):
        return "1.4.2"

    def start(self, props):
        config = TASK_CONFIG.parse(props)
        self._inbox, self._finished = config["inbox"], config["finished"]
        self._topic, self._key = config["topic"], config["key.column"]
        self._delimiter = _DELIMITERS[config["delimiter"]]
        self._look_s = config["look.ms"] / 1000
        self._number, self._count = config["task.number"], config["task.count"]
        self._read = {}  # files that are read to their end, and wait for Kafka

    def poll(self):
        """One row.

        Raises:
            RetriableError: if there is none now.
        """
        try:
            with self._lock:
                if self._stop.is_set():
                    return None
                self._move_what_is_done()
                record = self._next()
        except OSError as error:
            with self._lock:
                self._close()
            self._stop.wait(max(self._look_s, 0.2))
            lasting = isinstance(error, (NotADirectoryError, PermissionError, IsADirectoryError))
            raise (ConnectError if lasting else RetriableError)(
                f"the files in {self._inbox} cannot be read: {error}",
                code="csvmoor.file",
                facts={"inbox": self._inbox},
            ) from error
        if record is not None:
            return [record]
        self._stop.wait(self._look_s)
        raise RetriableError(f"no file with rows in {self._inbox}", code="csvmoor.nothing")

    def commit_record(self, record, metadata):
        with self._lock:
            place = record.source_partition["file"], record.source_partition["changed"]
            self._due[place] = self._due.get(place, 0) - 1

    def commit(self):
        """Move files whose rows and offsets are stored."""
        with self._lock:
            try:
                self._move_what_is_done()
            except OSError:
                pass  # the next poll meets it, too, and reports it

    def stop(self):
        self._stop.set()
        with self._lock:
            self._close()

    def _next(self):
        """The next record of this file or of the next one."""
        while not self._stop.is_set():
            if self._current is None:
                self._current = self._another()
            if (current := self._current) is None:
                return None
            if current.rows is None:
                current.rows = self._open(current)
            try:
                row = next(current.rows, None)
            except DataError:
                current.rows = None
                raise
            if row is None:
                current.rows = self._current = None
                self._read[current.name, current.changed] = current
                self._move_what_is_done()
                continue
            current.done += 1
            place = current.name, current.changed
            self._due[place] = self._due.get(place, 0) + 1
            return SourceRecord(
                current.partition,
                {"rows": current.done},
                self._topic,
                row,
                key=row.get(self._key),
                key_schema=STRING_SCHEMA if self._key in row else None,
                headers=Headers().add_string("file", current.name).add_long("row", current.done),
            )
        return None

    def _another(self):
        """The first file in the inbox that has not been read."""
        for name in sorted(os.listdir(self._inbox)):
            mine = zlib.crc32(os.fsencode(name)) % self._count == self._number
            if not mine or not re.fullmatch(r"[^.].*\.csv", name, re.DOTALL):
                continue
            path = os.path.join(self._inbox, name)
            try:
                changed = str(os.stat(path).st_mtime_ns)
            except FileNotFoundError:
                continue
            if (name, changed) not in self._read:
                partition = {"file": name, "changed": changed}
                stored = self.context.offset_storage_reader.offset(partition)
                return Current(name, path, changed, 0 if stored is None else rows_done(stored))
        return None

    def _open(self, current):
        """The rows behind those that are done, as dictionaries."""
        # A wrong byte is to be found in its own row, not when the part of the file is decoded.
        with open(current.path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            reader = csv.reader(file, delimiter=self._delimiter, strict=True)
            number, names = 0, None
            while True:
                line = reader.line_num + 1
                try:
                    row = next(reader, None)
                    if row is not None:
                        "".join(row).encode("utf-8")
                except (csv.Error, UnicodeEncodeError) as error:
                    raise self._bad(current, line, error) from error
                if row is None:
                    return
                if not row:
                    continue  # an empty line
                if names is None:
                    names = row
                    if len(set(names)) != len(names):
                        raise self._bad(current, line, "a column that is there twice")
                    continue
                if len(row) != len(names):
                    raise self._bad(current, line, f"{len(row)} columns instead of {len(names)}")
                number += 1
                if number > current.done:
                    yield dict(zip(names, row, strict=True))

    def _bad(self, current, line, what):
        return DataError(
            f"{current.path} cannot be read at line {line}: {what}",
            code="csvmoor.row",
            hint="correct the file, and move it into the inbox anew",
            facts={"file": current.path, "line": line},
        )

    def _move_what_is_done(self):
        for place, current in list(self._read.items()):
            if self._due.get(place, 0) > 0:
                continue
            try:
                if str(os.stat(current.path).st_mtime_ns) == current.changed:
                    os.replace(current.path, self._target(current))
            except FileNotFoundError:
                if not os.path.isdir(self._finished) and os.path.exists(current.path):
                    raise
            del self._read[place]
            self._due.pop(place, None)

    def _target(self, current):
        """The path to move a file to; no earlier file of the same name is lost."""
        path = os.path.join(self._finished, current.name)
        try:
            os.lstat(path)
        except FileNotFoundError:
            return path
        return os.path.join(self._finished, f"{current.name}.{current.changed}")

    def _close(self):
        current, self._current = self._current, None
        if current is not None and current.rows is not None:
            current.rows.close()
            current.rows = None
        if current is not None and not self._stop.is_set():
            self._current = current  # is opened again behind the rows that are done
