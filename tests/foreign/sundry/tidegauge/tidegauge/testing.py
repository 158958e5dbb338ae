"""The service on a free port: a point with the tags and the time of another replaces it."""

from __future__ import annotations

import gzip
import json
import re
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN = "low-water-7741"
LINE = re.compile(r'(?P<series>(?:\\.|[^\\ ])+) value="(?P<text>(?:\\.|[^\\"])*)" (?P<time>-?\d+)')
NAMED = {"n": "\n", "r": "\r"}


def _plain(text):
    return re.sub(r"\\(.)", lambda found: NAMED.get(found[1], found[1]), text, flags=re.DOTALL)


class _Service(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        with self.server.lock:
            self._answer(200, list(self.server.points.values()))

    def do_POST(self):
        body = gzip.decompress(self.rfile.read(int(self.headers["Content-Length"])))
        if self.server.closed:
            self._answer(403, "the gauge is dry")
        elif self.headers["Authorization"] != f"Token {TOKEN}":
            self._answer(401, "wrong token")
        else:
            lines = body.decode().split("\n")
            with self.server.lock:
                reasons = [self._take(line) for line in lines]
            self._answer(200, [[at, reason] for at, reason in enumerate(reasons) if reason])

    def _take(self, line):
        self.server.count += 1
        if self.server.count % 13 == 0:
            return "busy"
        found = LINE.fullmatch(line)
        if found is None:
            return f"unable to parse {line[:60]!r}"
        undated = "dated=no" in found["series"]
        at = None if undated else int(found["time"]) // 1_000_000
        point = {"text": _plain(found["text"]), "time": at}
        self.server.points[found["series"] + " " + found["time"]] = point
        return None

    def _answer(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class TideGaugeEndpoint:
    """The service, reached without the connector."""

    def __init__(self, directory):
        self._seeds = 0

    def start(self):
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Service)
        self._server.daemon_threads = True
        self._server.points, self._server.count = {}, 0
        self._server.closed, self._server.lock = False, threading.Lock()
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self._url = f"http://127.0.0.1:{self._server.server_port}"
        return {"service.url": self._url, "service.token": TOKEN}

    def attach(self, settings):
        self._url = settings["service.url"]

    def stop(self):
        self._server.shutdown()
        self._server.server_close()

    def seed(self, values):
        for value in values:
            self._seeds += 1
            text = value.replace("\\", r"\\").replace('"', r"\"")
            text = text.replace("\n", r"\n").replace("\r", r"\r")
            line = f'seed,dated=no,place={id(self)}/{self._seeds} value="{text}" 0'
            while self._written(line) == "busy":
                pass

    def _written(self, line):
        request = urllib.request.Request(
            f"{self._url}/write",
            data=gzip.compress(line.encode()),
            headers={"Authorization": f"Token {TOKEN}"},
        )
        with urllib.request.urlopen(request) as answer:
            return dict(json.loads(answer.read())).get(0)

    def _points(self):
        with urllib.request.urlopen(f"{self._url}/points") as answer:
            return json.loads(answer.read())

    def read_back(self):
        return [point["text"] for point in self._points()]

    def read_timestamps(self):
        return [point["time"] for point in self._points()]

    def refuse(self):
        self._server.closed = True
        return ("403", "the gauge is dry")

    def recover(self):
        self._server.closed = False
        return ()
