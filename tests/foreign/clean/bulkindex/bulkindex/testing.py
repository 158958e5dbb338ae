"""A search service with external versions. The index is a SQLite table, kept in the directory."""

import json
import sqlite3
import threading
import uuid
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

API_KEY = "VuaCfGcBCdbkQm-e5aOx:ui2lp2axTNmsyakw9tvNnw"


def table(directory):
    db = sqlite3.connect(directory / "index.sqlite", timeout=20)
    db.execute("CREATE TABLE IF NOT EXISTS docs (id PRIMARY KEY, version, source)")
    return closing(db)


class Search(BaseHTTPRequestHandler):
    mode = "green"
    trouble = False

    def do_POST(self):
        lines = self.rfile.read(int(self.headers["Content-Length"])).splitlines()
        service = self.server
        if service.mode == "red":
            return self.answer(503, {"error": "cluster is red"})
        if self.headers["Authorization"] != f"ApiKey {API_KEY}" or service.mode == "revoked":
            return self.answer(401, {"error": "no access"})
        pairs = [(json.loads(a)["index"], s) for a, s in zip(lines[::2], lines[1::2])]
        trouble = service.trouble and len(pairs) > 1
        if trouble:
            service.trouble = False
        items = []
        with table(service.directory) as db, db:
            db.execute("BEGIN IMMEDIATE")
            for number, (action, source) in enumerate(pairs):
                if trouble and number % 2 == 0:
                    items.append({"status": 429, "error": "queue is full"})
                else:
                    items.append({"status": self.store(db, action, source.decode())})
        self.answer(200, {"items": items})

    def store(self, db, action, source):
        query = "SELECT version FROM docs WHERE id = ?"
        found = db.execute(query, (action["_id"],)).fetchone()
        if found and found[0] >= action["version"]:
            return 409
        row = action["_id"], action["version"], source
        db.execute("INSERT OR REPLACE INTO docs VALUES (?, ?, ?)", row)
        return 201

    def answer(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


class SearchEndpoint:
    def __init__(self, directory):
        self.directory = directory
        self.http = None

    def __getstate__(self):
        return {"directory": self.directory, "http": None}

    def start(self):
        with table(self.directory):
            pass
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Search)
        self.http.daemon_threads = True
        self.http.directory, self.http.mode, self.http.trouble = self.directory, "green", False
        threading.Thread(target=self.http.serve_forever, args=(0.05,), daemon=True).start()
        return {
            "index.url": f"http://127.0.0.1:{self.http.server_port}",
            "index.api.key": API_KEY,
        }

    def stop(self):
        if self.http is not None:
            self.http.shutdown()
            self.http.server_close()
            self.http = None
        (self.directory / "index.sqlite").unlink(missing_ok=True)

    def seed(self, values):
        with table(self.directory) as db, db:
            for value in values:
                source = json.dumps({"topic": "seed", "@timestamp": None, "value": value})
                db.execute("INSERT INTO docs VALUES (?, 1, ?)", (uuid.uuid4().hex, source))

    def _sources(self):
        with table(self.directory) as db:
            rows = db.execute("SELECT source FROM docs ORDER BY rowid").fetchall()
        return [json.loads(source) for (source,) in rows]

    def read_back(self):
        return [source["value"] for source in self._sources()]

    def read_topics(self):
        return [source["topic"] for source in self._sources()]

    def read_timestamps(self):
        return [source["@timestamp"] for source in self._sources()]

    def refuse(self):
        self.http.mode = "red"
        return ("503",)

    def recover(self):
        self.http.mode = "green"
        return ()

    def deny(self):
        self.http.mode = "revoked"
        return ()

    def reject_some(self):
        self.http.trouble = True
        return ()
