"""Real servers that last as long as a block."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pymysql
import pytest
from sqlalchemy.engine import make_url

from plugwright.databases import (
    DatabaseServer,
    MariaDb,
    PostgreSql,
    installed_servers,
    running_database,
)
from plugwright.errors import SetupError

pytestmark = pytest.mark.slow

TABLE = "CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1), (2);"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """Logs go to a cache of the test's own."""
    monkeypatch.setenv("PLUGWRIGHT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def the_servers(system):
    """All that are installed."""
    if servers := installed_servers(system):
        return servers
    pytest.skip(f"no {system.name} is installed that this user can start")


def by_psycopg(url):
    """The rows of the table, by the driver."""
    with psycopg.connect(url) as connection:
        return connection.execute("SELECT a FROM t ORDER BY a").fetchall()


def by_pymysql(url):
    """The same from MariaDB."""
    address = make_url(url)
    with pymysql.connect(
        unix_socket=address.query["unix_socket"], user=address.username, database=address.database
    ) as connection:
        cursor = connection.cursor()
        cursor.execute("SELECT a FROM t ORDER BY a")
        return list(cursor.fetchall())


def home_of(url):
    """The directory of the socket."""
    query = make_url(url).query
    return Path(query["host"]) if "host" in query else Path(query["unix_socket"]).parent


@pytest.mark.parametrize(
    ("system", "read"),
    [
        pytest.param(PostgreSql(), by_psycopg, id="postgresql"),
        pytest.param(MariaDb(), by_pymysql, id="mariadb"),
    ],
)
def test_every_installed_server_runs(system, read, cache):
    """A driver reads what the client wrote; afterwards only the log is left."""
    for server in the_servers(system):
        with running_database(server) as database:
            database.run(TABLE)
            assert database.answers
            assert read(database.url) == [(1,), (2,)]
            assert home_of(database.url).is_dir()
        assert not home_of(database.url).exists()
        assert not database.answers
    logs = list((cache / "logs").iterdir())
    assert len(logs) == len(the_servers(system))


def test_statement_that_fails_is_an_error():
    """With the words of the server."""
    server = the_servers(PostgreSql())[0]

    with running_database(server) as database, pytest.raises(SetupError, match="nowhere") as caught:
        database.run("SELECT * FROM nowhere;")
    assert caught.value.code == "environment.database-failed"


def test_server_that_does_not_start_is_an_error(tmp_path):
    """With its last words."""
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho no room >&2\nexit 1\n")
    broken.chmod(0o755)
    server = DatabaseServer(MariaDb(), "1.0", (str(broken),) * 3, "here")

    with (
        pytest.raises(SetupError, match=r"did not start; it said: no room"),
        running_database(server),
    ):
        pytest.fail("it runs")
