"""A web service with the events of two projects, of which some may not be seen.

Access tokens are good for a few requests only, and now and then the service asks for a pause.
"""

from __future__ import annotations

import base64
import datetime as dt
import json
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

CLIENT, SECRET = "reader", "s3cr3t-of-reader"
PROJECTS = ("alpha", "beta mill")
BEGIN = dt.datetime(2026, 5, 4, 12, 0, 0, tzinfo=dt.timezone(dt.timedelta(hours=2)))
REQUESTS_A_TOKEN = 7
REQUESTS_A_PAUSE = 16


class News:
    """The events of all projects, numbered together, and the tokens that are good."""

    def __init__(self):
        self.lock = threading.Lock()
        self.events = []
        self.tokens = {}
        self.requests = 0
        self.issued = 0
        self.state = "open"

    def add(self, contents):
        with self.lock:
            for content in contents:
                number = sum(event["visible"] for event in self.events)
                project = PROJECTS[number % 2]
                self._append(project, True, content)
                if number % 6 == 4:
                    for _ in range(6):
                        self._append(project, False, {"title": "hidden"})

    def _append(self, project, visible, content):
        number = len(self.events) + 1
        at = BEGIN + dt.timedelta(milliseconds=number * 700)
        self.events.append(
            {"project": project, "visible": visible, "id": number,
             "created_at": at.isoformat(timespec="milliseconds"), **content}
        )

    def page(self, project, after, limit):
        with self.lock:
            window = [
                event
                for event in self.events
                if event["project"] == project and event["id"] > after
            ]
        more = len(window) > limit
        window = window[:limit]
        events = [
            {name: each for name, each in event.items() if name not in {"project", "visible"}}
            for event in window
            if event["visible"]
        ]
        return events, window[-1]["id"] if more else None

    def token(self):
        with self.lock:
            self.issued += 1
            token = f"token-{self.issued}"
            self.tokens[token] = REQUESTS_A_TOKEN
            return token

    def spend(self, header):
        """What a request with this header is answered, if not what it asks for."""
        with self.lock:
            token = (header or "").removeprefix("Bearer ")
            if self.tokens.get(token, 0) <= 0:
                return 401
            self.tokens[token] -= 1
            self.requests += 1
            return 403 if self.requests % REQUESTS_A_PAUSE == 0 else None


def _handler(news):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            url = urlsplit(self.path)
            if url.path == "/all":
                return self._answer(200, news.events)
            if news.state != "open":
                return self._away()
            status = news.spend(self.headers["Authorization"])
            if status == 403:
                pause = {"X-RateLimit-Remaining": "0", "Retry-After": "0"}
                return self._answer(403, {"error": "rate limit exceeded"}, pause)
            if status is not None:
                return self._answer(status, {"error": "the token has expired"})
            _, _, project, _ = url.path.split("/")
            query = {name: int(texts[0]) for name, texts in parse_qs(url.query).items()}
            events, last = news.page(unquote(project), query["after"], query["limit"])
            more = {}
            if last is not None:
                following = f"{url.path}?after={last}&limit={query['limit']}"
                more = {"Link": f'<{url.path}?after=0>; rel="first", <{following}>; rel="next"'}
            return self._answer(200, events, more)

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path == "/control":
                order = json.loads(body)
                news.state = order.get("state", news.state)
                news.add(order.get("contents", ()))
                return self._answer(200, {})
            if news.state != "open":
                return self._away()
            login = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
            if self.headers["Authorization"] != f"Basic {login}":
                return self._answer(401, {"error": "invalid_client"})
            return self._answer(200, {"access_token": news.token(), "expires_in": 3600})

        def _away(self):
            if news.state == "refused":
                return self._answer(503, {"error": "closed for now"})
            return self._answer(403, {"error": "not for you"})

        def _answer(self, status, content, headers=()):
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            for name, text in dict(headers).items():
                self.send_header(name, text)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    return Handler


class NewsEndpoint:
    """The service, served by the process that starts it; others reach it by its address."""

    def __init__(self, directory):
        self._directory = directory
        self._server = None
        self._url = None

    def __getstate__(self):
        return {**self.__dict__, "_server": None}

    def start(self):
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(News()))
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self._url = f"http://127.0.0.1:{self._server.server_port}"
        return {
            "api.url": self._url,
            "api.projects": ",".join(PROJECTS),
            "client.id": CLIENT,
            "client.secret": SECRET,
        }

    def attach(self, settings):
        self._url = settings["api.url"]

    def stop(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def seed(self, values):
        self._post({"contents": list(values)})

    def seed_foreign(self):
        wrong = {"title": 12, "votes": 1, "rating": 1.5, "pinned": True, "author": None}
        self._post({"contents": [wrong]})
        return ("title",)

    def seed_corrupt(self):
        self._post({"contents": [{"title": "half", "votes": "one"}]})
        events = self._all()
        project = next(event for event in events if event["title"] == "half")["project"]
        seen = [
            event["id"]
            for event in events
            if event["project"] == project and event["visible"] and event["title"] != "half"
        ]
        return (project, f"behind {max(seen, default=0)}")

    def read_back(self):
        names = ("title", "votes", "rating", "pinned")
        return [
            {**{name: event[name] for name in names}, "author": event.get("author")}
            for event in self._good()
        ]

    def read_keys(self):
        return [event["id"] for event in self._good()]

    def read_timestamps(self):
        begin = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
        return [
            (dt.datetime.fromisoformat(event["created_at"]) - begin) // dt.timedelta(milliseconds=1)
            for event in self._good()
        ]

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
        return [
            event
            for event in self._all()
            if event["visible"] and "rating" in event and isinstance(event["title"], str)
        ]

    def _all(self):
        with urllib.request.urlopen(f"{self._url}/all", timeout=10) as answer:
            return json.loads(answer.read())

    def _post(self, content):
        body = json.dumps(content).encode()
        with urllib.request.urlopen(f"{self._url}/control", data=body, timeout=10) as answer:
            answer.read()
