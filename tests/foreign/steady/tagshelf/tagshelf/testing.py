"""A store of documents with entity tags on a free port."""

from __future__ import annotations

import json
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

KNOWN = "plover-0519-mire"


class _Store(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path == "/all":
            with self.server.lock:
                found = [[path, text] for path, (_, text) in self.server.documents.items()]
            self._answer(200, json.dumps(found))
            return
        if self._is_refused():
            return
        with self.server.lock:
            tag, text = self.server.documents.get(self.path, (None, None))
        if tag is None:
            self._answer(404, "no such document")
        else:
            self._answer(200, text, {"ETag": tag})

    def do_PUT(self):
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if self._is_refused() or not self._is_document(text):
            return
        with self.server.lock:
            present, _ = self.server.documents.get(self.path, (None, None))
            wanted, absent = self.headers.get("If-Match"), self.headers.get("If-None-Match")
            if (wanted and wanted != present) or (absent == "*" and present):
                status = 412
            else:
                self.server.number += 1
                self.server.documents[self.path] = (f'"{self.server.number}"', text)
                status = 200 if present else 201
        self._answer(status, "")

    def do_DELETE(self):
        if self._is_refused():
            return
        with self.server.lock:
            present, _ = self.server.documents.get(self.path, (None, None))
            wanted = self.headers.get("If-Match")
            if present is None:
                status = 404
            elif wanted and wanted != present:
                status = 412
            else:
                del self.server.documents[self.path]
                status = 204
        self._answer(status, "")

    def _is_document(self, text):
        try:
            json.loads(text)
        except ValueError:
            self._answer(422, "not a document")
            return False
        return True

    def _is_refused(self):
        if self.server.closed:
            self._answer(503, "the shelf is closed")
        elif self.server.denied or self.headers["Authorization"] != f"Bearer {KNOWN}":
            self._answer(403, "the token is not known")
        elif self.path.count("/") != 3:
            self._answer(404, "no such shelf")
        else:
            return False
        return True

    def _answer(self, status, text, headers=None):
        body = b"" if status == 204 else text.encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if status == 503:
            self.send_header("Retry-After", "1")
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # a client that has gone


class ShelfEndpoint:
    """The store, reached without the connector; seeds are documents of a topic of their own."""

    def __init__(self, directory):
        self._server = None

    def start(self):
        self._server = _Server(("127.0.0.1", 0), _Store)
        self._server.documents, self._server.number = {}, 0
        self._server.lock = threading.Lock()
        self._server.closed = self._server.denied = False
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self._url = f"http://127.0.0.1:{self._server.server_port}/docs"
        return {"shelf.url": self._url, "shelf.token": KNOWN}

    def attach(self, settings):
        self._url = settings["shelf.url"]

    def stop(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    def seed(self, values):
        number = len(self._documents())
        for at, value in enumerate(values, number):
            body = json.dumps({"value": value, "time": None}).encode()
            request = urllib.request.Request(
                f"{self._url}/seeds/{at}",
                body,
                {"Authorization": f"Bearer {KNOWN}"},
                method="PUT",
            )
            with urllib.request.urlopen(request) as answer:
                answer.read()

    def read_back(self):
        return [document["value"] for _, document in self._documents()]

    def read_timestamps(self):
        return [document["time"] for _, document in self._documents()]

    def read_topics(self):
        return [unquote(path.split("/")[2]) for path, _ in self._documents()]

    def refuse(self):
        self._server.closed = True
        return ("503", "the shelf is closed")

    def recover(self):
        self._server.closed = False
        return ()

    def deny(self):
        self._server.denied = True
        return ()

    def _documents(self):
        with urllib.request.urlopen(self._url.removesuffix("/docs") + "/all") as answer:
            return [(path, json.loads(text)) for path, text in json.loads(answer.read())]
