"""Log levels at run time."""

from __future__ import annotations

import logging

import pytest
from tests.runtime.rest.fakes import FakeHerder, client_of


def test_loggers_are_listed_in_order(call):
    """KIP-495 with the time of KIP-976."""
    assert call("GET", "/admin/loggers").body == (
        b'{"plugwright":{"level":"DEBUG","last_modified":1732212000000},'
        b'"root":{"level":"INFO","last_modified":null}}'
    )


def test_a_level_is_shown(call):
    """Of one logger."""
    assert call("GET", "/admin/loggers/root").body == b'{"level":"INFO","last_modified":null}'


def test_an_unknown_logger_is_not_found(call):
    """Kafka's words."""
    answer = call("GET", "/admin/loggers/nope")

    assert (answer.status, answer.message) == (404, "Logger nope not found.")


@pytest.mark.parametrize("scope", ["", "?scope=worker", "?scope=Worker", "?scope="])
def test_a_level_is_set_in_the_worker(call, herder, scope):
    """The loggers that changed are listed."""
    answer = call("PUT", f"/admin/loggers/plugwright{scope}", {"level": "trace"})

    assert (answer.status, answer.body) == (200, b'["plugwright","plugwright.worker"]')
    assert herder.asked == [("set_worker_logger_level", "plugwright", "trace")]


def test_a_level_is_set_in_the_cluster(call, herder):
    """204 and no body."""
    answer = call("PUT", "/admin/loggers/plugwright?scope=CLUSTER", {"level": "WARN"})

    assert (answer.status, answer.body) == (204, b"")
    assert herder.asked == [("set_cluster_logger_level", "plugwright", "WARN")]


def test_an_unknown_scope_means_the_worker(call, caplog):
    """With a warning."""
    with caplog.at_level(logging.WARNING):
        answer = call("PUT", "/admin/loggers/root?scope=galaxy", {"level": "INFO"})

    assert answer.status == 200
    assert "Received invalid scope 'galaxy'" in caplog.text


@pytest.mark.parametrize("body", [{}, {"level": None}, {"Level": "INFO"}], ids=str)
def test_a_missing_level_is_a_bad_request(call, body):
    """Kafka's words."""
    answer = call("PUT", "/admin/loggers/root", body)

    assert answer.status == 400
    assert answer.message == "Desired 'level' parameter was not specified in request."


def test_an_unknown_level_is_not_found(call):
    """Kafka's words and status."""
    answer = call("PUT", "/admin/loggers/root", {"level": "loud"})

    assert (answer.status, answer.message) == (404, "invalid log level 'loud'.")


@pytest.mark.parametrize("listeners", ["", "http://127.0.0.1:0"], ids=["off", "apart"])
def test_loggers_leave_the_main_listeners(listeners):
    """Empty admin.listeners turn them off, other ones take them away."""
    call = client_of(FakeHerder(), {"admin.listeners": listeners})

    assert call("GET", "/admin/loggers").status == 404


@pytest.mark.parametrize(
    ("path", "status"), [("/admin/loggers", 200), ("/connectors", 404), ("/openapi.json", 200)]
)
def test_admin_listeners_serve_nothing_but_administration(herder, path, status):
    """Connectors stay on the main listeners."""
    assert client_of(herder, admin=True)("GET", path).status == status
