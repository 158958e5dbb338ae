"""A service with feeds of events on this machine. Its events are in SQLite."""

from __future__ import annotations

import json
import sqlite3
import threading
from contextlib import closing
from datetime import UTC, datetime
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

TOKEN = "feed-token-5d0c97e1"
FEEDS = ("orders", "refunds", "visits")
FLAGS = ("down", "denied")
MOMENT = "%Y-%m-%dT%H:%M:%S.%fZ"
LIMIT = 7


def _connect(directory):
    return sqlite3.connect(directory / "events.db", timeout=30, isolation_level=None)


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        directory = self.server.directory
        self.server.requests += 1
        if (directory / "down").exists():
            return self._answer(503, {})
        right = self.headers["Authorization"] == f"Bearer {TOKEN}"
        if not right or (directory / "denied").exists():
            return self._answer(403, {})
        if self.server.requests % LIMIT == 0:  # a client may not ask all the time
            return self._answer(429, {}, ("Retry-After", "0"))
        parts = urlsplit(self.path)
        feed = unquote(parts.path).split("/")[2]
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        return self._answer(200, self._listing(directory, feed, query))

    def _listing(self, directory, feed, query):
        size = int(query["size"])
        begin = query["page"].rpartition("~") if "page" in query else (query["since"], "~", "-1")
        with closing(_connect(directory)) as database:
            rows = database.execute(
                "SELECT id, created, data FROM events WHERE feed = ? AND (created, id) > (?, ?)"
                " ORDER BY created, id LIMIT ?",
                (feed, begin[0], int(begin[2]), size + 1),
            ).fetchall()
        events = [
            {"id": number, "created": created, "data": json.loads(data)}
            for number, created, data in rows[:size]
        ]
        last = events[-1] if len(rows) > size else None
        return {"events": events, "next": last and f"{last['created']}~{last['id']}"}

    def _answer(self, status, content, *headers):
        body = json.dumps(content).encode()
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class FeedEndpoint:
    def __init__(self, directory):
        self._directory = directory
        self._server = None

    def __getstate__(self):
        return {**self.__dict__, "_server": None}

    def start(self):
        with closing(_connect(self._directory)) as database:
            database.execute(
                "CREATE TABLE IF NOT EXISTS events (id INTEGER PRIMARY KEY AUTOINCREMENT,"
                " feed TEXT, created TEXT, data TEXT)"
            )
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.directory = self._directory
        self._server.requests = 0
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return {
            "feed.url": f"http://127.0.0.1:{self._server.server_port}",
            "feed.token": TOKEN,
        }

    def stop(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
        for name in (*FLAGS, "events.db"):
            (self._directory / name).unlink(missing_ok=True)

    def seed(self, values):
        self._insert([_data(value) for value in values], 1)

    def seed_at_once(self, values):
        """All the events of a feed in the same microsecond."""
        self._insert([_data(value) for value in values], 0)
        return ()

    def read_back(self):
        values = []
        for _, _, _, text in self._events():
            data = json.loads(text)
            data["price"] = Decimal(data["price"])
            data["due"] = datetime.fromisoformat(data["due"])
            values.append({"note": None, **data})
        return values

    def read_keys(self):
        return [number for number, _, _, _ in self._events()]

    def read_timestamps(self):
        moments = [datetime.strptime(created, MOMENT) for _, _, created, _ in self._events()]
        epoch = datetime(1970, 1, 1)
        return [int((moment - epoch).total_seconds() * 1000 + 1e-4) for moment in moments]

    def seed_corrupt(self):
        feed, number = self._insert([{**_data(_sample()), "price": "1x.50"}], 1)
        return (feed, f"event {number}")

    def seed_foreign(self):
        self._insert([{**_data(_sample()), "number": "seven"}], 1)
        return ("number",)

    def refuse(self):
        (self._directory / "down").touch()
        return ("503",)

    def recover(self):
        (self._directory / "down").unlink()
        return ()

    def deny(self):
        (self._directory / "denied").touch()
        return ()

    def _insert(self, rows, step):
        with closing(_connect(self._directory)) as database:
            database.execute("BEGIN IMMEDIATE")
            (count, newest) = database.execute(
                "SELECT count(*), max(created) FROM events"
            ).fetchone()
            now = datetime.now(UTC).timestamp()
            if newest:
                newest = datetime.strptime(newest, MOMENT).replace(tzinfo=UTC).timestamp()
                now = max(now, newest + 0.00001)
            feed = number = None
            for at, data in enumerate(rows):
                created = datetime.fromtimestamp(now + at * step * 0.000013, UTC)
                feed = FEEDS[(count + at) % len(FEEDS)]
                row = (feed, created.strftime(MOMENT), json.dumps(data))
                number = database.execute(
                    "INSERT INTO events (feed, created, data) VALUES (?, ?, ?)", row
                ).lastrowid
            database.execute("COMMIT")
        return feed, number

    def _events(self):
        with closing(_connect(self._directory)) as database:
            return database.execute(
                "SELECT id, feed, created, data FROM events ORDER BY created, id"
            ).fetchall()


def _sample():
    due = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    return {"number": 1, "name": "a", "price": Decimal("1.50"), "due": due, "open": True}


def _data(value):
    due = value["due"].astimezone(UTC).isoformat(timespec="milliseconds")
    data = {**value, "price": format(value["price"], "f"), "due": due}
    return {name: each for name, each in data.items() if name != "note" or each is not None}
