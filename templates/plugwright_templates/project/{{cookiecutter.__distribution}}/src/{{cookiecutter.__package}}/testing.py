"""How the conformance suite fills and reads a journal, without the connector's own code."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["JournalEndpoint"]


class JournalEndpoint:
    """A journal in a private directory.

    Args:
        directory: an empty directory of this endpoint's own.
    """

    def __init__(self, directory: Path) -> None:
        self._file = directory / "journal.jsonl"

    def start(self) -> Mapping[str, str]:
        """Set the endpoint up; the settings that point the connector at it."""
        self._file.touch()
        return {"file": str(self._file)}

    def stop(self) -> None:
        """Take the endpoint down."""
        if self._file.is_dir():
            self._file.rmdir()
        self._file.unlink(missing_ok=True)

    def seed(self, values: Sequence[str]) -> None:
        """Add values on the far side."""
        with self._file.open("a", encoding="ascii") as file:
            file.writelines(f"{json.dumps(value)}\n" for value in values)

    def read_back(self) -> list[str]:
        """Every value on the far side, in order."""
        complete, _, _ = self._file.read_bytes().rpartition(b"\n")  # the next one may be half there
        return [json.loads(line) for line in complete.splitlines()]

    def refuse(self) -> Sequence[str]:
        """Turn everybody away from now on; the words in which the system says so."""
        self._file.unlink()
        self._file.mkdir()
        return ("Is a directory",)
{% if cookiecutter.__source %}

    def seed_foreign(self) -> Sequence[str]:
        """Add a value of an undeclared type; the words that its error must have."""
        with self._file.open("a", encoding="ascii") as file:
            file.write("7\n")
        return ("int", "position 0")
{% endif %}
