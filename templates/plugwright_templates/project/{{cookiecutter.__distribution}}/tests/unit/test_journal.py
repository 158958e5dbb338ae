"""Entries of a journal, and what is wrong with one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from plugwright import ConnectError

from {{ cookiecutter.__package }}.journal import Journal

if TYPE_CHECKING:
    from pathlib import Path
{% if cookiecutter.__source %}


def test_entries_carry_the_position_after_them(tmp_path: Path) -> None:
    """Counted in bytes, line ends included."""
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b'"one"\n"t\\nwo"\nnull\n')

    assert Journal(path).read(0, 10) == [("one", 6), ("t\nwo", 14), (None, 19)]
    assert Journal(path).read(6, 1) == [("t\nwo", 14)]


def test_entry_that_is_being_written_waits(tmp_path: Path) -> None:
    """It is read when its line has ended."""
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b'"one"\n"tw')

    assert Journal(path).read(0, 10) == [("one", 6)]


def test_missing_journal_has_no_entries(tmp_path: Path) -> None:
    """It may appear later."""
    assert Journal(tmp_path / "later").read(0, 10) == []


@pytest.mark.parametrize(
    ("content", "position", "message"),
    [
        (b"", 5, "is shorter than position 5: it was replaced"),
        (b"one\n", 0, "has no entry at position 0: "),
        (b'"one"\n1\n', 6, "has int instead of text at position 6"),
    ],
    ids=["shorter", "no-json", "no-text"],
)
def test_damaged_journal_is_refused(
    tmp_path: Path, content: bytes, position: int, message: str
) -> None:
    """Never read from somewhere else instead."""
    path = tmp_path / "journal.jsonl"
    path.write_bytes(content)

    with pytest.raises(ConnectError, match=message):
        Journal(path).read(position, 10)
{% endif %}
{% if cookiecutter.__sink and not cookiecutter.__ledger %}


def test_texts_become_lines(tmp_path: Path) -> None:
    """A line feed in a text ends no line."""
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b'"zero"\n')
    journal = Journal(path)

    journal.append(["o\nne", None])
    journal.make_durable()
    journal.close()

    assert path.read_bytes() == b'"zero"\n"o\\nne"\nnull\n'


def test_journal_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """With the reason of the operating system."""
    with pytest.raises(ConnectError, match="cannot be written: Is a directory"):
        Journal(tmp_path).append(["one"])
{% endif %}
