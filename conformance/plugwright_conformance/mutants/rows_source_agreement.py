"""A row source that checks in start() what it should check in validate()."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import ConfigError, ConfigType, Importance, ValidString
from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.source import RowsSourceConnector

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright import ConfigDef

__all__ = ["NeedsColumnLater"]


@mutant(
    "M031",
    "a mode is accepted without the column that it needs",
    base="rows-source",
    killed_by="CON-CFG-10",
    failure="rows.mode = incrementing",
)
class NeedsColumnLater(RowsSourceConnector):
    """Checks two settings against each other in start() only.

    Reported at https://github.com/confluentinc/kafka-connect-jdbc/issues/568: the mode incrementing
    without a column passes validation, and every poll fails.
    """

    def config(self) -> ConfigDef:
        """Two more keys, one of which requires the other."""
        return (
            super()
            .config()
            .define(
                "rows.mode",
                ConfigType.STRING,
                default="bulk",
                importance=Importance.LOW,
                validator=ValidString(("bulk", "incrementing")),
                documentation="Read everything, or only rows with a greater column.",
            )
            .define(
                "rows.column",
                ConfigType.STRING,
                default="",
                importance=Importance.LOW,
                documentation="The column that increases with every new row.",
            )
        )

    def start(self, props: Mapping[str, str]) -> None:
        """Check the settings and keep them.

        Raises:
            ConfigError: if there is no column for the mode.
        """
        super().start(props)
        parsed = self.config().parse(props)
        if parsed["rows.mode"] == "incrementing" and not parsed["rows.column"]:
            raise ConfigError("the mode incrementing needs rows.column", code="rows.column")
