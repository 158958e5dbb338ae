"""A sink whose task class holds a lock of the driver."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SinkRecord, Task

__all__ = ["BrokenSinkConnector"]


def _task_class() -> type[Task]:
    lock = threading.Lock()

    class BrokenSinkTask(FileStreamSinkTask):
        """Cannot be found by its name, nor sent with what it holds."""

        def put(self, records: Sequence[SinkRecord]) -> None:
            """Write, one task at a time."""
            with lock:
                super().put(records)

    return BrokenSinkTask


class BrokenSinkConnector(FileStreamSinkConnector):
    """Makes the class when it is asked for it."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return _task_class()
