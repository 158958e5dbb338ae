"""Canonical JSON gives the bytes of RFC 8785, and refuses what has none here."""

from __future__ import annotations

import pytest

from plugwright_conformance.certificate import NotCanonicalError, canonical
from plugwright_conformance.certificate.canonical_json import plain, read_canonical


def test_properties_are_sorted_by_utf_16_units():
    """The sample of RFC 8785, section 3.2.3: the smiley's surrogate sorts before U+FB33."""
    sample = {
        "\u20ac": "Euro Sign",
        "\r": "Carriage Return",
        "\ufb33": "Hebrew Letter Dalet With Dagesh",
        "1": "One",
        "\U0001f600": "Emoji: Grinning Face",
        "\u0080": "Control",
        "\u00f6": "Latin Small Letter O With Diaeresis",
    }

    assert canonical(sample).decode() == (
        '{"\\r":"Carriage Return","1":"One","\u0080":"Control",'
        '"\u00f6":"Latin Small Letter O With Diaeresis","\u20ac":"Euro Sign",'
        '"\U0001f600":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}'
    )


def test_strings_are_escaped_as_little_as_possible():
    """The sample of RFC 8785, section 3.2.2."""
    sample = {"string": '\u20ac$\u000f\nA\'B"\\\\"/', "literals": [None, True, False]}

    assert canonical(sample) == (
        b'{"literals":[null,true,false],"string":"\xe2\x82\xac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )


@pytest.mark.parametrize(
    "value",
    [0.5, {"a": [1.0]}, 2**53, -(2**53), "\ud800", {"\udfff": 1}, b"bytes", {1: 2}],
    ids=["fraction", "nested", "big", "small", "surrogate", "key", "bytes", "integer-key"],
)
def test_what_has_no_canonical_form_is_refused(value):
    """Digested parts hold nothing that two readers could understand differently."""
    with pytest.raises(NotCanonicalError):
        canonical(value)


@pytest.mark.parametrize(
    "data",
    [
        b"{",
        b'{"a":1,"a":1}',
        b'{"a": 1}',
        b'{"b":1,"a":1}',
        b"1.0",
        b"1e2",
        b"NaN",
        b"-0",
        b'"\\u0041"',
        b'"\\/"',
        b"1\n",
        b"\xef\xbb\xbf1",
        b'"\xff"',
        b"9" * 400,
        b"[" * 100_000,
    ],
    ids=[
        "cut",
        "repeated",
        "blank",
        "unsorted",
        "fraction",
        "exponent",
        "nan",
        "minus-zero",
        "escape",
        "slash",
        "line-feed",
        "mark",
        "no-utf-8",
        "digits",
        "deep",
    ],
)
def test_other_forms_are_refused(data):
    """One value has one form; whatever reads the same and looks different is not it."""
    with pytest.raises(NotCanonicalError):
        read_canonical(data)


def test_canonical_bytes_are_read():
    """And give their value."""
    assert read_canonical(b'{"a":[1,"x",null,true]}') == {"a": [1, "x", None, True]}


def test_plain_values_have_no_fractions_and_no_surrogates():
    """What a plugin declares can always be digested."""
    assert plain({"a": (0.5, float("nan"), 3), 7: "x\ud800"}) == {
        "a": ["0.5", "nan", 3],
        "7": "x\ufffd",
    }
