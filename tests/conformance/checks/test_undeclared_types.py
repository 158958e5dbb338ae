"""How a sink may store a value of a type that it does not declare."""

from __future__ import annotations

import datetime as dt

import pytest

from plugwright import DataError
from plugwright_conformance.checks import undeclared_types as implementation
from plugwright_conformance.checks.undeclared_types import PutResult

TIME, MAP = dt.time(2, 30), {("x",): 1}


@pytest.mark.parametrize(
    ("value", "refusal", "found", "marked", "there"),
    [
        pytest.param(TIME, None, [{"$clock": "02:30:00"}], True, True, id="marked"),
        pytest.param(MAP, None, [{"$map": [[{"x": 1}, 1]]}], True, True, id="pairs"),
        pytest.param(MAP, None, [{"Struct{x=1}": 1}], False, True, id="keys become text"),
        pytest.param(TIME, None, ["02:30:00"], False, True, id="text"),
        pytest.param(TIME, None, [{"value": None}], False, True, id="null in a wrapper"),
        pytest.param(TIME, None, [None], False, True, id="null"),
        pytest.param(TIME, None, [], False, False, id="dropped"),
        pytest.param(TIME, DataError("no"), [{"$clock": 1}], False, False, id="refused, too"),
    ],
)
def test_only_what_says_its_type_is_marked(value, refusal, found, marked, there):
    """Text and null could be meant."""
    result = PutResult(value, refusal, found)

    assert (result.is_marked, result.is_there) == (marked, there)


@pytest.mark.parametrize(
    ("text_as", "distinct"),
    [(lambda text: text, True), (lambda text: {"$clock": text}, False)],
    ids=["texts are stored plainly", "texts are stored in the same structure"],
)
def test_what_a_text_may_be_stored_as_marks_nothing(monkeypatch, text_as, distinct):
    """A sink may put whatever it is given into such a structure."""
    monkeypatch.setattr(
        implementation,
        "stored",
        lambda _, given: PutResult(given.value, None, [text_as(given.value)]),
    )
    result = PutResult(TIME, None, [{"$clock": "02:30:00"}])

    assert implementation._is_distinct(None, result) is distinct
