"""A sink that says it ignores headers, and does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.reference.rows.sink import RowsSinkConnector, RowsSinkTask

if TYPE_CHECKING:
    from plugwright import SinkRecord, Task

__all__ = ["MixesHeadersIn"]


class MixesHeadersInTask(RowsSinkTask):
    """Puts the names of headers behind the text."""

    def line(self, record: SinkRecord) -> str:
        """The text and the names, or a row as it is."""
        if not isinstance(record.value, str):
            return super().line(record)
        names = "".join(f" #{header.key}" for header in record.headers)
        return super().line(record).removesuffix('"') + f'{names}"'


class MixesHeadersIn(RowsSinkConnector):
    """Cannot leave headers alone."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return MixesHeadersInTask
