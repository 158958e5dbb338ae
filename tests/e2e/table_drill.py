"""Rows of a table on their way into another database and into Parquet files, under faults."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing

import psycopg
from pyarrow import dataset
from tests.e2e.drill import Faults, Feed, missing_and_twice
from tests.e2e.workers import until

from plugwright.kafka import create_topic, read_topic

__all__ = ["TableDrill"]

FILE = 500
"""The rows of a file of the sink that counts them."""
_JSON = "org.apache.kafka.connect.json.JsonConverter"


class TableFeed(Feed):
    """A table of SQLite that grows by some thousand numbered rows a second until it is closed."""

    def __init__(self, path):
        with closing(sqlite3.connect(path)) as database:
            database.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, note TEXT NOT NULL)")
        super().__init__(path)

    def _write(self):
        with closing(sqlite3.connect(self.path, timeout=30)) as database:
            while not self._closing.wait(0.05):
                rows = [(n, f"note {n}") for n in range(self.count + 1, self.count + 51)]
                with database:
                    database.executemany("INSERT INTO orders VALUES (?, ?)", rows)
                self.count += len(rows)


class TableDrill(Faults):
    """A table, its topic, a table of PostgreSQL, and Parquet files by count and by the clock.

    Args:
        cluster: where the connectors run.
        directory: for files.
        url: of the database of PostgreSQL.
        workers: how many there are.
    """

    def __init__(self, cluster, directory, url, workers):
        super().__init__(cluster, workers)
        self._url, self._lake = url, directory / "lake"
        self._topic = f"{cluster.name}-orders"
        create_topic(cluster.servers, self._topic)
        cluster.grow(workers)
        self.feed = TableFeed(directory / "shop.sqlite")
        as_json = {"value.converter": _JSON}
        cluster.create(
            "in",
            {
                **as_json,
                "connector.class": "SqlSourceConnector",
                "connection.url": f"jdbc:sqlite:{self.feed.path}",
                "mode": "incrementing",
                "incrementing.column.name": "id",
                "topic.prefix": f"{cluster.name}-",
                "poll.interval.ms": "20",
            },
        )
        cluster.create(
            "database",
            {
                **as_json,
                "connector.class": "SqlSinkConnector",
                "connection.url": url,
                "topics": self._topic,
                "table.name.format": "orders",
                "auto.create": "true",
            },
        )
        lake = {
            **as_json,
            "connector.class": "LakeSinkConnector",
            "topics": self._topic,
            "format.class": "parquet",
            "flush.size": str(FILE),
        }
        cluster.create("counted", {**lake, "store.url": str(self._lake / "counted")})
        timed = {"store.url": str(self._lake / "timed"), "rotate.schedule.interval.ms": "1000"}
        cluster.create("timed", {**lake, **timed})
        for name in ("in", "database", "counted", "timed"):
            cluster.wait_for(name, "RUNNING")
        self.wait_for_progress()

    def wait_for_progress(self):
        """Wait until the rows have become more everywhere; how long that took."""
        begun, size = time.monotonic(), self._sizes()
        assert until(
            lambda: all(n > b for n, b in zip(self._sizes(), size, strict=True)), 120, 0.2
        ), (self.cluster.report(), size, self._sizes())
        return time.monotonic() - begun

    def _sizes(self):
        files = [len(list((self._lake / name).rglob("*.parquet"))) for name in ("counted", "timed")]
        return len(self.stored()), *files

    def stored(self):
        """The numbers in the table of PostgreSQL, in no order."""
        with psycopg.connect(self._url) as database:
            try:
                return [n for (n,) in database.execute("SELECT id FROM orders").fetchall()]
            except psycopg.errors.UndefinedTable:
                return []

    def filed(self, name):
        """The numbers in the Parquet files of a sink, in no order."""
        below = self._lake / name / "topics"
        return dataset.dataset(below, format="parquet").to_table(columns=["id"])["id"].to_pylist()

    def run(self, fault):
        """Faults, each with its recovery; then the rest of the rows has to arrive.

        Args:
            fault: brings one about; takes this drill.
        """
        self.suffer(fault)
        self.feed.close()
        assert until(lambda: len(self.stored()) >= self.feed.count, 180, 0.5), self.cluster.report()
        assert until(lambda: len(self.filed("timed")) >= self.feed.count, 180, 0.5)
        whole = self.feed.count // FILE * FILE
        assert until(lambda: len(self.filed("counted")) >= whole, 180, 0.5)

    def account(self, report):
        """What became of each row, printed.

        Raises:
            AssertionError: if one is missing anywhere, or comes twice.
        """
        messages = read_topic(self.cluster.servers, self._topic)
        numbers = [json.loads(message.value())["payload"]["id"] for message in messages]
        rows, whole = self.feed.count, self.feed.count // FILE * FILE
        figures = {
            "topic": missing_and_twice(numbers, range(1, rows + 1)),
            "database": missing_and_twice(self.stored(), range(1, rows + 1)),
            "files by time": missing_and_twice(self.filed("timed"), range(1, rows + 1)),
            "files by count": missing_and_twice(self.filed("counted"), range(1, whole + 1)),
        }
        report(f"{rows} rows, {figures}, {self.recovery()}")
        assert figures == {place: {"missing": 0, "twice": 0} for place in figures}
