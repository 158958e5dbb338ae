"""A source that has a secret among its settings and does not say so."""

from __future__ import annotations

from plugwright import ConfigDef, ConfigType, Importance
from plugwright_file_source import FileStreamSourceConnector

__all__ = ["BrokenSourceConnector"]


class BrokenSourceConnector(FileStreamSourceConnector):
    """Wants a token as if it were any text."""

    def config(self) -> ConfigDef:
        """The good keys and one that everybody may read."""
        return ConfigDef(super().config()).define(
            "api.token",
            ConfigType.STRING,
            "",
            Importance.LOW,
            "What the file server asks for before it lets anyone read.",
        )
