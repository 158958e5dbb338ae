"""A source of numbers with several tasks, and a sink that notes what it was given."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Counting"]

_METADATA = "Metadata-Version: 2.1\nName: counting\nVersion: 1.0\n"
_ENTRIES = (
    "[plugwright.SourceConnector]\ncounting.CountSource = counting:CountSource\n"
    "[plugwright.SinkConnector]\ncounting.NoteSink = counting:NoteSink\n"
)
_PLUGIN = '''
import os, time
from pathlib import Path

from plugwright import (
    ConfigDef, ConfigType, ExactlyOnceSupport, Importance, SinkConnector, SinkTask,
    SourceConnector, SourceRecord, SourceTask,
)


class _Connector:
    def version(self):
        return "1.0"

    def start(self, props):
        self.props = dict(props)

    def stop(self):
        pass

    def task_configs(self, max_tasks):
        return [{**self.props, "task": str(task)} for task in range(max_tasks)]


class CountSource(_Connector, SourceConnector):
    """Numbers, of each task its own."""

    def config(self):
        return ConfigDef().define(
            "topic", ConfigType.STRING, importance=Importance.HIGH, documentation="Where to."
        )

    def task_class(self):
        return CountTask

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED


class CountTask(SourceTask):
    def version(self):
        return "1.0"

    def start(self, props):
        self.task, self.topic = props["task"], props["topic"]
        stored = self.context.offset_storage_reader.offset({"task": self.task})
        self.next = stored["next"] if stored else 0

    def poll(self):
        time.sleep(0.1)
        first, self.next = self.next, self.next + 40
        return [
            SourceRecord(
                {"task": self.task}, {"next": number + 1}, self.topic, f"{self.task}:{number}"
            )
            for number in range(first, self.next)
        ]

    def stop(self):
        pass


class NoteSink(_Connector, SinkConnector):
    """Notes each record, whole lines at a time, in a file of each process."""

    def config(self):
        return ConfigDef().define(
            "directory", ConfigType.STRING, importance=Importance.HIGH, documentation="Where to."
        )

    def task_class(self):
        return NoteTask


class NoteTask(SinkTask):
    def version(self):
        return "1.0"

    def start(self, props):
        directory = Path(props["directory"])
        directory.mkdir(exist_ok=True)
        name = f"{props['task']}-{os.getpid()}-{time.time_ns()}.txt"
        self.file = os.open(directory / name, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def put(self, records):
        lines = "".join(f"{record.value}\\n" for record in records)
        os.write(self.file, lines.encode())

    def stop(self):
        os.close(self.file)
'''


class Counting:
    """Publishes the plugin, and reads what its sink has noted.

    Args:
        root: an empty directory.

    Attributes:
        path: for ``plugin.path``.
        directory: where the sink writes.
    """

    def __init__(self, root: Path) -> None:
        self.path, self.directory = root / "counting-plugins", root / "notes"
        self.directory.mkdir(parents=True)
        metadata = self.path / "counting/counting.dist-info"
        metadata.mkdir(parents=True)
        (metadata / "METADATA").write_text(_METADATA)
        (metadata / "entry_points.txt").write_text(_ENTRIES)
        (metadata.parent / "counting.py").write_text(_PLUGIN)

    @property
    def size(self) -> int:
        """Bytes that are noted."""
        return sum(file.stat().st_size for file in self.directory.iterdir())

    def noted(self) -> Counter[str]:
        """How often each value is noted."""
        texts = [file.read_text("utf-8") for file in self.directory.iterdir()]
        return Counter(line for text in texts for line in text.split("\n")[:-1])
