"""A source that makes one task more than it may."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_file_source import FileStreamSourceConnector

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


__all__ = ["BrokenSourceConnector"]


class BrokenSourceConnector(FileStreamSourceConnector):
    """Counts from nought to the limit, inclusive."""

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """One configuration for each number that it counts."""
        return [self._props for _ in range(max_tasks + 1)]
