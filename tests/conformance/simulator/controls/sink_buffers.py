"""A sink that keeps everything until it is asked to flush (G02): odd, but right."""

from __future__ import annotations

from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask


class BrokenSinkTask(FileStreamSinkTask):
    """Forgets what it holds of partitions that leave, and when writing fails."""

    def __init__(self):
        super().__init__()
        self._held = []

    def put(self, records):
        """Keep the batch."""
        self._held += records

    def flush(self, offsets):
        """Write what is held; if that fails, all of it is delivered again."""
        held, self._held = self._held, []
        super().put([r for r in held if (r.original_topic, r.original_kafka_partition) in offsets])
        self._held = [
            r for r in held if (r.original_topic, r.original_kafka_partition) not in offsets
        ]
        super().flush(offsets)

    def close(self, partitions):
        """Forget what was not committed."""
        gone = set(partitions)
        self._held = [
            r for r in self._held if (r.original_topic, r.original_kafka_partition) not in gone
        ]


class BrokenSinkConnector(FileStreamSinkConnector):
    """Runs the task."""

    def task_class(self):
        """The odd one."""
        return BrokenSinkTask
