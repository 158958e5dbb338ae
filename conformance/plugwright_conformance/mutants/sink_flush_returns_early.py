"""A sink whose flush() does not wait for its asynchronous writes."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SinkRecord, Task

__all__ = ["BrokenSinkConnector"]


class BrokenSinkTask(FileStreamSinkTask):
    """Writes half a second later."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Leave the batch to a timer."""
        writing = threading.Timer(0.5, super().put, [list(records)])
        writing.daemon = True
        writing.start()


class BrokenSinkConnector(FileStreamSinkConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSinkTask
