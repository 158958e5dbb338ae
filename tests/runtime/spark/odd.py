"""Tasks that make use of what the contract allows and few do: one oddity each."""

from __future__ import annotations

import json
from pathlib import Path

from plugwright import (
    INT64_SCHEMA,
    ConfigDef,
    ConfigType,
    Importance,
    RetriableError,
    SinkConnector,
    SinkTask,
    SourceConnector,
    SourceRecord,
    SourceTask,
)

READ = ["plain", "generator", "tuple", "retriable", "commit_record", "commit"]
"""Oddities of sources that have all their records read."""

WRITTEN = ["plain", "retriable", "low", "refused", "paused", "back"]
"""Oddities of sinks that have all their records written."""

LAST = 7


class _Odd:
    """What both kinds of connector have: a task for each oddity."""

    def version(self):
        """Of the plugin."""
        return "1.0"

    def start(self, props):
        """Keep the settings."""
        self.props = dict(props)

    def stop(self):
        """Nothing is open."""

    def config(self):
        """One setting."""
        return ConfigDef().define(
            "odd", ConfigType.STRING, importance=Importance.HIGH, documentation="JSON: which ones."
        )

    def task_configs(self, max_tasks):
        """One for each oddity."""
        del max_tasks
        return [
            {**self.props, "odd": odd, "first": str(1000 * number)}
            for number, odd in enumerate(json.loads(self.props["odd"]))
        ]


class OddSource(_Odd, SourceConnector):
    """Gives seven numbers a task."""

    def task_class(self):
        """Of all."""
        return OddSourceTask


class OddSourceTask(SourceTask):
    """Three numbers a poll."""

    def version(self):
        """Of the plugin."""
        return "1.0"

    def start(self, props):
        """Go on where the offsets say."""
        self.odd, self.first = props["odd"], int(props.get("first", 0))
        self.troubles = 1
        stored = self.context.offset_storage_reader.offset({"of": self.odd})
        self.next = stored["next"] if stored else 0

    def poll(self):
        """The next three."""
        if self.odd == "retriable" and self.troubles and self.next == 3:
            self.troubles -= 1
            raise RetriableError("busy")
        if self.odd == "mapping":
            return {"value": 1}
        if self.odd == "texts":
            return ["1"]
        numbers = range(self.next, min(self.next + 3, LAST))
        self.next = max(self.next, numbers.stop)
        records = (self._record(number) for number in numbers)
        if self.odd == "generator":
            return records
        return tuple(records) if self.odd == "tuple" else list(records) or None

    def _record(self, number):
        return SourceRecord(
            {"of": self.odd}, {"next": number + 1}, "t", self.first + number, INT64_SCHEMA
        )

    def commit_record(self, record, metadata):
        """Fail, or do nothing."""
        if self.odd == "commit_record":
            raise ValueError("no acknowledgements")

    def commit(self):
        """Fail, or do nothing."""
        if self.odd == "commit":
            raise ValueError("no commits")

    def stop(self):
        """Nothing is open."""


class OddSink(_Odd, SinkConnector):
    """Writes what each task is given into a file."""

    def task_class(self):
        """Of all."""
        return OddSinkTask


class OddSinkTask(SinkTask):
    """Appends every value that it takes."""

    def version(self):
        """Of the plugin."""
        return "1.0"

    def start(self, props):
        """Have troubles to come."""
        self.odd = props["odd"]
        self.file = Path(props["dir"], self.odd)
        self.troubles = 2
        self.puts = 0

    def put(self, records):
        """Take them."""
        self.puts += 1
        if self.odd == "retriable" and records and self.troubles:
            self.troubles -= 1
            self.context.timeout(1)
            raise RetriableError("busy")
        if self.odd == "broken" and records:
            raise ValueError("a bad record")
        with self.file.open("a") as file:
            file.writelines(f"{int(record.value)}\n" for record in records)
        if self.odd == "paused" and self.puts == 1:
            self.context.pause(*self.context.assignment())
        if self.odd == "paused" and self.puts == 3:
            self.context.resume(*self.context.assignment())
        if self.odd == "back" and records and self.troubles:
            self.troubles = 0
            here = records[-1]
            place = next(iter(self.context.assignment()))
            self.context.offset({place: here.kafka_offset - 1})

    def pre_commit(self, offsets):
        """All is durable, but not at first."""
        if self.odd in {"low", "refused"} and self.troubles:
            self.troubles = 0
            if self.odd == "refused":
                raise ValueError("not now")
            return {place: offset - 1 for place, offset in offsets.items()}
        return offsets

    def stop(self):
        """Nothing is open."""
