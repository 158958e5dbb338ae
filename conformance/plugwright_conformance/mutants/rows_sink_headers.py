"""A row sink that declares to ignore headers, but writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from plugwright import SinkRecord

__all__ = ["MixesHeadersInTask"]


@mutant(
    "M175",
    "headers get into the values, declared as ignored",
    killed_by="SNK-TYP-08",
    failure="put with headers, which are ignored",
)
class MixesHeadersInTask(RowsSinkTask):
    """Appends the names of headers to the text."""

    def line(self, record: SinkRecord) -> str:
        """The text with the names of headers, or the row."""
        if not isinstance(record.value, str):
            return super().line(record)
        names = "".join(f" #{header.key}" for header in record.headers)
        return super().line(record).removesuffix('"') + f'{names}"'
