"""Requests that another worker answers."""

from __future__ import annotations

import json
import logging
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
from tests.runtime.rest.fakes import FakeHerder, client_of

from plugwright.control_plane import RequestTargetError


class Recorder(BaseHTTPRequestHandler):
    """Answers with what it was asked."""

    def _answer(self):
        """Whatever the method."""
        size = int(self.headers.get("content-length") or 0)
        reported = {
            "method": self.command,
            "path": self.path,
            "body": self.rfile.read(size).decode(),
            "authorization": self.headers.get("authorization"),
            "cookie": self.headers.get("cookie"),
        }
        self.send_response(302 if "redirect" in self.path else 201)
        self.send_header("content-type", "application/json")
        self.send_header("location", "/connectors/x")
        self.send_header("server-secret", "1")
        self.end_headers()
        self.wfile.write(json.dumps(reported).encode())

    def __getattr__(self, name):
        """One answer for every method."""
        if name.startswith("do_"):
            return self._answer
        raise AttributeError(name)

    def log_message(self, format, *args):  # noqa: A002  # the base's name
        """Say nothing."""


@pytest.fixture(scope="module")
def leader():
    """The URL of another worker, which has a path."""
    server = HTTPServer(("127.0.0.1", 0), Recorder)
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/connect/"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def follower():
    """Makes a client of a worker that names another one."""

    def client(url):
        herder = FakeHerder()
        herder.error = RequestTargetError("not the leader", url)
        return client_of(herder)

    return client


@pytest.mark.parametrize(
    ("target", "query"),
    [
        ("/connectors", "?forward=true"),
        ("/connectors?forward=true", "?forward=false"),
        ("/connectors?x=%20a&x=b&forward=TRUE", "?x=+a&x=b&forward=false"),
    ],
    ids=["first hop", "second hop", "other parameters"],
)
def test_a_request_goes_to_the_worker_that_can_answer(leader, follower, target, query):
    """Two hops at most, marked as in Kafka."""
    answer = follower(leader)("GET", target)

    assert (answer.status, answer.json["path"]) == (201, f"/connect/connectors{query}")


def test_body_and_credentials_go_along(leader, follower):
    """Nothing else does."""
    headers = {"authorization": "Basic eA==", "cookie": "a=b"}

    answer = follower(leader)("PATCH", "/connectors/a%20b/config", b'{"a": 1}', headers)

    assert answer.json == {
        "method": "PATCH",
        "path": "/connect/connectors/a%20b/config?forward=true",
        "body": '{"a": 1}',
        "authorization": "Basic eA==",
        "cookie": None,
    }


def test_the_answer_comes_back_as_it_is(leader, follower):
    """Status, body and the headers of the API, not those of the server."""
    answer = follower(leader)("DELETE", "/connectors/x")

    assert (answer.status, answer.headers["location"]) == (201, "/connectors/x")
    assert "server-secret" not in answer.headers


@pytest.mark.parametrize("hop", ["false", "", "x"])
def test_after_two_hops_there_is_a_conflict(leader, follower, caplog, hop):
    """Kafka's words; every word but true is false, as in JAX-RS."""
    with caplog.at_level(logging.ERROR):
        answer = follower(leader)("GET", f"/connectors?forward={hop}")

    assert (answer.status, answer.message) == (
        409,
        "Cannot complete request because of a conflicting operation (e.g. worker rebalance)",
    )
    assert "GET /connectors found no worker within two hops" in caplog.text


def test_an_unknown_leader_is_a_conflict(follower):
    """Kafka's words."""
    answer = follower(None)("GET", "/connectors")

    assert (answer.status, answer.message) == (
        409,
        (
            "Cannot complete request momentarily due to no known leader URL, "
            "likely because a rebalance was underway."
        ),
    )


def test_a_worker_that_is_gone_is_an_error(follower):
    """500 in Kafka's words, with our code."""
    answer = follower("http://127.0.0.1:1")("GET", "/connectors")

    assert (answer.status, answer.message) == (
        500,
        (
            "IO Error trying to forward REST request: [Errno 111] Connection refused "
            "[rest.forward-failed]"
        ),
    )


def test_a_redirection_is_an_error(leader, follower):
    """Kafka's words."""
    answer = follower(leader)("GET", "/connectors/redirect")

    assert answer.message == (
        "Unexpected status code when handling forwarded request: 302 [rest.forward-failed]"
    )
