"""Endpoint drivers that serve connectors over HTTP answer at once."""

from __future__ import annotations

import http.client
import random
import socket
import socketserver
import threading
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import SimpleNamespace

import pytest

from plugwright_conformance.subject import endpoint
from plugwright_conformance.subject.endpoint import open_endpoint


class Handler(BaseHTTPRequestHandler):
    """Says whether its connection sends small parts at once."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        """Answer in two parts, as handlers do."""
        body = str(self.connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Say nothing."""


class Driver:
    """A driver with a server of the standard library."""

    def __init__(self, directory):
        self.directory = directory

    def start(self):
        """Begin to serve."""
        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()
        return {"port": str(self.server.server_port)}

    def stop(self):
        """End."""
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def test_second_part_of_an_answer_does_not_wait_for_the_first(tmp_path, monkeypatch):
    """A request over a connection that is kept would take 40 ms, and a sweep an hour."""
    monkeypatch.setattr(endpoint, "load_driver", lambda _: Driver)
    subject = SimpleNamespace(declaration=SimpleNamespace(visible_after_s=0.0))

    with open_endpoint(subject, tmp_path) as opened:
        connection = http.client.HTTPConnection("127.0.0.1", int(opened.settings["port"]))
        connection.request("GET", "/")
        answer = connection.getresponse().read()
        connection.close()

    assert int(answer) != 0


class Dicer:
    """A driver that uses random numbers everywhere."""

    def __init__(self, _):
        self.drawn = [random.getrandbits(64)]

    def start(self):
        """Draw another one."""
        self.drawn.append(random.getrandbits(64))
        return {}

    def stop(self):
        """And another one."""
        random.getrandbits(64)

    def seed(self, _):
        """One more."""
        self.drawn.append(random.getrandbits(64))

    def read_back(self):
        """All of them, and one more."""
        return [*self.drawn, random.getrandbits(64)]


def test_random_numbers_of_a_driver_are_its_own(tmp_path, monkeypatch):
    """They are not taken for the connector's, and no two drivers have the same."""
    monkeypatch.setattr(endpoint, "load_driver", lambda _: Dicer)
    subject = SimpleNamespace(declaration=SimpleNamespace(visible_after_s=0.0))
    before, numbers = random.getstate(), set()

    for _ in range(2):
        with open_endpoint(subject, tmp_path) as opened:
            opened.driver.seed([])
            numbers |= {*opened.driver.read_back()}
        assert random.getstate() == before

    assert len(numbers) == 8


def test_a_server_holds_the_connections_of_a_task_that_tries_again_and_again(tmp_path, monkeypatch):
    """A connection that does not fit into the queue of one comes a second later."""
    monkeypatch.setattr(endpoint, "load_driver", lambda _: Dicer)
    subject = SimpleNamespace(declaration=SimpleNamespace(visible_after_s=0.0))

    with (
        open_endpoint(subject, tmp_path),
        socketserver.TCPServer(("127.0.0.1", 0), Handler) as server,
        ExitStack() as stack,
    ):
        address = server.server_address
        many = [stack.enter_context(socket.create_connection(address, 0.9)) for _ in range(64)]

    assert len(many) == 64


@pytest.mark.parametrize("handler", [Handler, socketserver.StreamRequestHandler])
def test_servers_of_unix_domain_sockets_are_left_alone(tmp_path, monkeypatch, handler):
    """They have no such option; Spark's accumulators have such a server in this process."""
    monkeypatch.setattr(endpoint, "load_driver", lambda _: Driver)
    subject = SimpleNamespace(declaration=SimpleNamespace(visible_after_s=0.0))
    ours, theirs = socket.socketpair()
    server = socketserver.UnixStreamServer(str(tmp_path / "socket"), handler)

    with open_endpoint(subject, tmp_path), ours, server:
        ours.shutdown(socket.SHUT_WR)
        server.process_request(theirs, "")  # raises what the handler raises


class Unwrapping(Dicer):
    """A driver whose records hold what was seeded in some other form."""

    def seeded(self, value):
        """The text of a record."""
        return value["text"]


@pytest.mark.parametrize(("driver", "unwraps"), [(Dicer, False), (Unwrapping, True)])
def test_it_is_known_whether_a_driver_says_what_was_seeded(tmp_path, monkeypatch, driver, unwraps):
    """A live run then reads the records of a source as structures, and not as text."""
    monkeypatch.setattr(endpoint, "load_driver", lambda _: driver)
    subject = SimpleNamespace(declaration=SimpleNamespace(visible_after_s=0.0))

    with open_endpoint(subject, tmp_path) as opened:
        assert opened.driver.unwraps is unwraps
        assert opened.driver.seeded({"text": "a"}) == ("a" if unwraps else {"text": "a"})
