"""A keyed sink that makes names of tables out of names of topics."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.keyed_sink import KeyedSinkTask

if TYPE_CHECKING:
    from plugwright import SinkRecord

    _Row = tuple[str, str, str | None]

__all__ = ["SimplifiesTopicsTask"]


@mutant(
    "M294",
    "topics that differ in punctuation have one table",
    killed_by="SNK-TYP-21",
    failure="in one batch, with equal offsets",
)
class SimplifiesTopicsTask(KeyedSinkTask):
    """Replaces what a table cannot have in its name.

    Reported at https://github.com/snowflakedb/snowflake-kafka-connector/pull/1531.
    """

    def row(self, record: SinkRecord) -> _Row:
        """Topic, key and line of one record."""
        topic, key, line = super().row(record)
        return re.sub(r"\W", "_", topic), key, line
