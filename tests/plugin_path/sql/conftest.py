"""A database for each test."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import psycopg
import pytest
from psycopg import sql
from tests.postgres_server import postgres_server


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


@pytest.fixture(scope="session")
def server():
    """One server for all tests."""
    with postgres_server() as address:
        yield address


@pytest.fixture
def postgres(server, request):
    """A database of the test's own, by psycopg."""
    name = "d" + format(abs(hash(request.node.name)), "x")
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    address = server.replace("/postgres?", f"/{name}?")
    with psycopg.connect(address, autocommit=True) as database:
        database.plugwright_url = address
        yield database
