"""Offsets and active topics of connectors."""

from __future__ import annotations

import pytest
from tests.runtime.rest.fakes import FakeHerder, client_of

from plugwright.control_plane import BadRequestError, ConnectorOffset, ConnectorOffsets

PARTITION = {"filename": "a.txt"}


def test_offsets_are_shown(call):
    """KIP-875, text in its own characters."""
    assert call("GET", "/connectors/logs/offsets").body.decode() == (
        '{"offsets":[{"partition":{"filename":"ä.txt"},"offset":{"position":30}}]}'
    )


@pytest.mark.parametrize(
    ("number", "text"),
    [("nan", "NaN"), ("inf", "Infinity"), ("-inf", "-Infinity")],
)
def test_numbers_that_json_does_not_have_are_shown_as_text(call, herder, monkeypatch, number, text):
    """As Jackson writes them."""
    offsets = ConnectorOffsets([ConnectorOffset({}, {"n": float(number)})])
    monkeypatch.setattr(herder, "connector_offsets", lambda _: offsets)

    assert call("GET", "/connectors/logs/offsets").json["offsets"][0]["offset"] == {"n": text}


def test_offsets_are_altered(call, herder):
    """The herder gets values, and its message is shown."""
    body = {"offsets": [{"partition": PARTITION, "offset": {"position": 5}}]}

    answer = call("PATCH", "/connectors/logs/offsets", body)

    assert answer.body == (
        b'{"message":"The offsets for this connector have been altered successfully"}'
    )
    assert herder.asked[0][2] == [ConnectorOffset(PARTITION, {"position": 5})]


def test_a_null_offset_resets_its_partition(call, herder):
    """Null and missing are the same."""
    body = {"offsets": [{"partition": PARTITION, "offset": None}, {"partition": {"x": 1}}]}

    call("PATCH", "/connectors/logs/offsets", body)

    assert herder.asked[0][2] == [
        ConnectorOffset(PARTITION, None),
        ConnectorOffset({"x": 1}, None),
    ]


def test_of_equal_partitions_the_last_counts(call, herder):
    """As in Java's map, whatever the order of fields."""
    offsets = [
        {"partition": {"a": 1, "b": [{"c": 1, "d": 2}]}, "offset": {"n": 1}},
        {"partition": {"b": [{"d": 2, "c": 1}], "a": 1}, "offset": {"n": 2}},
    ]

    call("PATCH", "/connectors/logs/offsets", {"offsets": offsets})

    assert [offset.offset for offset in herder.asked[0][2]] == [{"n": 2}]


@pytest.mark.parametrize("body", [{}, {"offsets": []}, {"offsets": None}], ids=str)
def test_no_offsets_are_a_bad_request(call, body):
    """Kafka's words."""
    answer = call("PATCH", "/connectors/logs/offsets", body)

    assert answer.status == 400
    assert answer.message == (
        "Partitions / offsets need to be provided for an alter offsets request"
    )


def test_what_is_no_sink_partition_is_left_to_the_herder(call, herder):
    """Only it knows the kind of connector."""
    call("PATCH", "/connectors/logs/offsets", {"offsets": [{}]})

    assert herder.asked[0][2] == [ConnectorOffset(None, None)]


def test_offsets_are_reset(call, herder):
    """No offsets mean all of them."""
    answer = call("DELETE", "/connectors/logs/offsets")

    assert answer.json["message"].endswith("have been reset successfully")
    assert herder.asked == [("alter_connector_offsets", "logs", None)]


def test_offsets_of_a_running_connector_stay(call, herder):
    """The herder's own words reach the client."""
    herder.error = BadRequestError("Connectors must be in the STOPPED state before …")

    answer = call("DELETE", "/connectors/logs/offsets")

    assert (answer.status, answer.message) == (400, str(herder.error))


def test_topics_are_shown_under_the_name(call):
    """KIP-558."""
    assert call("GET", "/connectors/logs/topics").body == b'{"logs":{"topics":["lines"]}}'


def test_topics_are_reset(call, herder):
    """202 and no body."""
    answer = call("PUT", "/connectors/logs/topics/reset")

    assert (answer.status, answer.body) == (202, b"")
    assert herder.asked == [("reset_connector_active_topics", "logs")]


@pytest.mark.parametrize(
    ("key", "method", "path", "message"),
    [
        ("enable", "GET", "topics", "Topic tracking is disabled."),
        ("enable", "PUT", "topics/reset", "Topic tracking is disabled."),
        ("allow.reset", "PUT", "topics/reset", "Topic tracking reset is disabled."),
    ],
    ids=["show", "reset", "reset only"],
)
def test_switched_off_tracking_is_forbidden(key, method, path, message):
    """403, in Kafka's words."""
    call = client_of(FakeHerder(), {f"topic.tracking.{key}": "false"})

    answer = call(method, f"/connectors/logs/{path}")

    assert (answer.status, answer.message) == (403, message)
