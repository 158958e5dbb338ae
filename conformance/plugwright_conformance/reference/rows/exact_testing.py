"""The endpoint of the sink that writes each line exactly once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright_conformance.reference.rows.codec import encode
from plugwright_conformance.reference.rows.database_testing import DatabaseEndpoint
from plugwright_conformance.reference.rows.exact_sink import ExactSinkTask

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ExactEndpoint"]


class ExactEndpoint(DatabaseEndpoint):
    """One table of lines, in the order in which they were committed."""

    TASK = ExactSinkTask
    TABLE = "lines"

    def seed(self, values: Sequence[Any]) -> None:
        """Insert lines."""
        self.insert([(encode(value),) for value in values])
