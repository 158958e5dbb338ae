"""Restarting, pausing, resuming and stopping."""

from __future__ import annotations

import pytest

from plugwright.control_plane import RestartRequest, TaskId


def test_a_plain_restart_has_no_body(call, herder):
    """As before KIP-745."""
    answer = call("POST", "/connectors/logs/restart")

    assert (answer.status, answer.body) == (204, b"")
    assert herder.asked == [("restart_connector", "logs")]


@pytest.mark.parametrize(
    ("query", "only_failed", "include_tasks"),
    [
        ("includeTasks=true", False, True),
        ("onlyFailed=TRUE", True, False),
        ("includeTasks=true&onlyFailed=true", True, True),
        ("includeTasks=true&onlyFailed=yes", False, True),
    ],
)
def test_a_restart_with_options_shows_the_states(call, herder, query, only_failed, include_tasks):
    """202, as KIP-745 says; only the word true is true."""
    answer = call("POST", f"/connectors/logs/restart?{query}")

    assert (answer.status, answer.json["name"]) == (202, "logs")
    assert herder.asked[0][1] == RestartRequest("logs", only_failed, include_tasks)


@pytest.mark.parametrize(
    ("action", "status"), [("pause", 202), ("resume", 202), ("stop", 204)], ids=str
)
def test_a_target_state_is_set(call, herder, action, status):
    """Pause and resume are accepted, stop is done."""
    answer = call("PUT", f"/connectors/logs/{action}")

    assert (answer.status, answer.body) == (status, b"")
    assert herder.asked == [(f"{action}_connector", "logs")]


@pytest.mark.parametrize("action", ["pause", "resume", "stop"])
def test_an_unknown_connector_has_no_target_state(call, action):
    """404 from the herder."""
    assert call("PUT", f"/connectors/nope/{action}").status == 404


def test_a_task_status_is_shown(call):
    """With the trace of a failed task."""
    assert call("GET", "/connectors/logs/tasks/1/status").body == (
        b'{"id":1,"state":"FAILED","worker_id":"w:8083","trace":"boom"}'
    )


def test_a_task_is_restarted(call, herder):
    """204 and no body."""
    answer = call("POST", "/connectors/logs/tasks/0/restart")

    assert (answer.status, answer.body) == (204, b"")
    assert herder.asked == [("restart_task", TaskId("logs", 0))]


@pytest.mark.parametrize("number", ["x", "1.0", "2147483648", "99999999999999999", "%C2%B2", "%20"])
def test_what_is_no_java_integer_is_not_found(call, number):
    """JAX-RS turns a bad path parameter into a 404."""
    answer = call("GET", f"/connectors/logs/tasks/{number}/status")

    assert (answer.status, answer.message) == (404, "HTTP 404 Not Found")


def test_an_unknown_task_is_not_found(call):
    """404 with the herder's text."""
    answer = call("GET", "/connectors/logs/tasks/2147483647/status")

    assert answer.message == "No status found for task logs-2147483647"
