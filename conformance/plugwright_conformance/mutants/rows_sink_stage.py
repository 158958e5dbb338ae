"""A sink whose tasks stage their lines in one place."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.codec import directory_of
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord, TopicPartition

__all__ = ["StagesInOnePlaceTask"]


@mutant(
    "M298",
    "tasks share a stage, which one that starts empties",
    base="lines-sink",
    killed_by="CON-PAR-09",
    failure="another started",
)
class StagesInOnePlaceTask(RowsSinkTask):
    """Writes to a file beside the tables, whose content a flush moves.

    Reported at https://github.com/estuary/connectors/pull/4627.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Begin with an empty stage: what is there was not committed."""
        super().start(props)
        self._stage = Path(directory_of(props["rows.url"])).with_name("stage")
        self._stage.unlink(missing_ok=True)

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Append to the stage."""
        lines = [self.line(record) for record in records if record.value is not None]
        with self._stage.open("a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)

    def flush(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Move what is staged."""
        if self._stage.exists():
            self._write(self._stage.read_bytes(), begun=False)
            self._stage.unlink()
        super().flush(offsets)
