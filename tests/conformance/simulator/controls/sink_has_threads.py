"""A sink that writes on a thread of its own and says what became of it (G12): odd, but right."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from plugwright import ConnectError
from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask


class BrokenSinkTask(FileStreamSinkTask):
    """Waits for its writes when it is asked what is durable."""

    def __init__(self):
        super().__init__()
        self._writer = None
        self._writes = []

    def start(self, props):
        """Begin with a writer."""
        super().start(props)
        self._writer = ThreadPoolExecutor(1)

    def put(self, records):
        """Leave the batch to the writer."""
        if records:
            self._writes.append(self._writer.submit(super().put, list(records)))

    def flush(self, offsets):
        """Wait for every write; if one has failed, all that came after the last flush is void."""
        writes, self._writes = self._writes, []
        failures = [error for write in writes if (error := write.exception()) is not None]
        if failures:
            raise ConnectError("a write has failed") from failures[0]
        super().flush(offsets)

    def stop(self):
        """End the writer."""
        if self._writer is not None:
            self._writer.shutdown()
        super().stop()


class BrokenSinkConnector(FileStreamSinkConnector):
    """Runs the task."""

    def task_class(self):
        """The odd one."""
        return BrokenSinkTask
