"""A database of time series on this machine. Its points are in SQLite."""

from __future__ import annotations

import json
import socketserver
import sqlite3
import threading
import time
import uuid
from contextlib import closing

TOKEN = "series-token-4d6e02"
FIELDS = {"celsius": float, "count": int, "healthy": bool, "note": str}


def _connect(directory):
    return sqlite3.connect(directory / "series.db", timeout=30, isolation_level=None)


def _split(text, separator, quotes=False):
    """Split at a character that is not escaped, nor within quotes where these count."""
    parts, part, quoted, position = [], "", False, 0
    while position < len(text):
        character = text[position]
        if character == "\\":
            part += text[position : position + 2]
            position += 2
            continue
        if quotes and character == '"':
            quoted = not quoted
        if character == separator and not quoted:
            parts.append(part)
            part = ""
        else:
            part += character
        position += 1
    if quoted:
        raise ValueError("a quote is not closed")
    return [*parts, part]


def _unescaped(text):
    result, rest = "", iter(text)
    for character in rest:
        following = next(rest, "\\") if character == "\\" else character
        result += "\n" if character == "\\" and following == "n" else following
    return result


def _value(text):
    if text in {"true", "false"}:
        return text == "true"
    if text.startswith('"') and text.endswith('"') and len(text) > 1:
        return _unescaped(text[1:-1])
    return int(text[:-1]) if text.endswith("i") else float(text)


def _pairs(parts, quotes=False):
    pairs = {}
    for part in parts:
        name, value = _split(part, "=", quotes)
        if not name or not value:
            raise ValueError("a name or a value is missing")
        pairs[_unescaped(name)] = value
    return pairs


def _parse(line):
    head = _split(line, " ")[0]
    fields, moment = _split(line[len(head) + 1 :], " ", quotes=True)
    measurement, *tags = _split(head, ",")
    tags = {name: _unescaped(value) for name, value in _pairs(tags).items()}
    values = {name: _value(text) for name, text in _pairs(_split(fields, ",", True), True).items()}
    for name, value in values.items():
        if type(value) is not FIELDS.get(name):
            raise ValueError(f"field type conflict: {name} is {type(value).__name__}")
    return _unescaped(measurement), json.dumps(tags, sort_keys=True), int(moment), values


def _store(directory, points):
    with closing(_connect(directory)) as database:
        database.execute("BEGIN IMMEDIATE")
        for measurement, tags, moment, values in points:
            database.execute(
                "INSERT INTO points VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE"
                " SET fields = excluded.fields",
                (measurement, tags, moment, json.dumps(values)),
            )
        database.execute("COMMIT")


class _Handler(socketserver.StreamRequestHandler):
    def handle(self):
        directory = self.server.directory
        allowed = self.rfile.readline().decode().rstrip("\n") == f"auth {TOKEN}"
        while True:
            lines = []
            while (line := self.rfile.readline()) not in {b"", b"\n"}:
                lines.append(line.decode().removesuffix("\n"))
            if not line:
                return
            if (directory / "cut").exists():
                return
            self.wfile.write(f"{self._answer(directory, lines, allowed)}\n".encode())

    def _answer(self, directory, lines, allowed):
        if not allowed or (directory / "denied").exists():
            return "denied"
        points = []
        for number, line in enumerate(lines):
            try:
                points.append(_parse(line))
            except ValueError as error:
                return f"bad {number} {error}".replace("\n", " ")
        _store(directory, points)
        return f"ok {len(points)}"


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False


class SeriesEndpoint:
    def __init__(self, directory):
        self._directory = directory
        self._server = None

    def __getstate__(self):
        return {**self.__dict__, "_server": None}

    def start(self):
        with closing(_connect(self._directory)) as database:
            database.execute(
                "CREATE TABLE IF NOT EXISTS points (measurement TEXT, tags TEXT, moment INTEGER,"
                " fields TEXT, PRIMARY KEY (measurement, tags, moment))"
            )
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.directory = self._directory
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return {
            "point.host": "127.0.0.1",
            "point.port": str(self._server.server_address[1]),
            "point.token": TOKEN,
        }

    def stop(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
        for name in ("series.db", "cut", "denied"):
            (self._directory / name).unlink(missing_ok=True)

    def seed(self, values):
        points = []
        for value in values:
            tags = {"device": value["device"], "seed": uuid.uuid4().hex}
            fields = {name: value[name] for name in FIELDS if value[name] is not None}
            moment = time.time_ns() // 1_000_000 * 1_000_000
            points.append(("seed", json.dumps(tags, sort_keys=True), moment, fields))
        _store(self._directory, points)

    def read_back(self):
        values = []
        for _, tags, _, fields in self._points():
            found = json.loads(fields)
            value = {"device": json.loads(tags).get("device", "")}
            values.append({**value, **{name: found.get(name) for name in FIELDS}})
        return values

    def read_timestamps(self):
        return [moment // 1_000_000 for _, _, moment, _ in self._points()]

    def read_topics(self):
        return [measurement for measurement, _, _, _ in self._points()]

    def refuse(self):
        """Cut every connection at its next batch, as a database does that is restarted."""
        (self._directory / "cut").touch()
        return ("closed",)

    def recover(self):
        (self._directory / "cut").unlink()
        return ()

    def deny(self):
        (self._directory / "denied").touch()
        return ()

    def _points(self):
        with closing(_connect(self._directory)) as database:
            return database.execute("SELECT * FROM points ORDER BY rowid").fetchall()
