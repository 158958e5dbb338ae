"""A sink that takes a null without a schema for data of another kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import DataError
from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SinkRecord

__all__ = ["KeepsToSchemasTask"]


@mutant(
    "M297",
    "a null without a schema, after values that have one, fails the task",
    base="lines-sink",
    killed_by="SNK-TYP-06",
    failure="a null value without a schema",
)
class KeepsToSchemasTask(RowsSinkTask):
    """Insists on schemas once there was one.

    Reported at https://github.com/confluentinc/kafka-connect-storage-cloud/pull/328.
    """

    _typed = False

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write a batch.

        Raises:
            DataError: if a record has no schema, and one before it had.
        """
        for record in records:
            if self._typed and record.value_schema is None:
                raise DataError("a switch between schemas and none", code="rows.switch")
            self._typed = self._typed or record.value_schema is not None
        super().put(records)
