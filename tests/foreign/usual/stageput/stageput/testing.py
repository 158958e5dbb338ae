"""An object store with one bucket, which lists names in short pages."""

from __future__ import annotations

import gzip
import json
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, quote, unquote, urlsplit

TOKEN = "bucket-token"
PAGE = 3


class Bucket:
    """The objects, and whether the store answers."""

    def __init__(self):
        self.lock = threading.Lock()
        self.objects = {}
        self.state = "open"


def _handler(bucket):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            if self._is_refused():
                return
            url = urlsplit(self.path)
            if url.path == "/bucket":
                query = parse_qs(url.query, keep_blank_values=True)
                prefix, after = query["prefix"][0], query["after"][0]
                with bucket.lock:
                    names = sorted(
                        each for each in bucket.objects if each.startswith(prefix) and each > after
                    )
                page = {"names": names[:PAGE], "more": len(names) > PAGE}
                self._answer(200, json.dumps(page).encode())
            elif (data := bucket.objects.get(self._name())) is not None:
                self._answer(200, data)
            else:
                self._answer(404, b"")

        def do_PUT(self):
            length = int(self.headers["Content-Length"])
            data = self.rfile.read(length)
            if len(data) < length:  # the client has gone: there is no such object
                self.close_connection = True
                return
            if self._is_refused():
                return
            with bucket.lock:
                taken = self._name() in bucket.objects
                if taken and self.headers["If-None-Match"] == "*":
                    status = 412
                else:
                    bucket.objects[self._name()] = data
                    status = 201
            self._answer(status, b"")

        def do_POST(self):
            bucket.state = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self._answer(200, b"")

        def _name(self):
            return unquote(urlsplit(self.path).path).removeprefix("/bucket/")

        def _is_refused(self):
            if self.headers["X-Observer"] is not None:
                return False
            if bucket.state != "open":
                self._answer(503 if bucket.state == "refused" else 403, b"")
                return True
            if self.headers["Authorization"] != f"Bearer {TOKEN}":
                self._answer(401, b"")
                return True
            return False

        def _answer(self, status, body):
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    return Handler


class StoreEndpoint:
    """The store, served by the process that starts it; others reach it by its address."""

    def __init__(self, directory):
        self._directory = directory
        self._server = None
        self._url = None

    def __getstate__(self):
        return {**self.__dict__, "_server": None}

    def start(self):
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(Bucket()))
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self._url = f"http://127.0.0.1:{self._server.server_port}/bucket"
        return {"store.url": self._url, "store.token": TOKEN}

    def attach(self, settings):
        self._url = settings["store.url"]

    def stop(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def seed(self, values):
        number = len(self._names("commits/seeds/0/"))
        name = f"data/undated/seeds/0/{number:012d}-seeds.jsonl.gz"
        lines = [
            json.dumps({"topic": "seeds", "at": None, "value": value}) + "\n"
            for value in values
        ]
        self._ask("PUT", f"/{name}", gzip.compress("".join(lines).encode()))
        marker = json.dumps({"next": None, "objects": [name]}).encode()
        self._ask("PUT", f"/commits/seeds/0/{number:012d}", marker)

    def read_back(self):
        return [entry["value"] for entry in self._entries()]

    def read_timestamps(self):
        return [entry["at"] for entry in self._entries()]

    def read_topics(self):
        return [entry["topic"] for entry in self._entries()]

    def read_offsets(self):
        found = {}
        for name in self._names("commits/"):
            _, topic, partition, _ = name.split("/")
            found[topic, int(partition)] = json.loads(self._ask("GET", f"/{quote(name)}"))["next"]
        return [(*place, at) for place, at in found.items() if at is not None]

    def refuse(self):
        self._ask("POST", "", b"refused")
        return ("503",)

    def recover(self):
        self._ask("POST", "", b"open")
        return ()

    def deny(self):
        self._ask("POST", "", b"denied")
        return ()

    def _entries(self):
        found = []
        for name in self._names("commits/"):
            for data in json.loads(self._ask("GET", f"/{quote(name)}"))["objects"]:
                text = gzip.decompress(self._ask("GET", f"/{quote(data)}")).decode()
                found += [json.loads(line) for line in text.splitlines()]
        return found

    def _names(self, prefix):
        found, more = [], True
        while more:
            after = quote(found[-1] if found else "", safe="")
            page = json.loads(self._ask("GET", f"?prefix={quote(prefix, safe='')}&after={after}"))
            found, more = found + page["names"], page["more"]
        return found

    def _ask(self, method, where, data=None):
        request = urllib.request.Request(
            f"{self._url}{where}", data=data, method=method, headers={"X-Observer": "yes"}
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.read()
