"""Foreign text is made harmless and stays readable."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plugwright_conformance.report import one_line
from plugwright_conformance.report.neutral import clip, visible

OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain Größe 你好 ✓", "plain Größe 你好 ✓"),
        ("a\tb\nc", "a\tb\nc"),
        ("a\r\nb", "a\nb"),
        ("a\rb", r"a\rb"),
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("\x9b31m", r"\x9b31m"),
        ("user\u202enimda", r"user\u202enimda"),
        ("\u2066x\u2069", r"\u2066x\u2069"),
        ("a\u200bb\ufeff", r"a\u200bb\ufeff"),
        ("\ud800", r"\ud800"),
        ("\uffff", r"\uffff"),
        ("\U000e0041", r"\U000e0041"),
        ("no-break\xa0space", "no-break\xa0space"),
    ],
)
def test_visible(text, shown):
    """Literal pairs, one for each kind of character."""
    assert visible(text) == shown


def test_one_line_leaves_no_line_breaks():
    """White space of any kind becomes one blank."""
    assert one_line(" a\n\tb\r\n  c ") == "a b c"


@pytest.mark.parametrize(
    ("text", "shown"),
    [("abc", "abc"), ("abcd", "abc … (1 more characters in results.json)")],
)
def test_clip(text, shown):
    """Up to the limit nothing changes."""
    assert clip(text, 3) == shown


@pytest.mark.slow
@given(st.text(st.characters(codec=None)))
@settings(max_examples=100)
def test_nothing_that_is_obeyed_gets_through(text):
    """Whatever a plugin writes, no character with an effect is left."""
    assert OBEYED.search(visible(text)) is None
