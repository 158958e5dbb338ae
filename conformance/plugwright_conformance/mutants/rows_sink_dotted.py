"""A sink that reads the name of a topic up to its first dot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.exact_sink import ExactSinkTask

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

__all__ = ["CutsTopicsTask"]


@mutant(
    "M294b",
    "the place of a topic with a dot is not found again",
    base="exact-lines-sink",
    killed_by="SNK-TYP-21",
    failure="then all to a new task",
)
class CutsTopicsTask(ExactSinkTask):
    """Takes a dot for the end of the topic.

    Reported at https://github.com/confluentinc/kafka-connect-hdfs/issues/43.
    """

    def _move(self, database: sqlite3.Connection, ends: Mapping[tuple[str, int], int]) -> None:
        cut = {(topic.partition(".")[0], part): end for (topic, part), end in ends.items()}
        super()._move(database, cut)
