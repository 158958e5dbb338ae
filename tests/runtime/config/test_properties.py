r"""Java properties text, read as java.util.Properties reads it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plugwright.config import parse_properties, properties_text
from plugwright.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", {}, id="nothing"),
        pytest.param("a=1", {"a": "1"}, id="equals"),
        pytest.param("a:1", {"a": "1"}, id="colon"),
        pytest.param("a 1", {"a": "1"}, id="blank"),
        pytest.param("a\t=\f 1", {"a": "1"}, id="blanks-around-the-separator"),
        pytest.param("a = = 1", {"a": "= 1"}, id="only-one-separator"),
        pytest.param("a b=c", {"a": "b=c"}, id="blank-is-the-separator"),
        pytest.param("a=1 \t", {"a": "1 \t"}, id="trailing-blanks-stay"),
        pytest.param("  a=1", {"a": "1"}, id="leading-blanks-go"),
        pytest.param("a", {"a": ""}, id="key-alone"),
        pytest.param("=v", {"": "v"}, id="empty-key"),
        pytest.param("a=1\nb=2\r\nc=3\rd=4", {"a": "1", "b": "2", "c": "3", "d": "4"}, id="ends"),
        pytest.param("a=1\n\n \t\nb=2", {"a": "1", "b": "2"}, id="blank-lines"),
        pytest.param("# a=1\n  ! b=2\nc=3", {"c": "3"}, id="comments"),
        pytest.param("# a\\\nb=2", {"b": "2"}, id="comments-do-not-continue"),
        pytest.param("a=x#y", {"a": "x#y"}, id="no-comment-inside-a-line"),
        pytest.param("a=1,\\\n   2,\\\r\n\t3", {"a": "1,2,3"}, id="continued"),
        pytest.param("a=1\\\n#2", {"a": "1#2"}, id="no-comment-in-a-continuation"),
        pytest.param("a=1\\\n\nb=2", {"a": "1", "b": "2"}, id="blank-line-ends-a-continuation"),
        pytest.param("a\\\n  b=1", {"ab": "1"}, id="continued-key"),
        pytest.param("a=1\\", {"a": "1"}, id="backslash-at-the-end"),
        pytest.param("a=1\\\\\nb=2", {"a": "1\\", "b": "2"}, id="escaped-backslash-does-not"),
        pytest.param("a=C:\\\\x\\\\y", {"a": "C:\\x\\y"}, id="windows-path"),
        pytest.param("a\\ b\\=\\:c = 1", {"a b=:c": "1"}, id="escaped-separators"),
        pytest.param("\\#a=1", {"#a": "1"}, id="escaped-comment-sign"),
        pytest.param("a=\\t\\n\\r\\f\\q", {"a": "\t\n\r\fq"}, id="escapes"),
        pytest.param("a=\\u00e9\\u0041b", {"a": "éAb"}, id="unicode-escape"),
        pytest.param("a=\\uD83D\\uDE01", {"a": "\U0001f601"}, id="escaped-pair"),
        pytest.param("a=\\ud83d", {"a": "\ud83d"}, id="escaped-lone-surrogate"),
        pytest.param("a=\\\\u0041", {"a": "\\u0041"}, id="escaped-backslash-before-u"),
        pytest.param("k\u2028=é\x0b\x85", {"k\u2028": "é\x0b\x85"}, id="only-java-line-ends"),
        pytest.param("a=1\na=2", {"a": "2"}, id="last-one-counts"),
        pytest.param("\ufeffa=1", {"a": "1"}, id="byte-order-mark"),
    ],
)
def test_reads_like_java(text, expected):
    """The rules of java.util.Properties.load, case by case."""
    assert parse_properties(text) == expected


@pytest.mark.parametrize("text", ["b=1\n\na=\\u12", "b=1\n\na=\\uxyz1", "b=1\n\n\\u=1"])
def test_malformed_unicode_escape_names_the_line(text):
    """Java's words, and where to look."""
    with pytest.raises(ConfigError) as caught:
        parse_properties(text)

    assert str(caught.value) == "Malformed \\uxxxx encoding in line 3."
    assert caught.value.facts["line"] == 3


def _escaped(text):
    """An independent writer: every character as a Unicode escape."""
    units = text.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[place : place + 4]}" for place in range(0, len(units), 4))


TEXT = st.text(max_size=20).map(lambda text: text.encode("utf-8", "replace").decode())


@pytest.mark.slow
@settings(max_examples=50)
@given(st.dictionaries(TEXT, TEXT, max_size=4))
def test_whatever_is_escaped_comes_back(pairs):
    """Keys and values of any characters survive when they are escaped."""
    text = "\n".join(f"{_escaped(key)}={_escaped(value)}" for key, value in pairs.items())

    assert parse_properties(text) == pairs


@pytest.mark.slow
@settings(max_examples=100)
@given(st.dictionaries(TEXT | st.text(alphabet="ab=: \\#!\n\r\t\fu0"), TEXT, max_size=4))
def test_whatever_is_written_comes_back(pairs):
    """A broker and Spark are given their settings so."""
    assert parse_properties(properties_text(pairs)) == pairs


def test_properties_are_written_as_java_reads_them():
    """Backslashes, line ends and leading blanks are escaped (java.util.Properties.load)."""
    assert properties_text({"b": " x", "a": "c:\\d\ne"}) == "a=c:\\\\d\\ne\nb=\\ x\n"


@pytest.mark.slow
@settings(max_examples=100)
@given(st.text(alphabet="ab=: \\#!\n\r\tu0", max_size=30))
def test_any_text_is_read_or_refused(text):
    """No text leads to another exception."""
    try:
        parsed = parse_properties(text)
    except ConfigError:
        return

    assert all(isinstance(part, str) for pair in parsed.items() for part in pair)
