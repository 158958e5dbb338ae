"""A sink that claims Structured Streaming, and repeats records there and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord, Task

__all__ = ["BrokenSinkConnector"]


class BrokenSinkTask(FileStreamSinkTask):
    """Right wherever its tasks are resident."""

    def start(self, props: Mapping[str, str]) -> None:
        """Look what runs it."""
        super().start(props)
        self._streamed = props.get("spark.engine") == "stream"

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write all records, and the first once more."""
        super().put(records)
        if self._streamed:
            super().put(records[:1])


class BrokenSinkConnector(FileStreamSinkConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSinkTask
