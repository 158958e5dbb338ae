"""Errors cross processes with what programs read of them."""

from __future__ import annotations

import pytest

from plugwright.errors import ConfigError, ConnectError, DataError, PluginError, RetriableError
from plugwright.hosts.reports import report, revive


class ShopError(DataError):
    """A plugin's own class of error."""


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ConfigError("bad", code="a.b", hint="do", facts={"key": "k"}), ConfigError),
        (RetriableError("bad", code="a.b", hint="do", facts={"key": "k"}), RetriableError),
        (ShopError("bad", code="a.b", hint="do", facts={"key": "k"}), DataError),
        (ConnectError("bad", code="a.b", hint="do", facts={"key": "k"}), ConnectError),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_code_message_hint_and_facts_survive(error, kind):
    """Under the nearest class that every process has."""
    found = revive(report(error))
    assert (type(found), str(found), found.code, found.hint, dict(found.facts)) == (
        kind, "bad", "a.b", "do", {"key": "k"},
    )  # fmt: skip


def test_a_foreign_error_becomes_a_plugin_error():
    """With the name of its class; one without text is called by that."""
    found = revive(report(KeyError()))
    assert (type(found), str(found), found.facts["error"]) == (PluginError, "KeyError", "KeyError")


def test_facts_become_plain():
    """Problems stay pairs; anything foreign becomes text."""
    facts = {"problems": (("a", "b"),), "more": {1: [object]}}
    found = report(ConfigError("bad", facts=facts)).facts
    assert found == {"problems": (("a", "b"),), "more": {"1": ("<class 'object'>",)}}


def test_where_it_came_from_is_a_note():
    """The other process's stack is not lost."""

    def fail():
        raise ConnectError("bad")

    with pytest.raises(ConnectError) as caught:
        fail()
    (note,) = revive(report(caught.value)).__notes__
    assert "in fail" in note


class HollowError(ConnectError):
    """Has no text, and a code that is none."""

    def __init__(self):
        super().__init__("x", code=object())

    def __str__(self):
        raise RuntimeError


def test_an_error_that_fails_itself_is_reported_all_the_same():
    """As plain data; a caller waits for it."""
    reported = report(HollowError())
    assert (reported.kind, reported.message, type(reported.code)) == (
        "ConnectError",
        "HollowError",
        str,
    )
