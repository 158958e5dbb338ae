"""A sink that knows its version only once it was started."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_file_sink import FileStreamSinkConnector

if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = ["BrokenSinkConnector"]


class BrokenSinkConnector(FileStreamSinkConnector):
    """Reads its version together with its settings."""

    _release: str

    def version(self) -> str:
        """What start() has found out."""
        return self._release

    def start(self, props: Mapping[str, str]) -> None:
        """Find out the version."""
        super().start(props)
        self._release = super().version()
