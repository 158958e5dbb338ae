"""Headers for every answer."""

from __future__ import annotations

import pytest
from tests.runtime.rest.fakes import FakeHerder, client_of

from plugwright.errors import ConfigError
from plugwright.rest import HeaderRule
from plugwright.rest.header_rules import apply_rules, parse_rules


@pytest.mark.parametrize(
    ("config", "rules"),
    [
        ("", ()),
        ("  ", ()),
        ("set X-Frame-Options: DENY", (HeaderRule("set", "X-Frame-Options", "DENY"),)),
        (
            "ADD \t a:b , setdate c: 1000",
            (HeaderRule("add", "a", "b"), HeaderRule("setDate", "c", "1000")),
        ),
        (
            '"add Cache-Control: no-cache, no-store",set X-XSS-Protection:1; mode=block',
            (
                HeaderRule("add", "Cache-Control", "no-cache, no-store"),
                HeaderRule("set", "X-XSS-Protection", "1; mode=block"),
            ),
        ),
    ],
    ids=["nothing", "blanks", "one", "two", "quoted"],
)
def test_rules_are_read(config, rules):
    """Commas divide them unless quoted."""
    assert parse_rules(config) == rules


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            "set",
            (
                "Invalid format of header config 'set'. "
                "Expected: '[action] [header name]:[header value]'"
            ),
        ),
        (
            "drop a:b",
            "Invalid header config action: 'drop'. Expected one of [set, add, setDate, addDate]",
        ),
        (
            "add a",
            (
                "Invalid format of header name and header value pair 'a'. "
                "Expected: '[header name]:[header value]'"
            ),
        ),
        (
            "add a:b:c",
            (
                "Invalid format of header name and header value pair 'a:b:c'. "
                "Expected: '[header name]:[header value]'"
            ),
        ),
        (
            "add a b:c",
            "Invalid header name 'a b'. The '[header name]' cannot contain whitespace",
        ),
        (
            "add :c",
            "Invalid header name ''. The '[header name]' cannot contain whitespace",
        ),
        (
            "add ä:c",
            (
                "Invalid header name 'ä'. The '[header name]' can only contain the characters of "
                "an HTTP token"
            ),
        ),
        (
            "add a:ü",
            (
                "Invalid header value 'ü'. The '[header value]' can only contain printable ASCII "
                "characters"
            ),
        ),
        (
            "setDate a:soon",
            "Invalid header value 'soon'. setDate expects milliseconds from now",
        ),
    ],
    ids=lambda value: value[:16],
)
def test_other_texts_are_explained(config, message):
    """In Kafka's words where it has some."""
    with pytest.raises(ConfigError) as caught:
        parse_rules(config)

    assert str(caught.value) == message


def test_rules_change_headers_in_their_order():
    """Set replaces, add stands beside, dates count from now."""
    rules = parse_rules("set a:1, add b:2, addDate d:86400000, set B:3")
    headers = [(b"A", b"0"), (b"b", b"0")]

    changed = apply_rules(rules, headers, clock=lambda: 0.0)

    assert changed == [(b"a", b"1"), (b"d", b"Fri, 02 Jan 1970 00:00:00 GMT"), (b"b", b"3")]


@pytest.mark.parametrize("path", ["/connectors", "/nope"])
def test_every_answer_has_them(path):
    """Errors too."""
    call = client_of(FakeHerder(), {"response.http.headers.config": "set X-Frame-Options: DENY"})

    assert call("GET", path).headers["x-frame-options"] == "DENY"
