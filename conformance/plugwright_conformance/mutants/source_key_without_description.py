"""A source that does not describe one of its settings."""

from __future__ import annotations

from plugwright import ConfigDef, ConfigType, Importance
from plugwright_file_source import FileStreamSourceConnector

__all__ = ["BrokenSourceConnector"]


class BrokenSourceConnector(FileStreamSourceConnector):
    """Says of one key only what it is called."""

    def config(self) -> ConfigDef:
        """The good keys and a silent one."""
        return ConfigDef(super().config()).define(
            "read.ahead", ConfigType.INT, 4, Importance.LOW, "read.ahead"
        )
