"""The OpenAPI document."""

from __future__ import annotations

import pytest

from plugwright.rest.routes import LOGGER_ROUTES, MAIN_ROUTES


@pytest.fixture
def document(call):
    """The document as a client gets it."""
    return call("GET", "/openapi.json").json


def test_every_endpoint_is_described(document):
    """Neither more nor fewer than are served."""
    described = {(m.upper(), path) for path, found in document["paths"].items() for m in found}

    public = [route for route in (*MAIN_ROUTES, *LOGGER_ROUTES) if not route.internal]
    assert described == {(route.method, route.path) for route in public}


def test_the_endpoints_are_those_of_kafka_connect_and_four_of_our_own(document):
    """A literal list, so that none gets lost."""
    assert sorted(document["paths"]) == [
        "/",
        "/admin/loggers",
        "/admin/loggers/{logger}",
        "/connector-plugins",
        "/connector-plugins/{plugin}/config",
        "/connector-plugins/{plugin}/config/validate",
        "/connectors",
        "/connectors/{connector}",
        "/connectors/{connector}/config",
        "/connectors/{connector}/offsets",
        "/connectors/{connector}/pause",
        "/connectors/{connector}/restart",
        "/connectors/{connector}/resume",
        "/connectors/{connector}/status",
        "/connectors/{connector}/stop",
        "/connectors/{connector}/tasks",
        "/connectors/{connector}/tasks/{task}/restart",
        "/connectors/{connector}/tasks/{task}/status",
        "/connectors/{connector}/topics",
        "/connectors/{connector}/topics/reset",
        "/health",
        "/health/ready",
        "/metrics",
        "/metrics.json",
        "/openapi.json",
    ]


def test_bodies_are_described_by_their_types(document):
    """Field names as in JSON, fields with defaults optional."""
    assert document["components"]["schemas"]["PluginInfo"] == {
        "type": "object",
        "description": "One plugin that the worker can run.",
        "properties": {
            "class": {"type": "string"},
            "type": {"type": "string"},
            "version": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
        "required": ["class", "type"],
    }


def test_an_operation_names_parameters_body_and_answers(document):
    """Those of the restart, which has most."""
    operation = document["paths"]["/connectors/{connector}/restart"]["post"]

    assert operation["operationId"] == "post_connectors_connector_restart"
    assert [(p["name"], p["in"]) for p in operation["parameters"]] == [
        ("connector", "path"),
        ("includeTasks", "query"),
        ("onlyFailed", "query"),
    ]
    assert sorted(operation["responses"]) == ["202", "204", "default"]


def test_all_references_lead_somewhere(document):
    """Whatever is named is described."""
    text = str(document)
    used = {part.partition("'")[0] for part in text.split("#/components/schemas/")[1:]}

    assert used == set(document["components"]["schemas"])


def test_operations_have_names_of_their_own(document):
    """Generated clients make methods of them."""
    names = [op["operationId"] for path in document["paths"].values() for op in path.values()]

    assert sorted(set(names)) == sorted(names)


def test_the_version_is_the_worker_s(document):
    """And the format is 3.1."""
    assert (document["openapi"], document["info"]["version"]) == ("3.1.0", "1.2.3")


@pytest.mark.slow
def test_the_document_is_valid(document):
    """By the specification's own schema."""
    validator = pytest.importorskip("openapi_spec_validator")

    validator.validate(document)
