"""The endpoint of the sink that keeps the last line of each key."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from plugwright_conformance.reference.rows.codec import encode
from plugwright_conformance.reference.rows.database_testing import DatabaseEndpoint
from plugwright_conformance.reference.rows.keyed_sink import KeyedSinkTask

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["KeyedEndpoint"]


class KeyedEndpoint(DatabaseEndpoint):
    """One table of lines by topic and key, in the order in which the keys first appeared."""

    TASK = KeyedSinkTask
    TABLE = "keyed"

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self._seeded = count()

    def seed(self, values: Sequence[Any]) -> None:
        """Insert lines, each with a key of its own."""
        self.insert([("", f"seed {next(self._seeded)}", encode(value)) for value in values])
