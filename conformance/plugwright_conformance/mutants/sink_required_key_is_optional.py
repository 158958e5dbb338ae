"""A sink that says it can do without its file, and cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import ConfigDef, ConfigType, Importance
from plugwright_file_sink import FileStreamSinkConnector

if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = ["BrokenSinkConnector"]


class BrokenSinkConnector(FileStreamSinkConnector):
    """Finds out in the task."""

    def config(self) -> ConfigDef:
        """``file``, with a default that is none."""
        return ConfigDef().define(
            "file", ConfigType.STRING, None, Importance.HIGH, "Path of the text file to append to."
        )

    def start(self, props: Mapping[str, str]) -> None:
        """Keep the settings."""
        self._props = dict(props)
