"""Entries of a ledger, and the positions beside them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from plugwright import ConnectError, RetriableError, TopicPartition

from {{ cookiecutter.__package }}.ledger import Entry, Ledger

if TYPE_CHECKING:
    from pathlib import Path

HOME = TopicPartition("entries", 0)
OTHER = TopicPartition("entries", 1)


def texts(path: Path) -> list[str | None]:
    """What is in the ledger, in order."""
    with closing(sqlite3.connect(path)) as database:
        return [text for (text,) in database.execute("SELECT text FROM entries ORDER BY number")]


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """A new ledger."""
    ledger = Ledger(tmp_path / "ledger")
    ledger.create()
    return ledger


def test_entries_and_positions_are_durable(ledger: Ledger, tmp_path: Path) -> None:
    """For whoever opens the ledger next."""
    ledger.append([Entry(HOME, 0, "o\\ne"), Entry(OTHER, 7, None), Entry(HOME, 1, "two")])

    again = Ledger(tmp_path / "ledger")
    again.create()
    assert again.positions() == {HOME: 2, OTHER: 8}
    assert texts(tmp_path / "ledger") == ["o\\ne", None, "two"]


def test_what_is_there_is_not_added_again(ledger: Ledger, tmp_path: Path) -> None:
    """A batch may come twice, and from a task that has lost its partition."""
    ledger.append([Entry(HOME, 0, "one"), Entry(HOME, 1, "two")])
    ledger.append([Entry(HOME, 1, "two"), Entry(HOME, 2, "three"), Entry(OTHER, 0, "else")])

    assert texts(tmp_path / "ledger") == ["one", "two", "three", "else"]
    assert ledger.positions() == {HOME: 3, OTHER: 1}


def test_positions_can_be_moved(ledger: Ledger, tmp_path: Path) -> None:
    """What comes again then is added again."""
    ledger.append([Entry(HOME, 0, "one"), Entry(OTHER, 0, "else")])

    ledger.move({HOME: None, OTHER: 5})

    assert ledger.positions() == {OTHER: 5}
    ledger.append([Entry(HOME, 0, "one"), Entry(OTHER, 0, "else")])
    assert texts(tmp_path / "ledger") == ["one", "else", "one"]


def test_a_failure_changes_nothing(ledger: Ledger, tmp_path: Path) -> None:
    """A later entry of the batch may be the reason."""
    with closing(sqlite3.connect(tmp_path / "ledger")) as database, database:
        database.execute("CREATE UNIQUE INDEX once ON entries (text)")

    with pytest.raises(RetriableError, match="cannot be written now: UNIQUE"):
        ledger.append([Entry(HOME, 0, "one"), Entry(HOME, 1, "one")])

    assert texts(tmp_path / "ledger") == []
    assert ledger.positions() == {}


def test_ledger_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    """With the reason of SQLite."""
    with pytest.raises(ConnectError, match="cannot be opened: unable to open database file"):
        Ledger(tmp_path).create()
