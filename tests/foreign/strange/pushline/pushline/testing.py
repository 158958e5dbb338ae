"""A broker that pushes messages from a database, without the connector."""

# ruff: noqa: D102  # the methods are those of the contract

from __future__ import annotations

import json
import socketserver
import sqlite3
import threading
import time
from contextlib import closing, suppress

TOKEN = "t0ken of the pusher"  # noqa: S105  # of this broker only


class Session(socketserver.StreamRequestHandler):
    """Pushes what was not acknowledged; another thread reads acknowledgements."""

    def handle(self):
        with suppress(OSError, ValueError, sqlite3.Error):
            hello = json.loads(self.rfile.readline() or b"{}")
            if hello.get("token") != TOKEN or self.server.denies:
                self._line(op="denied", reason="the token is not valid")
                return
            reader = threading.Thread(target=self._read, daemon=True)
            reader.start()
            self.server.take_over(self.connection, reader)
            try:
                self._line(op="welcome")
                self._push(hello["window"], reader)
            finally:
                reader.join(2)  # it may have acknowledgements yet that arrived in time

    def _push(self, window, reader):
        pushed = set()
        while reader.is_alive():
            open_messages = self.server.unacknowledged(window)
            pushed &= {number for number, _, _ in open_messages}
            for number, body, at in open_messages:
                if number not in pushed:
                    pushed.add(number)
                    self._line(op="message", id=number, body=body, at=at)
            time.sleep(0.02)

    def _read(self):
        with suppress(OSError, ValueError, sqlite3.Error):
            while line := self.rfile.readline():
                message = json.loads(line)
                if message["op"] == "ack":
                    self.server.acknowledge(message["ids"])
                else:
                    self._line(op="pong")

    def _line(self, **message):
        self.wfile.write(json.dumps(message).encode() + b"\n")


class Broker(socketserver.ThreadingTCPServer):
    """Has one client; its newest connection counts."""

    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False

    def __init__(self, address, file):
        self.denies = False
        self._current = None, None
        self._lock = threading.Lock()
        self._file = file
        super().__init__(address, Session)

    def take_over(self, connection=None, reader=None):
        """End the connection before, when what it has acknowledged is known."""
        with self._lock:
            before, self._current = self._current, (connection, reader)
            if before[0] is not None:
                with suppress(OSError):
                    before[0].shutdown(1)
                before[1].join(1)
                with suppress(OSError):
                    before[0].shutdown(2)

    def unacknowledged(self, most):
        with closing(sqlite3.connect(self._file, timeout=60)) as database:
            return database.execute(
                "SELECT id, body, at FROM messages WHERE NOT acked ORDER BY id LIMIT ?", (most,)
            ).fetchall()

    def acknowledge(self, numbers):
        with closing(sqlite3.connect(self._file, timeout=60)) as database, database:
            database.executemany("UPDATE messages SET acked = 1 WHERE id = ?", [*zip(numbers)])


class BrokerEndpoint:
    """Messages are in a database, so that every process can seed and read them."""

    def __init__(self, directory):
        self._file = directory / "broker.db"
        self._broker = None
        self._port = 0

    def start(self):
        with closing(self._connect()) as database, database:
            database.execute(
                "CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY, body, at, acked)"
            )
        self._serve()
        return {
            "push.host": "127.0.0.1",
            "push.port": str(self._port),
            "push.client": "plugwright-1",
            "push.token": TOKEN,
        }

    def stop(self):
        self._close()
        self._file.unlink(missing_ok=True)

    def seed(self, values):
        now = int(time.time() * 1000)
        with closing(self._connect()) as database, database:
            database.executemany(
                "INSERT INTO messages (body, at, acked) VALUES (?, ?, 0)",
                [(value, now) for value in values],
            )

    def read_back(self):
        return [body for body, _ in self._all()]

    def read_timestamps(self):
        return [at for _, at in self._all()]

    def refuse(self):
        self._close()
        return (f"127.0.0.1:{self._port}",)

    def recover(self):
        self._serve()
        return ()

    def deny(self):
        self._broker.denies = True
        self._broker.take_over()
        return ()

    def _all(self):
        with closing(self._connect()) as database:
            return database.execute("SELECT body, at FROM messages ORDER BY id").fetchall()

    def _connect(self):
        return sqlite3.connect(self._file, timeout=60)

    def _serve(self):
        self._broker = Broker(("127.0.0.1", self._port), self._file)
        self._port = self._broker.server_address[1]
        threading.Thread(target=self._broker.serve_forever, args=(0.02,), daemon=True).start()

    def _close(self):
        if self._broker is not None:
            self._broker.shutdown()
            self._broker.server_close()
            self._broker.take_over()
            self._broker = None
