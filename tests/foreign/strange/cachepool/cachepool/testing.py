"""A cache over a database, without the connector."""

# ruff: noqa: D102  # the methods are those of the contract

from __future__ import annotations

import socketserver
import sqlite3
import threading
import uuid
from contextlib import closing, suppress
from urllib.parse import unquote

PASSWORD = "open sesame"  # noqa: S105  # of this server only


class Session(socketserver.StreamRequestHandler):
    """Answers set and delete after the password."""

    def handle(self):
        self.server.sessions.add(self.connection)
        with suppress(OSError, ValueError, sqlite3.Error):
            allowed = False
            while line := self.rfile.readline():
                command, _, rest = line.decode().rstrip("\r\n").partition(" ")
                if command == "auth":
                    allowed = rest == PASSWORD and not self.server.denies
                    answer = "OK" if allowed else "DENIED"
                else:
                    answer = self._change(command, rest.split(" "), allowed=allowed)
                self.wfile.write(answer.encode() + b"\r\n")
        self.server.sessions.discard(self.connection)

    def _change(self, command, words, *, allowed):
        data = None
        if command == "set":
            size = int(words[3])
            data = self.rfile.read(size + 2)[:size].decode()
        if not allowed:
            return "CLIENT_ERROR log in first"
        return self.server.change(words[0], data)


class Cache(socketserver.ThreadingTCPServer):
    """Ends its sessions when it is closed."""

    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False

    def __init__(self, address, file):
        self.sessions = set()
        self.denies = False
        self._file = file
        super().__init__(address, Session)

    def change(self, key, data):
        with closing(sqlite3.connect(self._file, timeout=60)) as database, database:
            found = database.execute("DELETE FROM entries WHERE key = ?", (key,)).rowcount
            if data is None:
                return "DELETED" if found else "NOT_FOUND"
            database.execute("INSERT INTO entries VALUES (?, ?)", (key, data))
        return "STORED"

    def drop(self):
        for each in list(self.sessions):
            with suppress(OSError):
                each.shutdown(2)


class CacheEndpoint:
    """Entries are in a database, so that every process can seed and read them."""

    def __init__(self, directory):
        self._file = directory / "cache.db"
        self._cache = None
        self._port = 0

    def start(self):
        with closing(self._connect()) as database, database:
            database.execute("CREATE TABLE IF NOT EXISTS entries (key PRIMARY KEY, data)")
        self._serve()
        return {
            "cache.host": "127.0.0.1",
            "cache.port": str(self._port),
            "cache.password": PASSWORD,
        }

    def stop(self):
        self._close()
        self._file.unlink(missing_ok=True)

    def seed(self, values):
        with closing(self._connect()) as database, database:
            database.executemany(
                "INSERT INTO entries VALUES (?, ?)",
                [(f"seed/{uuid.uuid4()}", value) for value in values],
            )

    def read_back(self):
        return [data for _, data in self._all()]

    def read_topics(self):
        return [unquote(key.split("/")[0]) for key, _ in self._all()]

    def refuse(self):
        self._close()
        return (f"127.0.0.1:{self._port}",)

    def recover(self):
        self._serve()
        return ()

    def deny(self):
        self._cache.denies = True
        self._cache.drop()
        return ()

    def _all(self):
        with closing(self._connect()) as database:
            return database.execute("SELECT key, data FROM entries ORDER BY rowid").fetchall()

    def _connect(self):
        return sqlite3.connect(self._file, timeout=60)

    def _serve(self):
        self._cache = Cache(("127.0.0.1", self._port), self._file)
        self._port = self._cache.server_address[1]
        threading.Thread(target=self._cache.serve_forever, args=(0.02,), daemon=True).start()

    def _close(self):
        if self._cache is not None:
            self._cache.shutdown()
            self._cache.server_close()
            self._cache.drop()
            self._cache = None
