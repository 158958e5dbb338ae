"""A search service with the bulk requests that are needed here, and versions of documents."""

from __future__ import annotations

import json
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

API_KEY = "cmFjazpyYWNr"
PREFIX = "kafka-"
LONGEST_ID = 512


class Rack:
    """The documents by index and id, in the order in which they were first indexed."""

    def __init__(self):
        self.lock = threading.Lock()
        self.documents = {}
        self.state = "open"
        self.picky = False

    def bulk(self, text):
        """The outcomes of the operations of a request."""
        lines = iter(text.splitlines())
        operations = []
        for line in lines:
            ((name, about),) = json.loads(line).items()
            operations.append((name, about, json.loads(next(lines)) if name == "index" else None))
        with self.lock:
            picky = self.picky and len(operations) > 1
            if picky:
                self.picky = False
            return [
                {name: self._busy() if picky and number % 2 else self._apply(name, about, document)}
                for number, (name, about, document) in enumerate(operations)
            ]

    def _busy(self):
        error = {"type": "es_rejected_execution_exception", "reason": "rejected execution"}
        return {"status": 429, "error": error}

    def _apply(self, name, about, document):
        if self.state == "denied":
            error = {"type": "cluster_block_exception", "reason": "index is read-only"}
            return {"status": 403, "error": error}
        place = about["_index"], about["_id"]
        if len(place[1].encode("utf-8")) > LONGEST_ID:
            error = {"type": "illegal_argument_exception", "reason": "id is too long"}
            return {"status": 400, "error": error}
        _, known = self.documents.get(place, (None, 0))
        version = about.get("version", known + 1)
        if "version" in about and version < known:
            error = {"type": "version_conflict_engine_exception", "reason": "there is a newer one"}
            return {"status": 409, "error": error}
        if name == "delete":
            return {"status": 200 if self.documents.pop(place, None) else 404}
        self.documents[place] = document, version
        return {"status": 200 if known else 201}


def _handler(rack):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            with rack.lock:
                found = [
                    [index, document] for (index, _), (document, _) in rack.documents.items()
                ]
            self._answer(200, found)

        def do_POST(self):
            length = int(self.headers["Content-Length"])
            body = self.rfile.read(length)
            path = urlsplit(self.path).path
            if len(body) < length:  # the client has gone
                self.close_connection = True
            elif path == "/control":
                self._control(json.loads(body))
            elif rack.state == "refused":
                self._answer(503, {"error": "closed for now"})
            elif self.headers["Authorization"] != f"ApiKey {API_KEY}":
                self._answer(401, {"error": "who are you"})
            elif path != "/_bulk":
                self._answer(404, {"error": "not here"})
            else:
                items = rack.bulk(body.decode("utf-8"))
                errors = any("error" in each for item in items for each in item.values())
                self._answer(200, {"took": 1, "errors": errors, "items": items})

        def _control(self, order):
            rack.state = order.get("state", rack.state)
            rack.picky = order.get("picky", rack.picky)
            with rack.lock:
                for value in order.get("values", ()):
                    place = f"{PREFIX}seeds", f"seed {len(rack.documents)}"
                    rack.documents[place] = {"value": value, "at": None}, 1
            self._answer(200, {})

        def _answer(self, status, content):
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    return Handler


class RackEndpoint:
    """The service, served by the process that starts it; others reach it by its address."""

    def __init__(self, directory):
        self._directory = directory
        self._server = None
        self._url = None

    def __getstate__(self):
        return {**self.__dict__, "_server": None}

    def start(self):
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(Rack()))
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self._url = f"http://127.0.0.1:{self._server.server_port}"
        return {"rack.url": self._url, "rack.api.key": API_KEY, "index.prefix": PREFIX}

    def attach(self, settings):
        self._url = settings["rack.url"]

    def stop(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def seed(self, values):
        self._control({"values": list(values)})

    def read_back(self):
        return [document["value"] for _, document in self._found()]

    def read_timestamps(self):
        return [document["at"] for _, document in self._found()]

    def read_topics(self):
        return [index.removeprefix(PREFIX) for index, _ in self._found()]

    def refuse(self):
        self._control({"state": "refused"})
        return ("503",)

    def recover(self):
        self._control({"state": "open"})
        return ()

    def deny(self):
        self._control({"state": "denied"})
        return ()

    def reject_some(self):
        self._control({"picky": True})
        return ()

    def _found(self):
        with urllib.request.urlopen(f"{self._url}/all", timeout=10) as answer:
            return json.loads(answer.read())

    def _control(self, content):
        body = json.dumps(content).encode()
        with urllib.request.urlopen(f"{self._url}/control", data=body, timeout=10) as answer:
            answer.read()
