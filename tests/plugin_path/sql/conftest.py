"""A database for each test."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import psycopg
import pymysql
import pytest
from psycopg import sql
from sqlalchemy.engine import make_url
from tests.postgres_server import postgres_server

from plugwright.databases import MariaDb, installed_servers, running_database


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


@pytest.fixture(scope="session")
def maria_socket():
    """One server for all tests, if the system has it."""
    if not (servers := installed_servers(MariaDb())):
        pytest.skip("MariaDB is not installed; make mariadb does it on Debian")
    with running_database(servers[0]) as database:
        # Of a new server; they would take the place of the users that tests make.
        database.run("DELETE FROM mysql.global_priv WHERE User = ''; FLUSH PRIVILEGES;")
        yield make_url(database.url).query["unix_socket"]


@pytest.fixture
def maria(maria_socket, request):
    """A database of the test's own, by PyMySQL, with its URL."""
    name = "d" + format(abs(hash(request.node.name)), "x")
    with closing(pymysql.connect(unix_socket=maria_socket, user="root")) as admin:
        admin.cursor().execute(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
    with closing(
        pymysql.connect(unix_socket=maria_socket, user="root", database=name, autocommit=True)
    ) as database:
        database.plugwright_url = f"mysql+pymysql://root@/{name}?unix_socket={maria_socket}"
        yield database
