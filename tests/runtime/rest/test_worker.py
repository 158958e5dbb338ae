"""The worker itself: version, health, metrics."""

from __future__ import annotations

import pytest
from tests.runtime.rest.fakes import FakeHerder, client_of

from plugwright.control_plane import MetricValue, Stage
from plugwright.rest.routes import MAIN_ROUTES

STARTING = "Worker is still starting up."
UNHEALTHY = "Worker was unable to handle this request and may be unable to handle other requests."


def test_the_root_names_the_version(call):
    """Kafka's three fields."""
    assert call("GET", "/").body == (
        b'{"version":"1.2.3","commit":"abc123","kafka_cluster_id":"cluster-1"}'
    )


def test_a_worker_that_answers_is_healthy(call):
    """KIP-1017."""
    answer = call("GET", "/health")

    assert answer.status == 200
    assert answer.json == {
        "status": "healthy",
        "message": "Worker has completed startup and is ready to handle requests.",
    }


@pytest.fixture
def silent(herder, monkeypatch):
    """A herder whose thread does not answer, seen by a check that waits for 20 ms only."""
    from threading import Event  # noqa: PLC0415  # for this fixture alone

    released = Event()
    routes = tuple(
        _replaced(route, 0.02) if route.path == "/health" else route for route in MAIN_ROUTES
    )
    monkeypatch.setattr("plugwright.rest.serving.MAIN_ROUTES", routes)
    herder.wait = lambda: released.wait(60)
    yield herder
    released.set()


def _replaced(route, timeout_s):
    from dataclasses import replace  # noqa: PLC0415  # for this fixture alone

    return replace(route, timeout_s=timeout_s)


@pytest.mark.parametrize(
    ("ready", "status", "word", "text"),
    [
        (False, 503, "starting", STARTING),
        (True, 500, "unhealthy", UNHEALTHY),
    ],
    ids=["starting", "unhealthy"],
)
def test_a_worker_that_does_not_answer_says_what_it_does(silent, ready, status, word, text):
    """503 while it starts, 500 later, with the stage."""
    silent.ready = ready
    silent.current_stage = Stage("reading the config topic", 1732212000000)

    answer = client_of(silent)("GET", "/health")

    stage = "The worker is currently reading the config topic, which began at 2024-11-21T18:00:00Z"
    assert answer.status == status
    assert answer.json == {"status": word, "message": f"{text} {stage}"}


def test_a_worker_that_leaves_says_so_at_once(herder):
    """A question that waits would keep the worker from its end."""
    herder.ready = False
    herder.current_stage = Stage("handing its connectors over", 1732212000000)

    answer = client_of(herder)("GET", "/health")

    assert answer.status == 503
    assert "handing its connectors over" in answer.json["message"]


def test_a_worker_that_can_run_tasks_is_ready(call):
    """What a rolling upgrade waits for."""
    answer = call("GET", "/health/ready")

    assert answer.status == 200
    assert answer.json == {
        "status": "ready",
        "message": "Worker has joined its group and can run tasks.",
    }


def test_a_worker_that_is_ready_names_the_tasks_that_wait_for_a_slot(herder):
    """They do not make it less ready."""
    herder.without_slot = ["orders-7", "orders-8"]

    answer = client_of(herder)("GET", "/health/ready")

    assert answer.status == 200
    assert answer.json == {
        "status": "ready",
        "message": "Worker has joined its group and can run tasks. "
        "Without a slot of Spark: orders-7, orders-8.",
    }


def test_a_worker_that_cannot_run_tasks_yet_says_so_at_once(herder):
    """Although the herder itself does not answer, and with what it waits for."""
    herder.ready, herder.wait = False, _never
    herder.current_stage = Stage("waiting for Spark to start", 1732212000000)

    answer = client_of(herder)("GET", "/health/ready")

    stage = "The worker is currently waiting for Spark to start, which began at"
    assert answer.status == 503
    assert answer.json == {
        "status": "not_ready",
        "message": f"Worker cannot run tasks at the moment. {stage} 2024-11-21T18:00:00Z",
    }


def _never():
    raise AssertionError("the herder is not to be asked")


def test_metrics_are_shown_in_prometheus_text():
    """From whatever the worker gives."""
    call = client_of(FakeHerder(), metrics=lambda: "up 1\n")

    answer = call("GET", "/metrics", headers={"accept": "application/openmetrics-text"})

    assert (answer.status, answer.body) == (200, b"up 1\n")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"


def test_metrics_are_shown_as_json():
    """The same figures; texts as texts."""
    figures = [
        MetricValue("connector-metrics", "status", {"connector": 'a"b'}, "running"),
        MetricValue("task-error-metrics", "total-retries", {"connector": "a", "task": "0"}, 3),
    ]

    answer = client_of(FakeHerder(), figures=lambda: figures)("GET", "/metrics.json")

    assert answer.headers["content-type"] == "application/json"
    assert answer.json == [
        {
            "group": "connector-metrics",
            "name": "status",
            "tags": {"connector": 'a"b'},
            "value": "running",
        },
        {
            "group": "task-error-metrics",
            "name": "total-retries",
            "tags": {"connector": "a", "task": "0"},
            "value": 3,
        },
    ]


@pytest.mark.parametrize("path", ["/metrics", "/metrics.json"])
def test_a_worker_without_metrics_has_no_such_page(call, path):
    """404 rather than an empty page."""
    assert call("GET", path).message == "This worker keeps no metrics"
