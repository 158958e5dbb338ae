"""Addresses, refused settings, passwords."""

from __future__ import annotations

import logging
import traceback

import pytest
from tests.plugin_path.sql.driving import record, sink, source

from plugwright import ConfigError, ConnectError, SchemaBuilder, Struct
from plugwright_sql import SqlSinkConnector, SqlSourceConnector
from plugwright_sql.address import address_of

SECRET = "s3cret-canary"  # noqa: S105  # looked for below


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("jdbc:sqlite:/tmp/a b.db", "sqlite:////tmp/a b.db"),
        ("jdbc:sqlite:shop.db", "sqlite:///shop.db"),
        ("sqlite:////tmp/a.db", "sqlite:////tmp/a.db"),
        ("jdbc:postgresql://h:5433/d", "postgresql+psycopg://u:***@h:5433/d"),
        ("jdbc:postgresql:d", "postgresql+psycopg://u:***@localhost/d"),
        (
            "jdbc:postgresql://h/d?sslmode=require",
            "postgresql+psycopg://u:***@h/d?sslmode=require",
        ),
        ("jdbc:mysql://h/d", "mysql+pymysql://u:***@h/d"),
        ("jdbc:mariadb://h:3307/d", "mysql+pymysql://u:***@h:3307/d"),
        ("postgresql://h/d?connect_timeout=3", "postgresql+psycopg://u:***@h/d?connect_timeout=3"),
    ],
)
def test_urls_of_jdbc_and_sqlalchemy_are_read(url, expected):
    """Shown as SQLAlchemy writes them."""
    found = address_of(url, "u", "p")
    assert found.render_as_string(hide_password=True) == expected


def test_a_user_may_stand_in_the_url():
    """The setting counts more."""
    assert address_of("jdbc:mysql://h/d?user=a", None, None).username == "a"
    assert address_of("jdbc:mysql://h/d?user=a", "b", None).username == "b"


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://u:{SECRET}@h/d",
        f"jdbc:postgresql://h/d?user=u&password={SECRET}",
        f"jdbc:mysql://u:{SECRET}@h/d",
        f"mysql+pymysql://u@h/d?ssl_key_password={SECRET}",
    ],
)
def test_a_url_with_a_password_is_refused_without_showing_it(url):
    """By validation and by the start, of both connectors."""
    for connector in (SqlSinkConnector(), SqlSourceConnector()):
        props = {"connection.url": url, "mode": "bulk", "topic.prefix": "p"}
        (value,) = [v for v in connector.validate(props) if v.error_messages]
        assert value.name == "connection.url"
        assert "connection.password" in str(value.error_messages)
        assert SECRET not in str(value.error_messages)
        with pytest.raises(ConfigError) as caught:
            connector.start(props)
        assert SECRET not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("dialect.name", "SqliteDatabaseDialect", "follows from connection.url"),
        ("catalog.pattern", "shop", "one database"),
        ("numeric.precision.mapping", "true", "precision_only"),
        ("incrementing.relaxed.monotonic", "true", "timestamp+incrementing"),
        ("transaction.isolation.mode", "SERIALIZABLE", "isolation"),
        ("connection.loginTimeout", "10", "JDBC driver"),
        ("query.suffix", "FOR UPDATE", "query"),
        ("timestamp.granularity", "micros_long", "milliseconds"),
    ],
)
def test_settings_that_are_not_supported_are_refused_by_name(url, key, value, reason):
    """With the reason; an empty value asks for nothing."""
    props = {"connection.url": url, "mode": "bulk", "topic.prefix": "p"}
    (found,) = [v for v in SqlSourceConnector().validate({**props, key: value}) if v.error_messages]
    assert (found.name, len(found.error_messages)) == (key, 1)
    assert found.error_messages[0].startswith(f"{key} is not supported: ")
    assert reason in found.error_messages[0]
    assert [v for v in SqlSourceConnector().validate({**props, key: ""}) if v.error_messages] == []


def test_all_problems_are_said_at_once(url):
    """Each under its setting."""
    props = {
        "connection.url": url,
        "mode": "timestamp",
        "dialect.name": "x",
        "poll.interval.ms": "0",
    }
    wrong = {v.name for v in SqlSourceConnector().validate(props) if v.error_messages}
    assert wrong == {"topic.prefix", "timestamp.column.name", "dialect.name", "poll.interval.ms"}
    with pytest.raises(ConfigError, match="4 settings are wrong"):
        SqlSourceConnector().start(props)


@pytest.mark.slow
def test_a_server_that_refuses_is_named_without_the_password(caplog):
    """Neither in the error and its causes nor in the log."""
    caplog.set_level(logging.DEBUG)
    url = "jdbc:postgresql://127.0.0.1:1/shop"
    account = {"connection_user": "u", "connection_password": SECRET}
    with (
        pytest.raises(ConnectError) as caught,
        source(url, mode="bulk", connection_backoff_ms="0", **account),
    ):
        pass
    reported = "".join(traceback.format_exception(caught.value)) + caplog.text
    assert caught.value.retriable
    assert SECRET not in reported


def test_neither_statement_nor_row_is_in_a_traceback(url, run):
    """Also where the database refuses the row, and where it refuses the statement."""
    run(
        "CREATE TABLE t (id BIGINT CHECK (id > 0), name TEXT)",
        "CREATE VIEW v AS SELECT * FROM t",
    )
    schema = (
        SchemaBuilder.struct()
        .field("id", SchemaBuilder.int64())
        .field("name", SchemaBuilder.string())
        .build()
    )
    for table, words in (("t", "CHECK constraint failed"), ("v", "it is a view")):
        row = Struct(schema).put("id", -5).put("name", SECRET)
        with sink(url) as task, pytest.raises(ConnectError) as caught:
            task.put([record(row, topic=table)])
        reported = "".join(traceback.format_exception(caught.value))
        assert words in reported
        assert "INSERT INTO" not in reported
        assert SECRET not in reported


def test_a_database_that_is_missing_is_not_made_by_the_source(url, path):
    """It would be empty."""
    with (
        pytest.raises(ConnectError, match="unable to open database file"),
        source(url, mode="bulk", connection_attempts="1"),
    ):
        pass
    assert not path.exists()
