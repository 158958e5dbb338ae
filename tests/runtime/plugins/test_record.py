"""The rows of a RECORD: one that is wrong spoils no other."""

from __future__ import annotations

import pytest

from plugwright.plugins import record_rows


@pytest.mark.parametrize(
    ("data", "paths"),
    [
        pytest.param(b"a.py,,\nb.py,,\n", ["a.py", "b.py"], id="plain"),
        pytest.param(b'"a,b.py",,\n', ["a,b.py"], id="a comma"),
        pytest.param(b'"a\nb.py",,\nc.py,,\n', ["a\nb.py", "c.py"], id="a line end in a path"),
        pytest.param(b'"a.py,,\nb.py,,\n', ["", "b.py"], id="an open quote"),
        pytest.param(b'a.py,,"\nb.py,,\n', ["", "b.py"], id="an open quote at the end"),
        pytest.param(b'"a.py"x,,\nb.py,,\n', ["", "b.py"], id="text behind a quote"),
        pytest.param(b"p\\a.py,,\n./b.py,,\n", ["p/a.py", "b.py"], id="other spellings"),
        pytest.param(b"a.py\nb.py,,,\n\n", ["a.py", "b.py", ""], id="too few or too many columns"),
        pytest.param(b"\xff.py,,\n", ["\udcff.py"], id="not UTF-8"),
        pytest.param(b"", [], id="nothing"),
    ],
)
def test_paths(data, paths):
    """Each in one spelling; empty where the row does not say one."""
    assert [row.path for row in record_rows(data)] == paths


@pytest.mark.parametrize("data", [b'"a\nb",,\r\nc,,', b'"open,,\nx,,\n', b"\n\n,\xff\n"])
def test_rows_have_all_bytes(data):
    """Whoever writes them again loses nothing."""
    text = "".join(row.text for row in record_rows(data))
    assert text.encode(errors="surrogateescape") == data
