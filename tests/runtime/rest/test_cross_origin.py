"""Calls from pages of other origins."""

from __future__ import annotations

import pytest
from tests.runtime.rest.fakes import FakeHerder, client_of

ORIGIN = "access-control-allow-origin"
PREFLIGHT = {"origin": "http://bar.com", "access-control-request-method": "PUT"}


@pytest.mark.parametrize(
    ("allowed", "origin", "expected"),
    [
        ("", "http://bar.com", None),
        ("http://bar.com", "http://bar.com", "http://bar.com"),
        ("http://bar.com", "http://baz.com", None),
        ("*", "http://bar.com", "http://bar.com"),
        ("http://*.bar.com, http://x", "http://a.bar.com", "http://a.bar.com"),
        ("http://bar.com", "http://barxcom", None),
        ("http://bar.com", "http://bar.com.evil", None),
    ],
)
def test_named_origins_may_read(allowed, origin, expected):
    """Kafka echoes the origin."""
    call = client_of(FakeHerder(), {"access.control.allow.origin": allowed})

    answer = call("GET", "/connectors", headers={"origin": origin})

    assert (answer.status, answer.headers.get(ORIGIN)) == (200, expected)


@pytest.mark.parametrize(
    ("methods", "listed"),
    [("", "GET, POST, HEAD"), ("GET,PUT", "GET, PUT")],
    ids=["default", "configured"],
)
def test_methods_are_listed(methods, listed):
    """By default GET, POST and HEAD; the browser keeps to them."""
    properties = {
        "access.control.allow.origin": "http://bar.com",
        "access.control.allow.methods": methods,
    }

    answer = client_of(FakeHerder(), properties)("OPTIONS", "/connectors", headers=PREFLIGHT)

    assert (answer.status, answer.headers["access-control-allow-methods"]) == (200, listed)
    assert answer.headers["access-control-allow-headers"] == "Content-Type"
    assert answer.headers["allow"] == "GET, HEAD, OPTIONS, POST"


@pytest.mark.parametrize("allowed", ["http://bar.com", "*"], ids=["named", "any"])
def test_no_page_uses_credentials(allowed):
    """As in Kafka Connect."""
    call = client_of(FakeHerder(), {"access.control.allow.origin": allowed})

    answer = call("GET", "/connectors", headers={"origin": "http://bar.com"})

    assert "access-control-allow-credentials" not in answer.headers
    assert answer.headers["vary"] == "Origin"


def test_another_origin_receives_nothing():
    """It gets the answer of any other client, which its browser keeps from it."""
    call = client_of(FakeHerder(), {"access.control.allow.origin": "http://else.com"})

    answer = call("OPTIONS", "/connectors", headers=PREFLIGHT)

    assert answer.status == 200
    assert not [name for name in answer.headers if name.startswith("access-control")]
