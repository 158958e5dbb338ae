"""The endpoint of the rows: tables in a private directory, read and written without connectors."""

from __future__ import annotations

import json
import shutil
from itertools import count
from typing import TYPE_CHECKING, Any

from plugwright_conformance.reference.rows.codec import decode, encode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["RowsEndpoint"]

_TABLES = 7


class RowsEndpoint:
    """Seven tables; values are seeded in turn.

    Args:
        directory: an empty directory of this endpoint's own.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory / "tables"
        self._numbers = count()
        self._added: dict[str, str] = {}

    def start(self) -> Mapping[str, str]:
        """Make the tables; the settings that lead to them."""
        self._directory.mkdir()
        for number in range(_TABLES):
            (self._directory / f"table{number}.jsonl").touch()
        return {
            "rows.url": f"rows://user@localhost{self._directory}",
            "rows.password": "rows-password-7c41",
        }

    def stop(self) -> None:
        """Remove the tables."""
        if self._directory.is_dir():
            shutil.rmtree(self._directory)
        else:
            self._directory.unlink(missing_ok=True)

    def seed(self, values: Sequence[Any]) -> None:
        """Append values: text to the first table, rows to one table after the other."""
        for given in values:
            value = {**given, **self._added} if isinstance(given, dict) else given
            number = 0 if isinstance(value, str) else next(self._numbers) % _TABLES
            table = self._directory / f"table{number}.jsonl"
            with table.open("a", encoding="utf-8") as file:
                file.write(f"{encode(value)}\n")

    def read_back(self) -> list[Any]:
        """Every row that is complete, table by table; a sink may be writing the next one."""
        written = [table.read_bytes() for table in sorted(self._directory.iterdir())]
        complete = [rows.rpartition(b"\n")[0].decode() for rows in written]
        return [decode(line) for rows in complete for line in rows.splitlines()]

    def add_field(self, name: str, text: str) -> Sequence[str]:
        """Add a column that holds this text in all rows from now on."""
        self._added[name] = text
        return ()

    def seed_foreign(self) -> Sequence[str]:
        """Append a value that no column accepts; the words that the error must contain."""
        with (self._directory / "table0.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps({"row": {"shape": {"polygon": "0 0, 1 1"}}}) + "\n")
        return ("shape", "polygon")

    def refuse(self) -> Sequence[str]:
        """Make the system unavailable; the words that its error must contain."""
        shutil.rmtree(self._directory)
        self._directory.touch()
        return ("Not a directory",)
