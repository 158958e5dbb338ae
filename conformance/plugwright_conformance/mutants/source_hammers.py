"""A source that tries again without a pause while its endpoint is away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import RetriableError
from plugwright_file_source import FileStreamSourceConnector, FileStreamSourceTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SourceRecord, Task

__all__ = ["BrokenSourceConnector"]


class BrokenSourceTask(FileStreamSourceTask):
    """Keeps an outage going."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """Try until it works."""
        while True:
            try:
                return super().poll()
            except RetriableError:
                continue

    def _read_again_later(self, error: OSError) -> RetriableError:
        self._file = None
        return RetriableError(str(error))


class BrokenSourceConnector(FileStreamSourceConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSourceTask
