"""Parses the database URL: JDBC or SQLAlchemy, without a password."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from plugwright import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["address_of", "address_problem"]

_DRIVERS: Mapping[str, str] = MappingProxyType(
    {
        "sqlite": "sqlite",
        "postgresql": "postgresql+psycopg",
        "postgresql+psycopg": "postgresql+psycopg",
        "mysql": "mysql+pymysql",
        "mysql+pymysql": "mysql+pymysql",
        "mariadb": "mysql+pymysql",
        "mariadb+pymysql": "mysql+pymysql",
    }
)
_SECRET = re.compile(r"pass(word|wd|phrase)|pwd|secret|token", re.IGNORECASE)
_JDBC_PARAMETERS = frozenset({"sslmode", "sslrootcert", "options"})
_NO_HOST = re.compile(r"(?P<scheme>[a-z]+):(?P<database>[^/:?]+)(?P<rest>\?.*)?")


def address_of(url: str, user: str | None, password: str | None) -> URL:
    """The address for SQLAlchemy.

    Raises:
        ConfigError: if the URL is of another kind, or holds a password.
    """
    if problem := address_problem(url):
        raise ConfigError(f"connection.url: {problem}", code="sql.bad-url")
    found = _parsed(url)
    found = found.set(drivername=_DRIVERS[found.drivername])
    query = {name: value for name, value in found.query.items() if name.lower() != "user"}
    if found.drivername == "sqlite":
        return found.set(query=query, username=None, password=None)
    named = found.username or _single(found.query.get("user"))
    return found.set(query=query, username=user or named, password=password or None)


def address_problem(url: str) -> str:
    """The problem of a URL, without any part that may be secret; ``None`` if it is valid."""
    try:
        found = _parsed(url)
    except (ArgumentError, ValueError):
        return "it is not a URL; expected one such as jdbc:postgresql://host/database"
    if found.drivername not in _DRIVERS:
        return (
            f"{found.drivername} is not supported; expected jdbc:sqlite:, jdbc:postgresql:, "
            "jdbc:mysql: or jdbc:mariadb:, or a URL of SQLAlchemy for one of these"
        )
    if found.password or any(_SECRET.search(name) for name in found.query):
        return "it holds a password, which logs would show; use connection.password"
    if found.drivername == "sqlite" and (found.database or ":memory:") == ":memory:":
        return "a database in memory is seen by one connection only; name a file"
    return _parameter_problem(url, found)


def _parameter_problem(url: str, found: URL) -> str:
    if not url.startswith("jdbc:"):
        return ""
    strange = [name for name in found.query if name not in {*_JDBC_PARAMETERS, "user"}]
    if not strange:
        return ""
    return (
        f"the parameter {strange[0]} is one of a JDBC driver, which is not used here; "
        "remove it, or use a URL of SQLAlchemy with the parameters of the Python driver"
    )


def _parsed(url: str) -> URL:
    """The URL as it is written, under its name for SQLAlchemy."""
    if not url.startswith("jdbc:"):
        return make_url(url)
    rest = url.removeprefix("jdbc:")
    if rest.startswith("sqlite:"):
        path = rest.removeprefix("sqlite:").removeprefix("file:")
        return URL.create("sqlite", database=path)
    if short := _NO_HOST.fullmatch(rest):
        rest = f"{short['scheme']}://localhost/{short['database']}{short['rest'] or ''}"
    return make_url(rest)


def _single(value: str | tuple[str, ...] | None) -> str | None:
    return value[0] if isinstance(value, tuple) else value
