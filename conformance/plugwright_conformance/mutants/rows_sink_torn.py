"""A sink that writes its lines in two pieces."""

from __future__ import annotations

from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.sink import RowsSinkTask

__all__ = ["TearsLinesTask"]


@mutant(
    "M295",
    "lines are written in two pieces, and one that a crash tears stays",
    base="lines-sink",
    killed_by="CON-DLV-03",
    failure="something that can be read",
)
class TearsLinesTask(RowsSinkTask):
    """Appends to what is there, whether it ends with a whole line or not.

    Reported at https://github.com/confluentinc/kafka-connect-hdfs/issues/230.
    """

    def _write(self, data: bytes, *, begun: bool) -> None:
        middle = len(data) // 2
        super()._write(data[:middle], begun=begun)
        super()._write(data[middle:], begun=True)
