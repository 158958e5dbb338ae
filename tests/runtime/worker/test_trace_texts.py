"""Traces in dead letters are Python's own, at a fraction of the cost."""

from __future__ import annotations

import traceback

import pytest

from plugwright.errors import DataError
from plugwright.worker import trace_texts
from plugwright.worker.trace_texts import TraceTexts


class Outer:
    """Holds a class whose name has a dot."""

    class OddError(Exception):
        """Its text cannot be had."""

        def __str__(self):
            raise ValueError


def _plain():
    raise DataError("bad value")


def _caused():
    try:
        int("x")
    except ValueError as error:
        raise DataError("bad value") from error


def _during():
    try:
        int("x")
    except ValueError:
        raise DataError("bad value")  # noqa: B904  # that is the case


def _hidden():
    try:
        int("x")
    except ValueError:
        raise DataError("bad value") from None


def _noted():
    error = DataError("bad\nvalue")
    error.add_note("one\ntwo")
    error.add_note("")
    raise error


def _odd_notes():
    error = DataError("bad")
    error.__notes__ = [1, "two"]
    raise error


def _empty():
    raise KeyError


def _odd():
    raise Outer.OddError


def _deep(depth=80):
    if depth:
        _deep(depth - 1)
    raise DataError("deep")


def _name():
    return undefined_name  # noqa: F821  # that is the case


def _attribute():
    return "text".uper()


def _syntax():
    compile("a b", "x.py", "exec")


def _group():
    raise ExceptionGroup("many", [ValueError("a"), DataError("b")])


def _circle():
    error, other = DataError("a"), DataError("b")
    error.__cause__, other.__cause__ = other, error
    raise error


CASES = [
    *(_plain, _caused, _during, _hidden, _noted, _odd_notes, _empty, _odd, _deep),
    *(_name, _attribute, _syntax, _group, _circle),
]


def _raised(case):
    try:
        case()
    except Exception as error:  # noqa: BLE001  # whatever the case raises
        return error
    raise AssertionError


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__.strip("_"))
def test_a_trace_is_that_of_python(case):
    """Each time, also from memory."""
    traces = TraceTexts()
    for _ in range(3):
        error = _raised(case)
        assert traces.of(error) == "".join(traceback.format_exception(error))


def test_an_error_that_was_never_raised_has_a_trace():
    """Of its last line alone."""
    assert TraceTexts().of(DataError("no")) == "plugwright.errors.DataError: no\n"


def test_a_place_is_looked_up_once(monkeypatch):
    """The source of a line does not change while the task runs."""
    asked, original = [], traceback.format_tb
    monkeypatch.setattr(
        trace_texts.traceback,
        "format_tb",
        lambda *reported: asked.append(reported) or original(*reported),
    )
    traces = TraceTexts()
    for _ in range(10):
        traces.of(_raised(_caused))
    assert len(asked) == 3  # two in the case, which fails in one of two lines, and one here


def test_places_are_forgotten_when_there_are_too_many(monkeypatch):
    """Generated code may have any number of them."""
    monkeypatch.setattr(trace_texts, "_PLACES", 2)
    traces = TraceTexts()
    for case in (_plain, _caused, _during, _hidden):
        error = _raised(case)
        assert traces.of(error) == "".join(traceback.format_exception(error))
        assert len(traces._places) <= 2
