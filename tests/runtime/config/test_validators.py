"""Validators: what they accept, refuse, and how they read (reference §4.3)."""

from __future__ import annotations

import pytest

from plugwright.config import (
    CaseInsensitiveValidString,
    CompositeValidator,
    LambdaValidator,
    ListSize,
    NonEmptyString,
    NonEmptyStringWithoutControlChars,
    NonNullValidator,
    Password,
    Range,
    ValidList,
    ValidString,
    invalid_value,
)
from plugwright.errors import ConfigError


def even(name, value):
    """A check of a plugin."""
    if value % 2:
        raise invalid_value(name, value, "must be even")


AT_LEAST = Range.at_least(3)
BETWEEN = Range.between(0, 14)
LISTED = ValidString.in_("a", "b")
ANY_CASE = CaseInsensitiveValidString.in_("good", "Values")
ELEMENTS = ValidList.in_("1", "2")
SOMETHING = ValidList.in_("1", "2", empty_allowed=False)
ANYTHING = ValidList.any_non_duplicate_values(empty_allowed=False, null_allowed=False)
MAYBE = ValidList.any_non_duplicate_values(empty_allowed=True, null_allowed=True)
SIZE = ListSize.at_most_of_size(2)
PRINTABLE = NonEmptyStringWithoutControlChars()
EVEN = LambdaValidator.with_(even, lambda: "even numbers")
BOTH = CompositeValidator.of(NonNullValidator(), LISTED)


@pytest.mark.parametrize(
    ("validator", "text"),
    [
        (AT_LEAST, "[3,...]"),
        (BETWEEN, "[0,...,14]"),
        (Range(None, 5), "[...,5]"),
        (Range(), "[...]"),
        (LISTED, "[a, b]"),
        (ANY_CASE, "(case insensitive) [GOOD, VALUES]"),
        (ELEMENTS, "[1, 2]"),
        (ANYTHING, ""),
        (NonNullValidator(), "non-null string"),
        (NonEmptyString(), "non-empty string"),
        (PRINTABLE, "non-empty string without ISO control characters"),
        (SIZE, "List containing maximum of 2 elements"),
        (EVEN, "even numbers"),
        (BOTH, "non-null string, [a, b]"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_reads_as_in_kafka(validator, text):
    """The text of "Valid Values"."""
    assert str(validator) == text


@pytest.mark.parametrize(
    ("validator", "value"),
    [
        pytest.param(AT_LEAST, 3, id="lowest"),
        pytest.param(BETWEEN, 14, id="highest"),
        pytest.param(BETWEEN, 0.5, id="fraction"),
        pytest.param(LISTED, "b", id="listed"),
        pytest.param(ValidString.in_("a", None), None, id="listed-null"),
        pytest.param(ANY_CASE, "gOOd", id="other-case"),
        pytest.param(ELEMENTS, ["2", "1"], id="elements"),
        pytest.param(ANYTHING, ["x", "y"], id="any-elements"),
        pytest.param(MAYBE, None, id="no-list"),
        pytest.param(ELEMENTS, [], id="no-elements"),
        pytest.param(NonNullValidator(), "", id="empty-is-not-null"),
        pytest.param(NonEmptyString(), None, id="null-is-not-empty"),
        pytest.param(PRINTABLE, None, id="null-has-no-control-characters"),
        pytest.param(PRINTABLE, "/+%>&):??<&()?- \U0001f601\uf3b1", id="odd-but-printable"),
        pytest.param(SIZE, ["a", "b"], id="full-list"),
        pytest.param(SIZE, None, id="null-has-no-size"),
        pytest.param(EVEN, 4, id="lambda"),
        pytest.param(BOTH, "a", id="composite"),
    ],
)
def test_accepts(validator, value):
    """A good value passes in silence."""
    assert validator("k", value) is None


@pytest.mark.parametrize(
    ("validator", "value", "shown", "message"),
    [
        pytest.param(AT_LEAST, None, "null", "Value must be non-null", id="range-null"),
        pytest.param(AT_LEAST, 2, "2", "Value must be at least 3", id="range-low"),
        pytest.param(BETWEEN, 15, "15", "Value must be no more than 14", id="range-high"),
        pytest.param(AT_LEAST, "9", "9", "Value must be a number", id="range-text"),
        pytest.param(LISTED, "c", "c", "String must be one of: a, b", id="not-listed"),
        pytest.param(LISTED, None, "null", "String must be one of: a, b", id="null-not-listed"),
        pytest.param(
            ANY_CASE,
            "bad",
            "bad",
            "String must be one of (case insensitive): GOOD, VALUES",
            id="not-listed-in-any-case",
        ),
        pytest.param(
            ANY_CASE,
            None,
            "null",
            "String must be one of (case insensitive): GOOD, VALUES",
            id="null-in-any-case",
        ),
        pytest.param(ELEMENTS, ["1", "4"], "4", "String must be one of: 1, 2", id="element"),
        pytest.param(NonNullValidator(), None, "null", "entry must be non null", id="null"),
        pytest.param(NonEmptyString(), "", "", "String must be non-empty", id="empty"),
        pytest.param(PRINTABLE, "", "", "String may not be empty", id="empty-name"),
        pytest.param(
            PRINTABLE,
            "a\x01b\x7f\x9f",
            "a\x01b\x7f\x9f",
            "String may not contain control sequences but had the following ASCII chars:"
            " 1, 127, 159",
            id="control-characters",
        ),
        pytest.param(
            SIZE, ["a", "b", "c"], "[a, b, c]", "exceeds maximum list size of [2].", id="long-list"
        ),
        pytest.param(EVEN, 3, "3", "must be even", id="lambda"),
        pytest.param(BOTH, None, "null", "entry must be non null", id="composite-first-counts"),
        pytest.param(NonEmptyString(), "", "", "String must be non-empty", id="empty-string"),
        pytest.param(
            LISTED, Password("x"), "[hidden]", "String must be one of: a, b", id="password"
        ),
    ],
)
def test_refuses_in_kafkas_words(validator, value, shown, message):
    """The whole message, value, key and reason."""
    with pytest.raises(ConfigError) as caught:
        validator("k", value)

    assert str(caught.value) == f"Invalid value {shown} for configuration k: {message}"


@pytest.mark.parametrize(
    ("validator", "value", "message"),
    [
        (ELEMENTS, None, "values must not be null."),
        (ELEMENTS, ["1", "2", "1"], "values must not be duplicated."),
        (ELEMENTS, ["1", ""], "values must not be empty."),
        (SOMETHING, [], "must not be empty. Valid values include: [1, 2]"),
        (ANYTHING, [], "must not be empty. Valid values include: any non-empty value"),
        (ANYTHING, ["a", ""], "values must not be empty."),
        (MAYBE, ["a", "a"], "values must not be duplicated."),
    ],
    ids=["null", "twice", "empty-element", "empty", "empty-of-any", "empty-any", "twice-any"],
)
def test_lists_are_refused_in_words_of_their_own(validator, value, message):
    """KIP-1161 names the key, not the value."""
    with pytest.raises(ConfigError) as caught:
        validator("k", value)

    assert str(caught.value) == f"Configuration 'k' {message}"
    assert caught.value.facts["key"] == "k"


def test_list_that_must_hold_one_of_nothing_cannot_be_defined():
    """Such a validator would refuse everything."""
    with pytest.raises(ValueError, match="At least one valid string"):
        ValidList.in_(empty_allowed=False)


def test_bounds_print_as_in_java():
    """With the exponent that Java gives a double."""
    assert str(Range.between(1e-5, 2)) == "[1.0E-5,...,2]"


def test_validators_are_values():
    """Equal validators are equal and can be hashed."""
    assert Range.between(0, 1) == Range.between(0, 1)
    assert len({ValidString.in_("a"), ValidString.in_("a"), NonEmptyString()}) == 2
