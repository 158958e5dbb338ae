"""Requests of a task by HTTP are numbered, and one is answered in place of the service."""

from __future__ import annotations

import http.client
import socket
import threading
import urllib.error
import urllib.request
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from plugwright_conformance.simulator.http_requests import BusyAnswer, HttpRequests

pytest.importorskip("urllib3")
import urllib3


class Counting(BaseHTTPRequestHandler):
    """Answers with the number of requests so far, over one connection."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        """Read and count."""
        self.server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        body = str(len(self.server.bodies)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Write nothing."""


@pytest.fixture
def service():
    """A service that counts."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Counting) as server:
        server.bodies, server.daemon_threads = [], True
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()


def over(connection, body):
    """The status and the time to wait, over a connection that is opened again as it is needed."""
    connection.request("POST", "/", body)
    with connection.getresponse() as answer:
        answer.read()
    return answer.status, answer.getheader("Retry-After")


def by_http_client(port, body):
    """The same over a new connection."""
    with closing(http.client.HTTPConnection("127.0.0.1", port)) as connection:
        return over(connection, body)


def by_urllib(port, body):
    """The same by ``urllib``."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"http://127.0.0.1:{port}/", body) as answer:
            return answer.status, answer.headers["Retry-After"]
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers["Retry-After"]


def by_urllib3(port, body):
    """The same by urllib3, which requests builds on."""
    with urllib3.PoolManager(retries=False) as pool:
        answer = pool.request("POST", f"http://127.0.0.1:{port}/", body=body)
        return answer.status, answer.headers.get("Retry-After")


def watched(busy):
    """Requests that are watched."""
    return HttpRequests(busy, lambda: "put")


@pytest.mark.parametrize("ask", [by_http_client, by_urllib, by_urllib3])
@pytest.mark.parametrize("status", [503, 429])
def test_one_request_is_answered_and_the_service_does_not_hear_of_it(service, ask, status):
    """A request of a megabyte, too, which no buffer takes."""
    requests = watched(BusyAnswer(1, status))
    bodies = [b"a", b"b" * 1_000_000, b"c"]

    with requests.watched():
        answers = [ask(service.server_port, body) for body in bodies]

    assert answers == [(200, None), (status, "1"), (200, None)]
    assert service.bodies == [b"a", b"c"]
    assert [(each.method, each.phase) for each in requests.made] == [("POST", "put")] * 3


def test_connection_that_was_answered_is_opened_again(service):
    """As after a service that closes it."""
    made = http.client.HTTPConnection("127.0.0.1", service.server_port)
    with watched(BusyAnswer(1)).watched(), closing(made) as connection:
        answers = [over(connection, b"x")[0] for _ in range(3)]

    assert answers == [200, 503, 200]


def test_client_is_as_before_afterwards(service):
    """And without a number nothing is answered."""
    requests = watched(BusyAnswer())
    with requests.watched():
        first = by_http_client(service.server_port, b"x")

    assert (first, by_http_client(service.server_port, b"x")) == ((200, None), (200, None))
    assert len(requests.made) == 1


@pytest.mark.parametrize(
    ("given", "limit_s"), [({}, None), ({"timeout": None}, None), ({"timeout": 7}, 7.0)]
)
def test_time_limit_of_a_request_is_that_of_its_connection(service, given, limit_s):
    """Whether it is open or not; without one the client waits for ever."""
    requests = watched(BusyAnswer())
    made = http.client.HTTPConnection("127.0.0.1", service.server_port, **given)
    with requests.watched(), closing(made) as connection:
        over(connection, b"x")
        over(connection, b"x")

    assert [each.limit_s for each in requests.made] == [limit_s] * 2


def test_time_limit_of_the_process_counts_where_a_connection_has_none(service, monkeypatch):
    """``socket.setdefaulttimeout``."""
    monkeypatch.setattr(socket, "getdefaulttimeout", lambda: 3.0)
    requests = watched(BusyAnswer())
    with requests.watched():
        by_http_client(service.server_port, b"x")

    assert [each.limit_s for each in requests.made] == [3.0]
