"""A database for each test."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest


@pytest.fixture
def path(tmp_path):
    """A file of SQLite."""
    return tmp_path / "shop.sqlite"


@pytest.fixture
def url(path):
    """The file, as the JDBC driver names it."""
    return f"jdbc:sqlite:{path}"


@pytest.fixture
def run(path):
    """Runs statements by Python's own module, and returns the rows of the last one."""

    def ran(*statements):
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            return [database.execute(statement).fetchall() for statement in statements][-1]

    return ran
