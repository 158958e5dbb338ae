"""A sink that says it ignores headers, and does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.mutants._mutant import mutant
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from plugwright import SinkRecord

__all__ = ["MixesHeadersInTask"]


@mutant(
    "M175",
    "headers get into the values, declared as ignored",
    killed_by="SNK-TYP-08",
    says="put with headers, which are ignored",
)
class MixesHeadersInTask(RowsSinkTask):
    """Puts the names of headers behind the text."""

    def line(self, record: SinkRecord) -> str:
        """The text and the names, or a row as it is."""
        if not isinstance(record.value, str):
            return super().line(record)
        names = "".join(f" #{header.key}" for header in record.headers)
        return super().line(record).removesuffix('"') + f'{names}"'
