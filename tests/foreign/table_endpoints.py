"""Tables in PostgreSQL that foreign taps read and foreign targets fill.

This module is copied into a location beside the connectors, which is then certified.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


class _Tables:
    """A schema of its own in the PostgreSQL server that the environment names, through psql."""

    def __init__(self, directory: Path) -> None:
        self._schema = f"c{hashlib.sha256(str(directory).encode()).hexdigest()[:20]}"
        self._server: dict[str, Any] = json.loads(os.environ["FOREIGN_POSTGRES"])

    def start(self) -> Mapping[str, str]:
        """Make the schema; the settings that lead to it."""
        self._sql(f"CREATE SCHEMA {self._schema};")
        place = {**self._server, "database": self._server["dbname"]}  # some call it so
        return {f"singer.config.{name}": json.dumps(v) for name, v in place.items()}

    def stop(self) -> None:
        """Remove the schema."""
        self._sql(f"DROP SCHEMA IF EXISTS {self._schema} CASCADE;")

    def _sql(self, statements: str) -> str:
        server = self._server
        place = f"host={server['host']} port={server['port']} dbname={server['dbname']}"
        done = subprocess.run(
            ["psql", "-XqtA", "-v", "ON_ERROR_STOP=1", f"{place} user={server['user']}"],  # noqa: S607
            input=f"SET client_min_messages = error; {statements}".encode(),
            env={**os.environ, "PGPASSWORD": server["password"], "PGCLIENTENCODING": "UTF8"},
            check=False,
            capture_output=True,
        )
        if done.returncode:
            raise OSError(done.stderr.decode())
        return done.stdout.decode().strip()

    def _insert(self, table: str, values: Sequence[str]) -> None:
        rows = ", ".join("('" + value.replace("'", "''") + "')" for value in values)
        if rows:
            self._sql(f"INSERT INTO {self._schema}.{table} (value) VALUES {rows};")

    def _texts(self, table: str, order: str) -> list[str]:
        query = f'SELECT json_agg(value ORDER BY {order}) FROM {self._schema}."{table}";'
        return list(json.loads(self._sql(query) or "[]"))


class TapTable(_Tables):
    """A table that tap-postgres reads by its increasing id."""

    def start(self) -> Mapping[str, str]:
        """Make the table and a catalog; the settings that lead to them."""
        found = dict(super().start())
        self._sql(f"CREATE TABLE {self._schema}.rows (id bigserial PRIMARY KEY, value text);")
        return {**found, "singer.config.filter_schemas": self._schema_setting()}

    def _schema_setting(self) -> str:
        return json.dumps(self._schema)

    def seed(self, values: Sequence[str]) -> None:
        """Insert rows."""
        self._insert("rows", values)

    def read_back(self) -> list[str]:
        """Every row."""
        return self._texts("rows", "id")

    def seeded(self, value: Any) -> Any:
        """The text of a row."""
        return value if isinstance(value, str) else value["value"]


class TapTableOfMeltano(TapTable):
    """A table that MeltanoLabs' tap-postgres reads."""

    def _schema_setting(self) -> str:
        return json.dumps([self._schema])


class TargetTable(_Tables):
    """The table that a target for PostgreSQL fills."""

    def start(self) -> Mapping[str, str]:
        """Make the schema; the settings that lead to it."""
        found = dict(super().start())
        return {**found, "singer.config.default_target_schema": json.dumps(self._schema)}

    def seed(self, values: Sequence[str]) -> None:
        """Insert rows as the target would."""
        self._sql(f"CREATE TABLE IF NOT EXISTS {self._schema}.seed (value text);")
        self._insert("seed", values)

    def read_back(self) -> list[str]:
        """The text of every row, in the order of its place in Kafka."""
        query = f"SELECT tablename FROM pg_tables WHERE schemaname = '{self._schema}';"
        tables = self._sql(query).split()
        return [value for table in tables for value in self._values(table)]

    def _values(self, table: str) -> list[Any]:
        """The values of a table that has them, else its rows, which had several."""
        query = (
            "SELECT count(*) FROM information_schema.columns WHERE column_name = 'value'"
            f" AND table_schema = '{self._schema}' AND table_name = '{table}';"
        )
        if self._sql(query) != "0":
            return self._texts(table, "1" if table == "seed" else "__partition, __offset")
        return list(json.loads(self._sql(f'SELECT json_agg(t) FROM {self._schema}."{table}" t;')))
