"""A sink that cannot be made without an argument."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_file_sink import FileStreamSinkConnector

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["BrokenSinkConnector"]


class BrokenSinkConnector(FileStreamSinkConnector):
    """Wants to know its file before it is started."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path

    def start(self, props: Mapping[str, str]) -> None:
        """Add the path to the settings."""
        super().start({"file": self._path, **props})
