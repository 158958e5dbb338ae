"""Text without traps, tables, folded findings."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plugwright.plugins import Diagnostic, DiagnosticLevel
from plugwright_toolkit.output import (
    aligned,
    diagnostic_rows,
    fold,
    printable,
    tab_separated,
    write,
    write_json,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain ä 字", "plain ä 字"),
        ("a\tb\nc\r", "a\\tb\\nc\\r"),
        ("\x1b]0;x\x07", "\\x1b]0;x\\x07"),
        ("\u202e\u2028\xa0", "\\u202e\\u2028\\xa0"),
        ("\udcff", "\\udcff"),
    ],
    ids=["plain", "lines", "terminal", "marks", "undecodable"],
)
def test_only_what_is_plainly_visible_is_left(text, expected):
    """Everything else becomes its escape."""
    assert printable(text) == expected


@pytest.mark.slow
@settings(max_examples=50)
@given(st.lists(st.lists(st.text(), min_size=2, max_size=2), max_size=5))
def test_no_cell_adds_a_column_or_a_line(rows):
    """Whatever plugins call themselves."""
    lines = tab_separated(rows).split("\n")

    assert ([line.count("\t") for line in lines[:-1]], lines[-1]) == ([1] * len(rows), "")


def test_columns_are_aligned_by_their_widest_cell():
    """Two blanks apart, nothing after the last."""
    rows = [("a", "bb", "c"), ("longer", "", "x"), ("", "y", "")]

    assert aligned(rows) == "a       bb  c\nlonger      x\n        y\n"


def test_no_rows_are_no_lines():
    """Neither of both forms fails."""
    assert (aligned([]), tab_separated([])) == ("", "")


@pytest.mark.parametrize(
    ("encoding", "expected"), [("utf-8", "→ ä".encode()), ("ascii", b"\\u2192 \\xe4")]
)
def test_what_a_stream_cannot_encode_is_escaped(encoding, expected):
    """Instead of an error in the middle of the output."""
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    write("→ ä", stream)
    stream.flush()

    assert raw.getvalue() == expected


def test_json_is_ascii_with_sorted_keys():
    """Exact nevertheless."""
    write_json({"b": "\x1bä", "a": [1]}, stream := io.StringIO())

    assert stream.getvalue() == '{\n  "a": [\n    1\n  ],\n  "b": "\\u001b\\u00e4"\n}\n'
    assert json.loads(stream.getvalue()) == {"a": [1], "b": "\x1bä"}


def _finding(place, **changes):
    values = {"level": DiagnosticLevel.WARNING, "code": "c", "message": "m", "hint": "h"} | changes
    return Diagnostic(location=place, **values)


def test_the_same_finding_is_shown_once_and_counted():
    """For the first of its locations; another hint is another finding."""
    findings = [_finding("/a"), _finding("/b"), _finding("/c", hint=""), _finding("/d")]

    assert fold(findings) == [
        "warning: c: /a: m (and 2 more like this)",
        "  → h",
        "warning: c: /c: m",
    ]


def test_notes_are_left_out_for_people_but_not_for_programs():
    """They ask for no action."""
    note = _finding("/a", level=DiagnosticLevel.NOTE, file="f", line=3)

    assert fold([note]) == []
    assert diagnostic_rows([note]) == [
        {
            "level": "note",
            "code": "c",
            "location": "/a",
            "file": "f",
            "line": 3,
            "message": "m",
            "hint": "h",
        }
    ]


def test_hints_are_escaped_too():
    """They may name what plugins are called."""
    assert fold([_finding("/a", hint="x\x1b")])[1] == "  → x\\x1b"
