"""Java's regular expressions mean here what they mean there, or are refused."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plugwright.errors import ConfigError
from plugwright.transforms import java_pattern

WHOLE = {
    "literal": ("a.c", "abc", True),
    "dot-no-return": ("a.c", "a\rc", False),
    "dot-no-next-line": ("a.c", "a\x85c", False),
    "dot-all": ("(?s)a.c", "a\nc", True),
    "escaped-dot": (r"a\.c", "abc", False),
    "ascii-digit": (r"\d", "\u0661", False),
    "ascii-word": (r"\w+", "étè", False),
    "not-word": (r"\W", "é", True),
    "horizontal": (r"\h", "\u3000", True),
    "vertical-is-a-set": (r"\v", "\u2028", True),
    "line-break": (r"a\Rb", "a\r\nb", True),
    "quote": (r"\Qa.c\E", "a.c", True),
    "quote-to-the-end": (r"\Qa.c", "abc", False),
    "quote-then-plus": (r"\Qab\E+", "abb", True),
    "control": (r"\cA", "\x01", True),
    "octal": (r"\0101", "A", True),
    "hex": (r"\x41", "A", True),
    "long-hex": (r"\x{1F600}", "\U0001f600", True),
    "unicode": (r"\u00e9", "é", True),
    "escape": (r"\e", "\x1b", True),
    "posix": (r"\p{Upper}\p{Digit}", "A1", True),
    "not-posix": (r"\P{Upper}", "a", True),
    "union": ("[a[bc]]+", "abc", True),
    "intersection": ("[a-z&&[^x]]+", "ax", False),
    "double-intersection": ("[a-z&&b-y&&[^m]]", "m", False),
    "negated-union": ("[^a[b]]", "b", False),
    "bracket-first": ("[]a]", "]", True),
    "hyphen-last": ("[a-]", "-", True),
    "sets-in-class": (r"[\d\p{Lower}]+", "a1", True),
    "escaped-in-class": (r"[\[\]\\]+", "[]\\", True),
    "tilde-in-class": ("[~|&-]+", "~~||&--", True),
    "case": ("(?i)ORD[a-f]+", "ordERA", False),
    "case-range": ("(?i)[a-c]+", "ABC", True),
    "case-range-only": ("(?i)[A-C]", "_", False),
    "case-negation": ("(?i)[^a]", "A", False),
    "case-negation-upper": ("(?i)[^A]", "a", False),
    "case-intersection": ("(?i)[a-z&&[^A]]", "a", False),
    "case-ascii-only": ("(?i)é", "É", False),
    "case-of-a-group": ("(?i:a)b", "AB", False),
    "case-off": ("(?i)a(?-i:b)", "AB", False),
    "dot-all-of-a-group": ("(?s:.).", "\n\n", False),
    "named": (r"(?<x>a)\k<x>", "aa", True),
    "back-reference": (r"(a)\1", "aa", True),
    "reference-then-digit": (r"(a)\10", "aa0", True),
    "possessive": ("a*+a", "aaa", False),
    "braces-after-braces": ("a{2}{3}", "aa", True),
    "braces-after-braces-do-not-multiply": ("a{2}{3}", "aaaaaa", False),
    "braces-after-optional": ("a?{2}", "aa", False),
    "braces-first": ("{3}", "", True),
    "no-braces-first": ("x{2}{0}y", "xxy", True),
    "atomic": ("(?>a*)a", "aaa", False),
    "lazy": ("a+?b", "aab", True),
    "counted": ("a{2,3}", "aaaa", False),
    "at-least": ("a{2,}", "aaaa", True),
    "look-ahead": ("(?!b).", "b", False),
    "look-behind": ("a(?<=a)b", "ab", True),
    "dollar-before-last-line-end": ("a$\\s*", "a\r\n", True),
    "z": (r"a\z\n?", "a\n", False),
    "closing-brace": ("a}", "a}", True),
    "space": ("a b#c", "a b#c", True),
}

REFUSED = {
    "property": (r"\p{L}", "Unicode property"),
    "script": (r"\p{IsGreek}", "Unicode property"),
    "short-property": (r"\pL", "Unicode property"),
    "flag-in-the-middle": ("a(?i)b", "flags in the middle"),
    "flag-x": ("(?x)a b", "the flag x"),
    "flag-m": ("(?m)^a", "the flag m"),
    "group-flag": ("(?u:a)", "the flag u"),
    "last-match": (r"\Ga", r"\\G"),
    "grapheme": (r"\X", r"\\X"),
    "grapheme-edge": (r"\b{g}", r"\\b"),
    "unknown-escape": (r"\y", r"\\y"),
    "varying-look-behind": ("(?<=a+)b", "look-behind"),
    "python-group": ("(?P<x>a)", "unknown group type"),
    "comment": ("(?#c)", "unknown group type"),
    "condition": ("(a)(?(1)b)", "unknown group type"),
    "missing-group": (r"\1(a)", "group 1"),
    "missing-name": (r"\k<x>(?<x>a)", "named group"),
    "brace": ("a{,3}", "Illegal repetition"),
    "lone-brace": ("{a}", "Illegal repetition"),
    "quantifier": ("a**", "Dangling meta character"),
    "first-quantifier": ("|+", "Dangling meta character"),
    "group": ("(a", "Unclosed group"),
    "closed": ("a)", "Unmatched closing"),
    "class": ("[a", "Unclosed character class"),
    "range": (r"[a-\d]", "Illegal character range"),
    "backspace": (r"[\b]", r"\\b"),
    "quote-in-class": (r"[\Qa\E]", "inside a character class"),
    "end": ("a\\", "Unexpected end"),
    "huge": (r"\x{7fffffff}", "too big"),
    "repeated-anchor-twice": ("^{2}*", "Dangling meta character"),
    "grapheme-after-text": (r"a\b{g}b", r"\\b"),
    "many-dots": ("." * 1_000_000, "sequence of more than 20000 parts"),
    "many-dotted": (".|" * 500_000, "more than 50000 parts that are not literals"),
    "many-optional": ("a?" * 1_000_000, "sequence of more than 20000 parts"),
    "many-alternatives": ("(a|a)" * 100_000, "sequence of more than 20000 parts"),
}

TEXTS = ("", "a", "b", "A", "aa", "ab", "ba", "aaaaaa", "aaa", "\n\n", "a\n", "\r\n\r\n", "B")
REPEATED_ASSERTIONS = {
    "^{2}": "1000000000000 1111111111111",
    "^{2}a": "0100000000000 0100110110100",
    "^*": "1000000000000 1111111111111",
    "^*a": "0100000000000 0100111110100",
    "^+a": "0100000000000 0100110110100",
    "^?a": "0100000000000 0100111110100",
    "a$*": "0100000000000 0100111110100",
    "a${2}": "0100000000000 0100101110100",
    r"\b{2}a": "0100000000000 0100110110100",
    r"\b*a": "0100000000000 0100111110100",
    r"\B*a": "0100000000000 0100111110100",
    r"\A+a": "0100000000000 0100110110100",
    r"a\z*": "0100000000000 0100111110100",
    r"a\Z?": "0100000000000 0100111110100",
    "^{0}b": "0010000000000 0010011000000",
    "^*?a": "0100000000000 0100111110100",
    "^{2}+a": "0100000000000 0100110110100",
    "^{2,3}a": "0100000000000 0100110110100",
    "a|^{2}b": "0110000000000 0110111110100",
    "(?=a){2}a": "0100000000000 0100111110100",
    "(?!a)*b": "0010000000000 0010011000000",
    "(?i)^{2}A": "0101000000000 0101110110100",
    "$${2}": "1000000000000 1111111111111",
    r"\b?a": "0100000000000 0100111110100",
    r"a\b{1}": "0100000000000 0100101110100",
    "^{2}{3}a": "0100000000000 0100110110100",
}
"""What Java 17 answers to ``matches`` and to ``find``, a digit for each of ``TEXTS``."""


@pytest.mark.parametrize(("pattern", "answers"), REPEATED_ASSERTIONS.items())
def test_assertions_are_repeated_as_in_java(pattern, answers):
    """Python repeats most of them in a group only."""
    found = java_pattern(pattern, "regex")

    whole = "".join(str(int(found.fullmatch(text) is not None)) for text in TEXTS)
    anywhere = "".join(str(int(found.search(text) is not None)) for text in TEXTS)
    assert f"{whole} {anywhere}" == answers


@pytest.mark.slow
@pytest.mark.parametrize("part", [".", "a", "[a]", r"\.", "a?"])
def test_long_patterns_match(part):
    """Java's default stack takes about five thousand parts."""
    assert java_pattern(part * 5_000, "regex").fullmatch(("." if "." in part else "a") * 5_000)


@pytest.mark.slow
def test_an_alternation_may_be_long():
    """Java's stack does not grow with the number of alternatives."""
    topics = java_pattern("|".join(f"team.{number}" for number in range(25_000)), "regex")

    assert topics.fullmatch("team-24999")
    assert not topics.fullmatch("team-25000")


@pytest.mark.parametrize(("pattern", "text", "expected"), WHOLE.values(), ids=WHOLE)
def test_a_pattern_matches_what_it_matches_in_java(pattern, text, expected):
    """Java's meaning, where Python's own would often be another."""
    assert (java_pattern(pattern, "regex").fullmatch(text) is not None) is expected


@pytest.mark.parametrize(("pattern", "construct"), REFUSED.values(), ids=REFUSED)
def test_what_has_no_counterpart_is_refused_by_name(pattern, construct):
    """Never does a pattern mean something else."""
    with pytest.raises(ConfigError, match=construct) as raised:
        java_pattern(pattern, "regex")

    assert raised.value.facts["key"] == "regex"


@pytest.mark.slow
@settings(max_examples=100)
@given(st.text(min_size=1, max_size=20))
def test_quoted_text_matches_itself(text):
    """Nothing between the quotes has a meaning."""
    quoted = text.replace("\\E", "")

    assert java_pattern(f"\\Q{quoted}\\E", "regex").fullmatch(quoted)


@pytest.mark.slow
@settings(max_examples=100)
@given(st.text(alphabet="ab[](){}*+?|^$.\\-&,1idsQE<>:=!", max_size=12))
def test_any_text_is_a_pattern_or_refused(pattern):
    """No other error, and no warning."""
    try:
        assert isinstance(java_pattern(pattern, "regex"), re.Pattern)
    except ConfigError as error:
        assert error.facts["key"] == "regex"  # noqa: PT017  # either outcome is right
