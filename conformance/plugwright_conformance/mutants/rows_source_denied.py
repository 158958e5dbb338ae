"""Sources of lines that are refused for good: their endpoint, a good one, and a patient one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import ConnectError, RetriableError
from plugwright_conformance.reference.rows.source import RowsSourceTask
from plugwright_conformance.reference.rows.testing import RowsEndpoint

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["DeniedEndpoint", "FailsWhenRefusedTask", "RetriesRefusalsTask"]


class DeniedEndpoint(RowsEndpoint):
    """Tables whose directory may be replaced by a file."""

    def deny(self) -> Sequence[str]:
        """Be gone for good."""
        self.refuse()
        return ()


class RetriesRefusalsTask(RowsSourceTask):
    """Tries again whatever happens."""


class FailsWhenRefusedTask(RowsSourceTask):
    """Knows what does not pass."""

    def _read(self, table: str) -> Sequence[str]:
        try:
            return super()._read(table)
        except RetriableError as error:
            if isinstance(error.__cause__, NotADirectoryError):
                raise ConnectError("the tables are gone", code="rows.gone") from error
            raise
