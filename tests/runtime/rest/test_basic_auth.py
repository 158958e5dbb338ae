"""Basic authentication."""

from __future__ import annotations

import logging
from base64 import b64encode

import pytest
from tests.runtime.rest.credentials import basic_credentials
from tests.runtime.rest.fakes import FakeHerder, client_of

from plugwright.errors import ConfigError
from plugwright.rest import BasicAuthSecurityRestExtension

KEY = "rest.basic.auth.credentials.file"


@pytest.fixture
def guarded(tmp_path):
    """Makes a client of an API that a credentials file guards."""

    def client(text, **options):
        file = tmp_path / "credentials.properties"
        file.write_text(text, encoding="utf-8")
        extension = BasicAuthSecurityRestExtension()
        extension.configure({KEY: str(file)})
        return client_of(FakeHerder(), extensions=[extension], **options)

    return client


@pytest.mark.parametrize(
    "headers",
    [basic_credentials("alice:wonder:land"), basic_credentials("bob:ünder", "bAsIc")],
    ids=["colon in the password", "case and umlaut"],
)
def test_whoever_is_known_gets_in(guarded, headers):
    """The method's name has no case, the first colon divides."""
    call = guarded("alice=wonder:land\nbob=ünder\n")

    assert call("GET", "/connectors", headers=headers).status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        basic_credentials("alice:wrong"),
        basic_credentials("alice:"),
        basic_credentials("mallory:secret"),
        basic_credentials("mallory:"),
        basic_credentials("alice"),
        basic_credentials(":secret"),
        basic_credentials("alice:secret", "Bearer"),
        {"authorization": "Basic"},
        {"authorization": basic_credentials("alice:secret")["authorization"] + "!"},
        {"authorization": "Basic /w=="},
        {"authorization": b64encode(b"alice:secret").decode()},
    ],
    ids=str,
)
def test_everybody_else_stays_out(guarded, headers):
    """401 in Kafka's words, and the way to ask."""
    answer = guarded("alice=secret\n")("GET", "/connectors", headers=headers)

    assert (answer.status, answer.message) == (401, "User cannot access the resource.")
    assert answer.headers["www-authenticate"] == 'Basic realm="connect"'


def test_an_empty_file_lets_everybody_in(guarded, caplog):
    """As Kafka's login module does, with a warning."""
    with caplog.at_level(logging.WARNING):
        call = guarded("# nobody\n")

    assert call("GET", "/connectors").status == 200
    assert "is empty; all requests will be permitted" in caplog.text


def test_preflights_of_known_origins_pass(guarded):
    """Browsers send them without credentials."""
    call = guarded("a=b", properties={"access.control.allow.origin": "http://bar.com"})
    headers = {"origin": "http://bar.com", "access-control-request-method": "GET"}

    assert call("OPTIONS", "/connectors", headers=headers).status == 200


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, f"Property Credentials file must be specified: set {KEY}"),
        ({KEY: " "}, f"Property Credentials file must be specified: set {KEY}"),
        (
            {KEY: "/nowhere/x"},
            "Error loading Property Credentials file /nowhere/x: No such file or directory",
        ),
    ],
    ids=["missing", "blank", "no file"],
)
def test_a_missing_file_is_explained(settings, message):
    """Before anything is served."""
    with pytest.raises(ConfigError) as caught:
        BasicAuthSecurityRestExtension().configure(settings)

    assert str(caught.value) == message
