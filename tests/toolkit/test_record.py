"""The rows of a RECORD: those of changed files are right, all others keep their bytes."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plugwright_toolkit.record import edit_record, odd_rows

# `printf 'hello' | openssl dgst -sha256 -binary | basenc --base64url`, without the padding.
HELLO = "sha256=LPJNul-wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ"
# The same with -sha384.
HELLO_384 = "sha384=WeF0h3dEjGnea4ANejO7-5_xtGPkQ1TDVTvNucZm-pASWjx5-QOXvfX2oT3oKGhP"
EP = "s-1.dist-info/entry_points.txt"
OWN = "s-1.dist-info/RECORD"


def _edited(data, content=b"hello", path=EP):
    return edit_record(data.encode(), {path: content}).decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            f"a.py,,\n{EP},sha256=x,1\n{OWN},,\n",
            f"a.py,,\n{EP},{HELLO},5\n{OWN},,\n",
            id="changed",
        ),
        pytest.param(
            f"{EP},sha384=x,1\n{OWN},,\n", f"{EP},{HELLO},5\n{OWN},,\n", id="another algorithm"
        ),
        pytest.param(
            f"{EP},{HELLO_384},5\na.py,,\n", f"{EP},{HELLO_384},5\na.py,,\n", id="right already"
        ),
        pytest.param(f"{EP},{HELLO},\n", f"{EP},{HELLO},\n", id="right without a size"),
        pytest.param(f"{EP},,\na.py,,\n", f"{EP},,\na.py,,\n", id="without a hash"),
        pytest.param(f"{EP},{HELLO},6\n", f"{EP},{HELLO},5\n", id="a wrong size"),
        pytest.param(f"{EP},nohash,6\n", f"{EP},{HELLO},5\n", id="not well-formed"),
        pytest.param(f"{EP},shake_128=x,5\n", f"{EP},{HELLO},5\n", id="a hash of any length"),
        pytest.param(f"{EP},{HELLO},5,more\n", f"{EP},{HELLO},5\n", id="more columns"),
        pytest.param(
            f"z.py,,\na.py,,\n{OWN},,\nb.py,,\n",
            f"z.py,,\na.py,,\n{EP},{HELLO},5\n{OWN},,\nb.py,,\n",
            id="directly before RECORD",
        ),
        pytest.param("z.py,,\na.py,,\n", f"z.py,,\na.py,,\n{EP},{HELLO},5\n", id="no own row"),
        pytest.param("", f"{EP},{HELLO},5\n", id="empty"),
        pytest.param(
            f"z.py,,\r\n{OWN},,\r\n", f"z.py,,\r\n{EP},{HELLO},5\r\n{OWN},,\r\n", id="CRLF"
        ),
        pytest.param(f"a.py,,\n{OWN},,", f"a.py,,\n{EP},{HELLO},5\n{OWN},,", id="no final newline"),
        pytest.param("a.py,,", f"a.py,,\n{EP},{HELLO},5\n", id="no final newline, no own row"),
        pytest.param(
            "p\\z.py,,\ns-1.dist-info\\RECORD,,\n",
            f"p\\z.py,,\n{EP},{HELLO},5\ns-1.dist-info\\RECORD,,\n",
            id="backslashes",
        ),
        pytest.param(
            f's-1.dist-info\\entry_points.txt,sha256=x,1\n"a,b.py",sha256=q,2\n{OWN},,\n',
            f'"a,b.py",sha256=q,2\n{EP},{HELLO},5\n{OWN},,\n',
            id="a row with backslashes",
        ),
        pytest.param(f"{EP},sha256=x,1\n{EP},sha256=x,1\n", f"{EP},{HELLO},5\n", id="twice"),
    ],
)
def test_a_row_follows_its_file(before, after):
    """Cases 87 and 94: every other row keeps its bytes."""
    assert _edited(before) == after


def test_the_row_of_a_file_that_is_gone_goes():
    """Case 92."""
    assert _edited(f"a.py,,\n{EP},sha256=x,1\n{OWN},,\n", None) == f"a.py,,\n{OWN},,\n"


def test_a_path_with_a_comma_is_quoted():
    """Case 94, for a new row."""
    row = next(csv.reader(io.StringIO(_edited("", path="a, b/x"))))
    assert row == ["a, b/x", HELLO, "5"]


def test_quoted_rows_keep_their_bytes():
    """Case 94: even a path with a line end in it."""
    rows = '"a,b.py",sha256=q,2\n"c""d\ne.py",,\n"plain.py",,\n'
    assert _edited(f"{rows}{EP},,\n", None) == rows


@pytest.mark.parametrize(
    ("row", "said"),
    [
        pytest.param("../x,,\n", "has a row for ../x, which lies outside", id="outside"),
        pytest.param("/x,,\n", "has a row for /x, which lies outside", id="absolute"),
        pytest.param("a,,\na,,\n", "has two rows for a", id="twice"),
        pytest.param("a,,,x\n", "has 4 columns for a, expected 3", id="columns"),
    ],
)
def test_odd_rows_are_kept_and_named(row, said):
    """They are a mistake, but not one to fix here."""
    assert odd_rows(row.encode()) == [said]
    assert _edited(row + f"{EP},,\n") == row + f"{EP},,\n"


_cells = st.text(st.characters(codec="utf-8", exclude_characters="\x00\r\\"), max_size=6)
_row = st.lists(_cells, min_size=1, max_size=4)


def _written(rows, end):
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator=end).writerows(rows)
    return out.getvalue().encode()


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(st.lists(_row, max_size=6), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_rows_of_others_survive(rows, end, gone):
    """The edit is done once, and the csv module reads all other rows as before."""
    data = _written(rows, end)
    content = None if gone else b"hello"
    edited = edit_record(data, {EP: content})
    assert edit_record(edited, {EP: content}) == edited
    read = list(csv.reader(io.StringIO(edited.decode(), newline="")))
    assert [row for row in read if row[:1] != [EP]] == rows


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=80))
def test_no_bytes_break_it(data):
    """Whatever stands there, a row is added, and taken away again."""
    added = edit_record(data, {EP: b"hello"})
    assert HELLO.encode() in added
    assert HELLO.encode() not in edit_record(added, {EP: None})
