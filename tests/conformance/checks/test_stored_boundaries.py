"""A sink may refuse infinities and NaN, and must not store something else for them."""

from __future__ import annotations

import inspect
import math

import pytest
from tests.conformance.conftest import check_of

from plugwright import DataError, RetriableError
from plugwright.schema import FLOAT64_SCHEMA
from plugwright_conformance.checks.undeclared_types import PutResult
from plugwright_conformance.evidence.outcome import CheckFailedError

CHECK = check_of("SNK-TYP-01")
ODD = [(FLOAT64_SCHEMA, math.inf), (FLOAT64_SCHEMA, math.nan)]


def refused_by(monkeypatch, refusal, found):
    """What the check makes of a sink that does the same with each of them."""
    monkeypatch.setattr(
        inspect.getmodule(CHECK),
        "stored",
        lambda _, value: PutResult(value.value, refusal, found(value)),
    )
    return CHECK._put_others(None, ODD)


def test_numbers_that_the_format_lacks_may_be_refused(monkeypatch):
    """With an error of the record, which may go to the dead-letter queue."""
    refused = refused_by(monkeypatch, DataError("no such number"), lambda _: [])
    assert refused == {"float64": 2}


def test_numbers_that_are_stored_need_no_refusal(monkeypatch):
    """As they are."""
    assert refused_by(monkeypatch, None, lambda value: [value.value]) == {}


@pytest.mark.parametrize(
    ("refusal", "found"),
    [
        pytest.param(None, [None], id="null"),
        pytest.param(None, [], id="dropped"),
        pytest.param(DataError("no"), [None], id="refused and stored"),
        pytest.param(RetriableError("later"), [], id="tried for ever"),
        pytest.param(ValueError("Out of range float values"), [], id="no error of Connect"),
    ],
)
def test_nothing_else_may_become_of_them(monkeypatch, refusal, found):
    """The message says what did."""
    with pytest.raises(CheckFailedError, match="inf stored, or a DataError"):
        refused_by(monkeypatch, refusal, lambda _: found)
