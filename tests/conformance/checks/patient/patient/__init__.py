"""Good connectors that take their time, as the API permits them to."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from plugwright import (
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    Importance,
    RetriableError,
    SinkConnector,
    SinkTask,
    SourceConnector,
    SourceRecord,
    SourceTask,
)

CONFIG = (
    ConfigDef()
    .define(
        "file",
        ConfigType.STRING,
        importance=Importance.HIGH,
        documentation="The file that holds the lines.",
    )
    .define(
        "login.password",
        ConfigType.PASSWORD,
        default="",
        importance=Importance.LOW,
        documentation="Password of the other side.",
    )
    .define(
        "service.url",
        ConfigType.STRING,
        default="",
        importance=Importance.LOW,
        documentation="Where the other side is.",
    )
)


class PatientConnector:
    """One task with the settings of the connector."""

    def config(self):
        """The settings of both."""
        return CONFIG

    def version(self):
        """That of the distribution."""
        return "1"

    def start(self, props):
        """Keep the settings."""
        self._props, self._other_side = dict(props), props.get("service.url", "")

    def stop(self):
        """Nothing is held."""

    def task_configs(self, max_tasks):
        """One task."""
        return [self._props]


class PatientSinkTask(SinkTask):
    """Takes a batch at the second time, and writes what it has at every second commit."""

    def version(self):
        """That of the distribution."""
        return "1"

    def start(self, props):
        """Hold nothing yet."""
        self._file = Path(props["file"])
        self._held, self._durable, self._asked, self._asks = {}, {}, 0, 0
        self._end = None  # of the file, before a write that has not come to its own end

    def put(self, records):
        """Hold records back, once they have come again."""
        for record in records:
            if not isinstance(record.value, str | None):
                raise DataError("only text can be written")
        self._asks += bool(records)
        if records and self._asks % 2:
            self.context.timeout(10)
            raise RetriableError("once more, please")
        for record in records:
            home = record.original_topic, record.original_kafka_partition
            self._held.setdefault(home, {})[record.original_kafka_offset] = record.value

    def pre_commit(self, offsets):
        """What has been written; in an outage that is less than was asked for."""
        self._asked += 1
        if self._asked % 2 == 0 and self._held:
            lines = [
                f"{value}\n"
                for held in self._held.values()
                for value in held.values()
                if value is not None
            ]
            with suppress(OSError):
                with self._file.open("r+b", buffering=0) as file:
                    file.truncate(file.seek(0, os.SEEK_END) if self._end is None else self._end)
                    self._end = file.seek(0, os.SEEK_END)
                    file.write("".join(lines).encode("utf-8"))
                self._end = None
                self._durable.update({home: max(held) + 1 for home, held in self._held.items()})
                self._held.clear()
        return {home: self._durable[home] for home in offsets if home in self._durable}

    def close(self, partitions):
        """Forget what leaves; it comes again."""
        for home in partitions:
            self._held.pop(home, None)
            self._durable.pop(home, None)

    def stop(self):
        """Nothing is held."""


class PatientSourceTask(SourceTask):
    """Hands out one record at every second poll, and waits out an outage."""

    def version(self):
        """That of the distribution."""
        return "1"

    def start(self, props):
        """Begin behind the stored offset."""
        self._file, self._topic, self._polls = Path(props["file"]), props["topic"], 0
        stored = self.context.offset_storage_reader.offset({"file": "lines"})
        self._position = 0 if stored is None else stored.get("position")
        if not isinstance(self._position, int):
            raise ConnectError(f"the stored offset {stored} has no position")

    def poll(self):
        """Nothing this time, or the next line."""
        self._polls += 1
        if self._polls % 2:
            raise RetriableError("nothing this time")
        try:
            with self._file.open("rb") as file:
                if file.seek(0, os.SEEK_END) < self._position:
                    self._position = 0  # it was replaced
                file.seek(self._position)
                line = file.readline()
        except OSError as error:
            raise RetriableError("nothing this time") from error
        if not line.endswith(b"\n"):
            return None
        self._position += len(line)
        offset = {"position": self._position}
        return [SourceRecord({"file": "lines"}, offset, self._topic, line[:-1].decode("utf-8"))]

    def stop(self):
        """Nothing is held."""


class PatientSinkConnector(PatientConnector, SinkConnector):
    """A sink."""

    def task_class(self):
        """Its task."""
        return PatientSinkTask


class PatientSourceConnector(PatientConnector, SourceConnector):
    """A source."""

    def task_class(self):
        """Its task."""
        return PatientSourceTask

    def task_configs(self, max_tasks):
        """None before there is something."""
        file = Path(self._props["file"])
        if not file.exists():
            raise ConnectError(f"{file}: No such file")
        return [self._props] if file.stat().st_size else []


class Endpoint:
    """A file that can be taken away and brought back."""

    def __init__(self, directory):
        self._file, self._away = directory / "lines", directory / "away"

    def start(self):
        """An empty file."""
        self._file.touch()
        return {"file": str(self._file)}

    def stop(self):
        """Remove it."""
        for path in (self._file, self._away):
            path.unlink(missing_ok=True)

    def seed(self, values):
        """Add lines."""
        with self._file.open("ab") as file:
            file.writelines(f"{value}\n".encode() for value in values)

    def read_back(self):
        """Every line."""
        return self._file.read_bytes().decode().split("\n")[:-1]

    def refuse(self):
        """Take it away."""
        self._file.rename(self._away)
        return ("No such file",)

    def recover(self):
        """Bring it back."""
        self._away.rename(self._file)
        return ()
