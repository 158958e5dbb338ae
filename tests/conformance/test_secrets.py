"""Which settings CON-SEC-01 takes for secrets."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from tests.conformance.conftest import check_of

from plugwright.config import ConfigDef, ConfigType, Importance
from plugwright_conformance.evidence.outcome import CheckFailedError, NotApplicableError


def check(definition):
    """One run of the check over a definition."""
    connector = SimpleNamespace(config=lambda: definition)
    return check_of("CON-SEC-01")().run(SimpleNamespace(connector=lambda: connector))


def key(name, type_=ConfigType.STRING):
    """A definition with one key."""
    return ConfigDef().define(name, type_, importance=Importance.LOW, documentation="What it is.")


@pytest.mark.parametrize(
    "name",
    ["password", "db.password", "api_key", "aws.secret.access.key", "AUTH.TOKEN", "tls-passphrase"],
)
def test_text_under_the_name_of_a_secret_fails(name):
    """The last word decides."""
    with pytest.raises(CheckFailedError, match=f"expected type PASSWORD for {name}"):
        check(key(name))


@pytest.mark.parametrize("name", ["token.url", "password.file", "key", "primary.key", "tokenizer"])
def test_other_names_pass(name):
    """A secret is mentioned, or nothing of the kind."""
    assert check(key(name)).observations == 1


@pytest.mark.parametrize(
    "type_", [ConfigType.PASSWORD, ConfigType.INT, ConfigType.BOOLEAN], ids=lambda t: t.name
)
def test_types_that_hide_or_hold_no_text_pass(type_):
    """There is nothing to hide in a number."""
    assert check(key("password", type_)).observations == 1


def test_without_keys_there_is_nothing_to_check():
    """And no pass without an observation."""
    with pytest.raises(NotApplicableError):
        check(ConfigDef())
