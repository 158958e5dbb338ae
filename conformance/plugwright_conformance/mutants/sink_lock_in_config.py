"""A sink that puts a lock into the configuration of its tasks."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from plugwright_file_sink import FileStreamSinkConnector

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


__all__ = ["BrokenSinkConnector"]


class BrokenSinkConnector(FileStreamSinkConnector):
    """Hands over more than text."""

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, Any]]:
        """The settings and a lock to share."""
        lock = threading.Lock()
        return [{**config, "lock": lock} for config in super().task_configs(max_tasks)]
