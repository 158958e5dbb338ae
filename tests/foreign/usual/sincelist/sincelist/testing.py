"""A service with one list of contacts, several of which are always changed at the same time."""

from __future__ import annotations

import json
import threading
import urllib.request
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

TOKEN = "open-sesame"
BEGIN = 1_700_000_000_000


class Contacts:
    """What the service has, and whether it answers."""

    def __init__(self):
        self.lock = threading.Lock()
        self.items = []
        self.state = "open"

    def add(self, contents, at_once):
        with self.lock:
            for content in contents:
                number = len(self.items) + 1
                time = BEGIN + number // 3 * 1000
                if self.items:
                    time = max(time, self.items[-1]["updated"])
                if at_once and content is not contents[0]:
                    time = self.items[-1]["updated"]
                self.items.append({"id": number, "updated": time, **content})

    def page(self, since, after, limit):
        with self.lock:
            found = [
                item for item in self.items if (item["updated"], item["id"]) > (since, after)
            ]
        return found[:limit]


def _handler(contacts):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            url = urlsplit(self.path)
            if url.path == "/all":
                return self._answer(200, contacts.items)
            if contacts.state == "refused":
                return self._answer(503, {"error": "closed for now"})
            if contacts.state == "denied":
                return self._answer(403, {"error": "not for you"})
            if self.headers["Authorization"] != f"Bearer {TOKEN}":
                return self._answer(401, {"error": "who are you"})
            query = {name: int(texts[0]) for name, texts in parse_qs(url.query).items()}
            found = contacts.page(query.get("since", -1), query.get("after", -1), query["limit"])
            return self._answer(200, {"items": found})

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if "state" in body:
                contacts.state = body["state"]
            else:
                contacts.add(body["contents"], body["at_once"])
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


class ContactsEndpoint:
    """The service, served by the process that starts it; others reach it by its address."""

    def __init__(self, directory):
        self._directory = directory
        self._server = None
        self._url = None

    def __getstate__(self):
        return {**self.__dict__, "_server": None}

    def start(self):
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(Contacts()))
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self._url = f"http://127.0.0.1:{self._server.server_port}"
        return {"api.url": self._url, "api.list": "contacts", "api.token": TOKEN}

    def attach(self, settings):
        self._url = settings["api.url"]

    def stop(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def seed(self, values):
        self._post({"contents": [_item(value) for value in values], "at_once": False})

    def seed_at_once(self, values):
        self._post({"contents": [_item(value) for value in values], "at_once": True})
        return ()

    def seed_foreign(self):
        wrong = {"name": 12, "balance": "1.00", "orders": 1, "active": True, "note": None}
        self._post({"contents": [wrong], "at_once": False})
        return ("contacts", "name")

    def seed_corrupt(self):
        half = {"name": "half", "balance": "1.x"}
        self._post({"contents": [half], "at_once": False})
        return ("contacts", f"item {len(self._all())}")

    def read_back(self):
        return [
            {
                "name": item["name"],
                "balance": Decimal(item["balance"]),
                "orders": item["orders"],
                "active": item["active"],
                "note": item["note"],
            }
            for item in self._good()
        ]

    def read_timestamps(self):
        return [item["updated"] for item in self._good()]

    def read_keys(self):
        return [item["id"] for item in self._good()]

    def refuse(self):
        self._post({"state": "refused"})
        return ("503",)

    def recover(self):
        self._post({"state": "open"})
        return ()

    def deny(self):
        self._post({"state": "denied"})
        return ()

    def _good(self):
        return [item for item in self._all() if "note" in item and isinstance(item["name"], str)]

    def _all(self):
        with urllib.request.urlopen(f"{self._url}/all", timeout=10) as answer:
            return json.loads(answer.read())

    def _post(self, content):
        body = json.dumps(content).encode()
        with urllib.request.urlopen(self._url, data=body, timeout=10) as answer:
            answer.read()


def _item(value):
    return {**value, "balance": format(value["balance"], "f"), "note": value.get("note")}
