"""Texts that providers have supplied, and what is shown in their place."""

from __future__ import annotations

import base64
from urllib.parse import quote

import pytest

from plugwright.config import HiddenTexts
from plugwright.errors import ConfigError

SECRET = 'gr8 "pass"/w0rd'  # noqa: S105  # a made-up one


@pytest.mark.parametrize(
    "text",
    [
        SECRET,
        SECRET.upper(),
        f"x{SECRET}y",
        repr(SECRET + "\\")[1:-3],
        'gr8 \\"pass\\"/w0rd',
        quote(SECRET, safe=""),
        quote(SECRET),
        quote(SECRET).replace("%20", "+"),
        base64.b64encode(SECRET.encode()).decode(),
    ],
    ids=["plain", "upper", "within", "repr", "json", "url", "path", "form", "base64"],
)
def test_a_long_text_is_hidden_however_it_is_spelt(text):
    """Nothing of it is left."""
    reported = HiddenTexts([SECRET]).hide(f"failed at {text}!")

    assert "[hidden]" in reported
    assert "w0rd" not in reported.lower()


@pytest.mark.parametrize(
    ("secret", "text", "reported"),
    [
        ("7", "7 of 17 tasks, 7 failed", "7 of 17 tasks, 7 failed"),
        (
            "7",
            "Invalid value 7 for configuration n: low",
            "Invalid value [hidden] for configuration n: low",
        ),
        ("7", "values:\n\tn = 7\n\tm = 17\n", "values:\n\tn = [hidden]\n\tm = 17\n"),
        ("true", "it is true", "it is true"),
        ("null", "null and void", "null and void"),
        ("abcd", "abcd abcde _abcd (abcd)", "[hidden] abcde _abcd ([hidden])"),
        ("", "nothing", "nothing"),
        ("   ", "a   b", "a   b"),
        ("long-one\nlong-two", "of long-two", "of [hidden]"),
        ("long-one, b", "of long-one and b", "of [hidden] and b"),
        ("  padded-one\n", "is padded-one", "is [hidden]"),
        ("abcd,b", "transforms.abcd.type of abcde, b", "transforms.[hidden].type of abcde, b"),
    ],
)
def test_short_texts_are_hidden_where_they_mean_the_setting(secret, text, reported):
    """Whatever stands in every text would garble every text."""
    assert HiddenTexts([secret]).hide(text) == reported


def test_the_longest_text_is_hidden_first():
    """Else its rest would be left."""
    assert HiddenTexts(["long-one", "long-one-more"]).hide("at long-one-more") == "at [hidden]"


def test_errors_are_freed_of_them_with_all_that_led_to_them():
    """Message, hint, facts, notes, causes; what they are stays."""
    hidden = HiddenTexts(["pa55-w0rd"])
    error = ConfigError(
        "no pa55-w0rd", hint="not pa55-w0rd", facts={"problems": (("k", "pa55-w0rd"),), "n": 1}
    )
    error.add_note("with pa55-w0rd")
    error.__cause__ = ValueError("pa55-w0rd", 7)

    with pytest.raises(ConfigError) as caught, hidden.in_errors():
        raise error

    assert caught.value is error
    assert str(error) == "no [hidden]"
    assert error.hint == "not [hidden]"
    assert dict(error.facts) == {"problems": (("k", "[hidden]"),), "n": 1}
    assert error.__notes__ == ["with [hidden]"]
    assert error.__cause__.args == ("[hidden]", 7)
