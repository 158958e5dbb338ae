"""A sink whose failures happen on a thread that nobody asks."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SinkRecord, Task

__all__ = ["BrokenSinkConnector"]


class BrokenSinkTask(FileStreamSinkTask):
    """Flushes successfully what was never written."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Have a thread write the batch, and wait until it has ended somehow."""
        writing = threading.Thread(target=super().put, args=[list(records)])
        writing.start()
        writing.join()


class BrokenSinkConnector(FileStreamSinkConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSinkTask
