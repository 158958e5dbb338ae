"""The transformation: one record in, one record out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright import (
    ConfigDef,
    ConfigType,
    ConnectRecord,
    Importance,
    Transformation,
    ValidString,
)

from {{ cookiecutter.__package }}._version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CONFIG", "{{ cookiecutter.__prefix }}Transformation"]

CONFIG = ConfigDef().define(
    "side",
    ConfigType.STRING,
    default="both",
    importance=Importance.MEDIUM,
    validator=ValidString.in_("both", "start", "end"),
    documentation="Where white space is removed from a text value.",
)
"""Every setting of the transformation. The table in the README is made from it."""


class {{ cookiecutter.__prefix }}Transformation(Transformation[ConnectRecord]):
    """The part to replace: what is done to a record. Values that are not text pass unchanged."""

    def __init__(self) -> None:
        self._side = "both"

    def version(self) -> str:
        """The version of this distribution."""
        return __version__

    def config(self) -> ConfigDef:
        """Every setting, without the prefix that it has in a connector's configuration."""
        return CONFIG

    def configure(self, props: Mapping[str, Any]) -> None:
        """Take the settings.

        Raises:
            ConfigError: if a setting is wrong.
        """
        self._side = CONFIG.parse(props)["side"]

    def apply(self, record: ConnectRecord) -> ConnectRecord | None:
        """A changed copy: records are shared with whoever made them."""
        if not isinstance(record.value, str):
            return record
        return record.new_record(value=self._stripped(record.value))

    def _stripped(self, text: str) -> str:
        if self._side == "start":
            return text.lstrip()
        return text.rstrip() if self._side == "end" else text.strip()
