"""How the conformance suite fills and reads the other side, without the connector's own code."""

from __future__ import annotations

{% if cookiecutter.__journal %}
import json
{% endif %}
{% if cookiecutter.__ledger %}
import sqlite3
from contextlib import closing
{% endif %}
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

{% if cookiecutter.__journal and cookiecutter.__ledger %}
__all__ = ["JournalEndpoint", "LedgerEndpoint"]
{% elif cookiecutter.__ledger %}
__all__ = ["LedgerEndpoint"]
{% else %}
__all__ = ["JournalEndpoint"]
{% endif %}
{% if cookiecutter.__journal %}


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
{% endif %}
{% if cookiecutter.__ledger %}


class LedgerEndpoint:
    """A ledger in a private directory.

    Args:
        directory: an empty directory of this endpoint's own.
    """

    def __init__(self, directory: Path) -> None:
        self._file = directory / "ledger.sqlite"
        self._aside = directory / "aside"

    def start(self) -> Mapping[str, str]:
        """Set the endpoint up; the settings that point the connector at it."""
        with closing(sqlite3.connect(self._file)) as database:
            database.execute(
                "CREATE TABLE entries (number INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT)"
            )
        return {"file": str(self._file)}

    def stop(self) -> None:
        """Take the endpoint down."""
        if self._file.is_dir():
            self._file.rmdir()
        self._file.unlink(missing_ok=True)
        self._aside.unlink(missing_ok=True)

    def seed(self, values: Sequence[str]) -> None:
        """Add values on the far side."""
        with closing(sqlite3.connect(self._file, timeout=60)) as database, database:
            rows = [(value,) for value in values]
            database.executemany("INSERT INTO entries (text) VALUES (?)", rows)

    def read_back(self) -> list[str]:
        """Every value on the far side, in order."""
        with closing(sqlite3.connect(self._file, timeout=60)) as database:
            rows = database.execute("SELECT text FROM entries ORDER BY number")
            return [text for (text,) in rows]

    def refuse(self) -> Sequence[str]:
        """Turn everybody away from now on; the words in which the system says so."""
        self._file.rename(self._aside)
        self._file.mkdir()
        return ("unable to open database file",)

    def recover(self) -> Sequence[str]:
        """End that, with everything there that was there before."""
        self._file.rmdir()
        self._aside.rename(self._file)
        return ()
{% endif %}
