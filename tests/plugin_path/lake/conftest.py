"""Tasks of the lake sink, driven by hand."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from plugwright import SinkRecord, TimestampType, TopicPartition
from plugwright_lake import LakeSinkTask


class Reporter:
    """Takes bad records."""

    def __init__(self):
        self.reported = []

    def report(self, record, error):
        """Note which one, and why."""
        self.reported.append((record.kafka_offset, str(error)))


class Sink:
    """A task with a directory, and what is in it."""

    home = TopicPartition("t", 0)

    def __init__(self, root, **settings):
        self.root = root
        self.reporter = Reporter()
        self.props = {
            "store.url": str(root),
            "flush.size": "3",
            "timestamp.extractor": "Record",
            **{name.replace("_", "."): value for name, value in settings.items()},
        }
        self.task = LakeSinkTask()
        self.task.initialize(SimpleNamespace(errant_record_reporter=lambda: self.reporter))
        self.task.start(self.props)
        self.task.open([self.home])

    def put(self, *values, first=0, schema=None, timestamp=0):
        """Put values with consecutive offsets."""
        self.task.put(
            [
                SinkRecord("t", 0, None, None, schema, value, offset, timestamp, CREATED)
                for offset, value in enumerate(values, first)
            ]
        )

    def promised(self, end):
        """The offset that may be committed when the consumer is at the end."""
        return self.task.pre_commit({self.home: end})[self.home]

    def files(self):
        """The bytes of every file by its path, without what is being written."""
        return files_below(self.root)


CREATED = TimestampType.CREATE_TIME


def files_below(root):
    """The bytes of every file by its path."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def sink(tmp_path):
    """Makes sinks over one directory."""
    return lambda **settings: Sink(tmp_path / "lake", **settings)
