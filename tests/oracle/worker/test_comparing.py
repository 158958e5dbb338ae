"""What counts as a difference of two answers, and what does not."""

from __future__ import annotations

import pytest
from tests.oracle.worker.comparing import differences


def _answer(body, status=200, **headers):
    return {"status": status, "headers": headers, "body": body}


def _value(name, *errors):
    return {"definition": None, "value": {"name": name, "errors": list(errors)}}


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        ({"message": "no"}, {"message": "not at all"}),
        ({"message": "no type"}, {"message": "contains the following 2 error(s)"}),
        (
            {"recommended_values": ["a", "b"]},
            {"recommended_values": ["io.confluent.connect.avro.AvroConverter", "a", "b"]},
        ),
        ({"trace": "@TRACE@"}, {"trace": "@TRACE@"}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"configs": [_value("a", "x", "y")]}, {"configs": [_value("a", "p", "q")]}),
        ("<html>Jetty", "<html>ours"),
    ],
)
def test_free_wording_and_the_order_of_fields_do_not_count(expected, found):
    """Sentences are equal to sentences."""
    assert differences(_answer(expected), _answer(found)) == []


@pytest.mark.parametrize(
    ("expected", "found", "place"),
    [
        ({"message": "no"}, {}, "body.message"),
        ({"message": "no"}, {"message": None}, "body.message"),
        ({"message": "no"}, {"message": ""}, "body.message"),
        (
            {"message": "contains the following 2 error(s)"},
            {"message": "contains the following 1 error(s)"},
            "body.message",
        ),
        ({"message": "contains the following 2 error(s)"}, {"message": "no type"}, "body.message"),
        (
            {"recommended_values": ["a", "b"]},
            {"recommended_values": ["b", "a"]},
            "body.recommended_values.0",
        ),
        ({"a": 1}, {"a": 1, "b": 2}, "body.b"),
        ({"a": 1}, {"a": "1"}, "body.a"),
        ([1, 2], [2, 1], "body.0"),
        ([1, 2], [1], "body[]"),
        (None, {}, "body"),
        ({"configs": [_value("a")]}, {"configs": [_value("b")]}, "body.configs[]"),
        (
            {"configs": [_value("a", "x")]},
            {"configs": [_value("a")]},
            "body.configs.a.value.errors",
        ),
        (
            {"configs": [_value("a"), _value("b")]},
            {"configs": [_value("b"), _value("a")]},
            "body.configs[]",
        ),
    ],
)
def test_everything_else_counts(expected, found, place):
    """Fields, types, counts and the order of lists; the position is reported."""
    assert place in [each.place for each in differences(_answer(expected), _answer(found))]


def test_status_and_headers_count():
    """Those that clients use."""
    expected, found = _answer({}, 201, location="@URL@/a"), _answer({}, 200, allow="GET")

    places = [each.place for each in differences(expected, found)]

    assert places == ["status", "headers.location"]


def test_an_answer_may_say_what_http_wants_and_java_leaves_out():
    """The methods that a path has, and the type of a body; never other ones than Java's."""
    found = _answer({}, allow="GET", **{"content-type": "application/json"})

    assert differences(_answer({}), found) == []
    assert differences(_answer({}, allow="PUT"), found) != []
