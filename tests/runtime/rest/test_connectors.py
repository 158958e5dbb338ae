"""Listing, creating, showing, changing and removing connectors."""

from __future__ import annotations

import pytest

from plugwright.errors import ConfigError, NotFoundError

CONFIG = {"connector.class": "FileStreamSource", "file": "a.txt"}
STATUS = (
    b'{"name":"logs","connector":{"state":"RUNNING","worker_id":"w:8083"},'
    b'"tasks":[{"id":0,"state":"RUNNING","worker_id":"w:8083"},'
    b'{"id":1,"state":"FAILED","worker_id":"w:8083","trace":"boom"}],"type":"source"}'
)
INFO = (
    b'{"name":"logs","config":{"name":"logs","connector.class":"FileStreamSource",'
    b'"file":"${env:FILE}"},"tasks":[{"connector":"logs","task":0},{"connector":"logs","task":1}],'
    b'"type":"source"}'
)


def test_the_location_is_the_whole_address_that_was_asked(call):
    """As JAX-RS gives it, by the host that the client knows the worker by."""
    body = {"name": "new", "config": {"connector.class": "X"}}

    answer = call("POST", "/connectors", body, {"host": "connect.example:8083"})

    assert answer.headers["location"] == "http://connect.example:8083/connectors/new"


def test_a_location_escapes_no_more_than_a_path_needs(call):
    """As ``UriBuilder`` does, which takes a slash in a name for one of the path."""
    answer = call("POST", "/connectors", {"name": "a+b&c=d;e:f@g/h i%ü", "config": {}})

    assert answer.headers["location"] == "/connectors/a+b&c=d;e:f@g/h%20i%25%C3%BC"


@pytest.mark.parametrize("origin", ["http://connect.example", "HTTPS://other.example:1"])
def test_a_target_in_absolute_form_is_taken_by_its_path(call, origin):
    """As proxies are sent it (RFC 9112, 3.2.2)."""
    assert call("GET", f"{origin}/connectors").json == call("GET", "/connectors").json


def test_the_worker_as_a_whole_has_no_options(call):
    """``OPTIONS *`` is a 404 without a body, as in Kafka Connect."""
    answer = call("OPTIONS", "*")

    assert (answer.status, answer.body) == (404, b"")


def test_connectors_are_listed_by_name(call):
    """Kafka: a list of names."""
    answer = call("GET", "/connectors")

    assert (answer.status, answer.body) == (200, b'["logs"]')
    assert answer.headers["content-type"] == "application/json"


def test_a_slash_at_the_end_does_not_count(call):
    """JAX-RS matches both."""
    assert call("GET", "/connectors/").body == b'["logs"]'


def test_expansions_show_status_and_info(call):
    """KIP-465: repeatable."""
    answer = call("GET", "/connectors?expand=status&expand=info")

    assert answer.body == b'{"logs":{"status":' + STATUS + b',"info":' + INFO + b"}}"


def test_an_unknown_expansion_shows_nothing(call):
    """Kafka ignores it and lists the connector."""
    assert call("GET", "/connectors?expand=secrets").json == {"logs": {}}


def test_a_connector_removed_during_expansion_is_left_out(call, herder, monkeypatch):
    """Kafka: its NotFoundException is ignored."""
    monkeypatch.setattr(herder, "connectors", lambda: ["gone", "logs"])

    assert list(call("GET", "/connectors?expand=info").json) == ["logs"]


def test_a_new_connector_is_created(call, herder):
    """201, where it is, what it is."""
    answer = call("POST", "/connectors", {"name": "new", "config": CONFIG})

    assert answer.status == 201
    assert answer.headers["location"] == "/connectors/new"
    assert answer.json == {
        "name": "new",
        "config": {**CONFIG, "name": "new"},
        "tasks": [],
        "type": "source",
    }
    assert herder.asked == [("put_connector_config", "new", {**CONFIG, "name": "new"}, None, False)]


def test_blanks_around_a_new_name_are_cut_off(call):
    """Kafka trims the name."""
    assert call("POST", "/connectors", {"name": "  new\t", "config": CONFIG}).json["name"] == "new"


@pytest.mark.parametrize(
    ("state", "target"),
    [("RUNNING", "STARTED"), ("paused", "PAUSED"), ("STOPPED", "STOPPED"), (None, None)],
)
def test_an_initial_state_becomes_the_target_state(call, herder, state, target):
    """KIP-980."""
    call("POST", "/connectors", {"name": "new", "config": CONFIG, "initial_state": state})

    assert herder.asked[0][3] == target


def test_an_unknown_initial_state_cannot_be_read(call):
    """It says which there are."""
    body = {"name": "new", "config": CONFIG, "initial_state": "ASLEEP"}

    answer = call("POST", "/connectors", body)

    assert answer.status == 500
    assert answer.message == (
        "Invalid initial_state ASLEEP: expected one of RUNNING, PAUSED, STOPPED "
        "[rest.unreadable-body]"
    )


def test_an_existing_connector_is_not_created_again(call):
    """409 with the herder's text."""
    answer = call("POST", "/connectors", {"name": "logs", "config": CONFIG})

    assert (answer.status, answer.message) == (409, "Connector logs already exists")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/connectors", {"name": "a", "config": {"name": "b"}}),
        ("PUT", "/connectors/a/config", {"name": "b"}),
    ],
    ids=["POST", "PUT"],
)
def test_two_different_names_are_a_bad_request(call, method, path, body):
    """Kafka's words, which speak of the URL in both cases."""
    answer = call(method, path, body)

    assert answer.status == 400
    assert answer.message == (
        "Connector name configuration (b) doesn't match connector name in the URL (a)"
    )


def test_a_null_name_is_a_missing_one(call, herder):
    """Kafka puts the name of the path in its place."""
    call("PUT", "/connectors/logs/config", {"name": None})

    assert herder.asked[0][2] == {"name": "logs"}


def test_all_problems_of_a_configuration_are_reported(call, herder):
    """Kafka's text: count, one line each, where to find them again."""
    problems = (("tasks.max", "Invalid value 0"), ("topic", "Missing"))
    herder.error = ConfigError("2 problems", facts={"problems": problems})

    answer = call("POST", "/connectors", {"name": "new", "config": CONFIG})

    assert answer.status == 400
    assert answer.message == (
        "Connector configuration is invalid and contains the following 2 error(s):\n"
        "Invalid value 0\nMissing\n"
        "You can also find the above list of errors at the endpoint "
        "`/connector-plugins/{connectorType}/config/validate`"
    )


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (("POST", "/connectors", {"name": "a", "config": {}}), 400),
        (("PUT", "/connectors/a/config", {}), 400),
        (("PATCH", "/connectors/a/config", {}), 404),
    ],
    ids=["POST", "PUT", "PATCH"],
)
def test_an_unknown_plugin_is_a_bad_request(call, herder, request_, status):
    """An unknown name in a new configuration is wrong input, not a missing page."""
    herder.error = NotFoundError("no connector plugin is called X", code="plugin.not-found")

    answer = call(*request_)

    assert (answer.status, answer.message) == (status, "no connector plugin is called X")


def test_a_connector_is_shown(call):
    """With its raw configuration."""
    answer = call("GET", "/connectors/logs")

    assert (answer.status, answer.body) == (200, INFO)


def test_an_unknown_connector_is_not_found(call):
    """404 with the herder's text."""
    answer = call("GET", "/connectors/nope")

    assert answer.body == b'{"error_code":404,"message":"Connector nope not found"}'
    assert answer.headers["plugwright-error-code"] == "connect.not-found"


def test_a_connector_is_deleted(call, herder):
    """204 and no body."""
    answer = call("DELETE", "/connectors/logs")

    assert (answer.status, answer.body) == (204, b"")
    assert herder.configs == {}


def test_a_configuration_is_shown_unresolved(call):
    """References to config providers stay as they were written."""
    assert call("GET", "/connectors/logs/config").json["file"] == "${env:FILE}"


def test_a_new_configuration_creates_a_connector(call):
    """201 with a location."""
    answer = call("PUT", "/connectors/a%20b/config", CONFIG)

    assert (answer.status, answer.headers["location"]) == (201, "/connectors/a%20b")
    assert answer.json["name"] == "a b"


def test_a_new_configuration_replaces_the_old_one(call, herder):
    """200 without a location."""
    answer = call("PUT", "/connectors/logs/config", CONFIG)

    assert (answer.status, "location" in answer.headers) == (200, False)
    assert herder.configs["logs"] == {**CONFIG, "name": "logs"}
    assert herder.asked[0][3:] == (None, True)


def test_a_patch_changes_and_removes_settings(call, herder):
    """KIP-477: null removes."""
    answer = call("PATCH", "/connectors/logs/config", {"file": None, "topic": "t"})

    assert answer.status == 200
    assert herder.asked[1] == ("patch_connector_config", "logs", {"file": None, "topic": "t"})
    assert "file" not in answer.json["config"]


def test_numbers_and_booleans_count_as_their_text(call, herder):
    """Jackson makes strings of scalars, as they are written."""
    call("PUT", "/connectors/logs/config", b'{"a": 1, "b": 1.50, "c": true, "d": 1e400, "e": null}')

    config = herder.asked[0][2]
    assert config == {
        "a": "1",
        "b": "1.50",
        "c": "true",
        "d": "1e400",
        "e": None,
        "name": "logs",
    }
    assert {type(value) for value in config.values()} == {str, type(None)}


def test_a_status_is_shown(call):
    """Traces only where there are some."""
    assert call("GET", "/connectors/logs/status").body == STATUS


def test_tasks_are_listed(call):
    """Identifier and configuration."""
    assert call("GET", "/connectors/logs/tasks").body == (
        b'[{"id":{"connector":"logs","task":0},"config":{"task.class":"FileStreamSourceTask"}}]'
    )


def test_the_old_form_of_task_configurations_is_gone(call):
    """As since Kafka Connect 4.0 (KIP-970)."""
    assert call("GET", "/connectors/logs/tasks-config").status == 404


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/connectors/logs/tasks", [{"a": "b"}], 400),
        ("POST", "/connectors/logs/tasks", {}, 500),
        ("POST", "/connectors/logs/tasks", b"", 500),
        ("PUT", "/connectors/logs/fence", None, 400),
        ("GET", "/connectors/logs/fence", None, 405),
    ],
)
def test_what_workers_ask_each_other_is_refused(call, method, path, body, status):
    """The path is there as in Kafka Connect; our workers never ask."""
    assert call(method, path, body).status == status


@pytest.mark.parametrize(
    ("headers", "signed"),
    [
        ({}, False),
        ({"X-Connect-Authorization": "c2ln"}, False),
        (
            {
                "X-Connect-Authorization": "c2ln",
                "X-Connect-Request-Signature-Algorithm": "HmacSHA256",
            },
            True,
        ),
        (
            {"X-Connect-Authorization": "c2ln", "X-Connect-Request-Signature-Algorithm": "nope"},
            False,
        ),
    ],
    ids=["bare", "half", "signed", "algorithm"],
)
def test_only_a_signature_that_java_could_read_is_one(call, headers, signed):
    """KIP-507: Kafka Connect 4.3.1 answers 403 to it, and 400 to the others."""
    found = [
        call("POST", "/connectors/logs/tasks", [], headers=headers).status,
        call("PUT", "/connectors/logs/fence", None, headers=headers).status,
    ]
    assert found == [403 if signed else 400] * 2


@pytest.mark.parametrize(("name", "status"), [("logs", 500), ("none", 404)])
@pytest.mark.parametrize("body", [b"", b"null"])
def test_a_patch_without_a_body_is_for_a_connector_that_is_there(call, name, status, body):
    """The connector is looked for first."""
    assert call("PATCH", f"/connectors/{name}/config", body).status == status
