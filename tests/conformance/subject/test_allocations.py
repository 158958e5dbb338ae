"""Which lines of a plugin hold memory."""

from __future__ import annotations

import importlib
import sys
import tracemalloc
from pathlib import Path

import pytest

from plugwright_conformance.subject.allocations import Line, held_by_lines, tracing

CODE = """
KEPT = []

def keep():
    KEPT.append(bytes(10_000))

def drop():
    bytes(10_000)

def ask(other):
    KEPT.append(other.give())
"""
OTHER = """
def give():
    return bytes(10_000)
"""


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """A module of a location, and one that lies beside it."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "holding_bytes.py").write_text(CODE, "utf-8")
    (home / "beside_bytes.py").write_text(OTHER, "utf-8")
    monkeypatch.syspath_prepend(home)
    yield home, importlib.import_module("holding_bytes"), importlib.import_module("beside_bytes")
    del sys.modules["holding_bytes"], sys.modules["beside_bytes"]


def test_what_is_not_freed_belongs_to_the_line_that_made_it(plugin):
    """Neither to its caller nor to who keeps it; a file may be left out."""
    home, holding, beside = plugin
    with tracing():
        for _ in range(10):
            holding.keep()
            holding.drop()
            holding.ask(beside)
        held = held_by_lines(home, [])
        without = held_by_lines(home, [Path(beside.__file__)])

    large = {line: size // 10_000 for line, size in held.items() if size > 10_000}
    assert large == {Line(holding.__file__, 5): 10, Line(beside.__file__, 3): 10}
    assert [line for line, size in without.items() if size > 10_000] == [Line(holding.__file__, 5)]


def test_a_trace_that_is_on_stays_on():
    """It belongs to other code."""
    tracemalloc.start()
    try:
        with tracing():
            pass
        assert tracemalloc.is_tracing()
    finally:
        tracemalloc.stop()
    with tracing():
        assert tracemalloc.is_tracing()
    assert not tracemalloc.is_tracing()
