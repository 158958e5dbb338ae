"""The index on a free port: it puts each thirteenth document off, and refuses all but texts."""

from __future__ import annotations

import json
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class _Service(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        with self.server.lock:
            self._answer(200, list(self.server.documents.values()))

    def do_POST(self):
        documents = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.server.closed:
            return self._answer(403, "index_closed_exception")
        with self.server.lock:
            self._answer(200, {"items": [self._take(document) for document in documents]})

    def _take(self, document):
        self.server.count += 1
        if self.server.count % 13 == 0:
            return {"status": 429, "error": "es_rejected_execution_exception"}
        if not isinstance(document["text"], str):
            kind = type(document["text"]).__name__
            return {"status": 400, "error": f"mapper_parsing_exception: text, found {kind}"}
        name = document.get("id") or f"auto-{self.server.count}"
        self.server.documents[name] = document
        return {"status": 201}

    def _answer(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class IndexEndpoint:
    """The index, reached without the connector."""

    def __init__(self, directory):
        self._seeds = 0

    def start(self):
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Service)
        self._server.daemon_threads = True
        self._server.documents, self._server.count = {}, 0
        self._server.closed, self._server.lock = False, threading.Lock()
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self._url = f"http://127.0.0.1:{self._server.server_port}"
        return {"index.url": self._url}

    def attach(self, settings):
        self._url = settings["index.url"]

    def stop(self):
        self._server.shutdown()
        self._server.server_close()

    def seed(self, values):
        for value in values:
            self._seeds += 1
            document = {"id": f"seed-{id(self)}-{self._seeds}", "text": value, "at": None}
            while self._post([document])[0]["status"] == 429:
                pass

    def _post(self, documents):
        body = json.dumps(documents).encode()
        with urllib.request.urlopen(f"{self._url}/_bulk", data=body) as answer:
            return json.loads(answer.read())["items"]

    def _documents(self):
        with urllib.request.urlopen(f"{self._url}/_search") as answer:
            return json.loads(answer.read())

    def read_back(self):
        return [document["text"] for document in self._documents()]

    def read_timestamps(self):
        return [document["at"] for document in self._documents()]

    def read_topics(self):
        return [document["index"] for document in self._documents()]

    def refuse(self):
        self._server.closed = True
        return ("403", "index_closed_exception")

    def recover(self):
        self._server.closed = False
        return ()
