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
    ("methods", "status", "listed"),
    [("", 400, "GET, POST, HEAD"), ("GET,PUT", 200, "GET, PUT")],
    ids=["default", "configured"],
)
def test_methods_are_limited(methods, status, listed):
    """By default to GET, POST and HEAD."""
    properties = {
        "access.control.allow.origin": "http://bar.com",
        "access.control.allow.methods": methods,
    }

    answer = client_of(FakeHerder(), properties)("OPTIONS", "/connectors", headers=PREFLIGHT)

    assert (answer.status, answer.headers["access-control-allow-methods"]) == (status, listed)


@pytest.mark.parametrize(
    ("allowed", "credentials"), [("http://bar.com", "true"), ("*", None)], ids=["named", "any"]
)
def test_credentials_are_for_named_origins(allowed, credentials):
    """Any page whatever must not use a visitor's login."""
    call = client_of(FakeHerder(), {"access.control.allow.origin": allowed})

    answer = call("GET", "/connectors", headers={"origin": "http://bar.com"})

    assert answer.headers.get("access-control-allow-credentials") == credentials
