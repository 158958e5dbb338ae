"""A sink that drops every hundredth record of what it is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SinkRecord, Task

__all__ = ["BrokenSinkConnector"]


class BrokenSinkTask(FileStreamSinkTask):
    """Loses records without a word."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write all but those at every hundredth offset."""
        super().put([record for record in records if (record.kafka_offset + 1) % 100])


class BrokenSinkConnector(FileStreamSinkConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSinkTask
