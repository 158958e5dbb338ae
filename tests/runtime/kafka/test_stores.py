"""Trust stores and key stores of Java clients, as keytool makes them."""

from __future__ import annotations

import base64
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.serialization import pkcs12
from cryptography.x509 import load_pem_x509_certificate

from plugwright.errors import ConfigError, SetupError
from plugwright.kafka.client_properties import own_settings
from plugwright.kafka.jks import read_jks

STORES = Path(__file__).parents[2] / "golden" / "stores"
"""Made by keytool of Java 17; keys of nothing, with the passwords below."""

PASSWORD, KEY_PASSWORD = "storepass", "keypass12"  # of the stores in the repository
CLIENT = {
    "ssl.keystore.location": str(STORES / "key.jks"),
    "ssl.keystore.password": PASSWORD,
    "ssl.key.password": KEY_PASSWORD,
}


def _trust(name: str, password: str | None = PASSWORD) -> dict[str, str]:
    found = {"ssl.truststore.location": str(STORES / name), "ssl.truststore.type": "JKS"}
    return found if password is None else {**found, "ssl.truststore.password": password}


@pytest.fixture
def opened():
    """Key and certificates of the key store."""
    return read_jks((STORES / "key.jks").read_bytes(), PASSWORD, KEY_PASSWORD)


@pytest.mark.parametrize("name", ["trust.jks", "trust.p12"])
def test_a_trust_store_of_java_becomes_authorities(name, opened):
    """PKCS #12 is what keytool makes today, also where the type says JKS."""
    (certificate,) = opened[1]

    found = own_settings(_trust(name))

    assert found.keys() == {"ssl.ca.pem"}
    assert load_pem_x509_certificate(found["ssl.ca.pem"].encode()) == certificate


def test_a_key_store_of_java_becomes_certificate_and_key(opened):
    """The key is in memory only, and not encrypted there."""
    key, (certificate,) = opened

    found = own_settings(CLIENT)

    assert found.keys() == {"ssl.certificate.pem", "ssl.key.pem"}
    assert load_pem_x509_certificate(found["ssl.certificate.pem"].encode()) == certificate
    loaded = serialization.load_pem_private_key(found["ssl.key.pem"].encode(), None)
    assert loaded.private_numbers() == key.private_numbers()
    assert certificate.public_key() == key.public_key()


def test_a_pkcs12_key_store_is_read_with_its_chain(tmp_path, opened):
    """The certificate of the key comes first."""
    key, (certificate,) = opened
    path = tmp_path / "client.p12"
    encryption = serialization.BestAvailableEncryption(b"secret")
    path.write_bytes(
        pkcs12.serialize_key_and_certificates(b"me", key, certificate, [certificate], encryption)
    )

    found = own_settings({"ssl.keystore.location": str(path), "ssl.keystore.password": "secret"})

    assert found["ssl.certificate.pem"].count("BEGIN CERTIFICATE") == 1
    assert "BEGIN PRIVATE KEY" in found["ssl.key.pem"]


@pytest.mark.parametrize("given_type", ["PEM", None])
def test_one_pem_file_is_both_certificate_and_key(tmp_path, opened, given_type):
    """With or without the type; the client picks out what it needs."""
    path = tmp_path / "client.pem"
    key = opened[0].private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(b"secret"),
    )
    path.write_bytes(opened[1][0].public_bytes(serialization.Encoding.PEM) + key)
    type_ = {} if given_type is None else {"ssl.keystore.type": given_type}

    found = own_settings(
        {"ssl.keystore.location": str(path), "ssl.key.password": "secret", **type_}
    )

    assert found == {
        "ssl.certificate.location": str(path),
        "ssl.key.location": str(path),
        "ssl.key.password": "secret",
    }


def test_a_pem_trust_store_needs_no_password_and_takes_one(tmp_path, opened):
    """There is nothing to open with it."""
    path = tmp_path / "ca.pem"
    path.write_bytes(opened[1][0].public_bytes(serialization.Encoding.PEM))
    given = {"ssl.truststore.location": str(path), "ssl.truststore.password": "x"}

    assert own_settings({**given, "ssl.truststore.type": "PEM"}) == {"ssl.ca.location": str(path)}


WRONG = {
    "missing": (_trust("none.jks"), "No such file"),
    "password": (_trust("trust.jks", "wrong"), "the password is wrong"),
    "password of PKCS #12": (_trust("trust.p12", "wrong"), "password"),
    "password of the key": (CLIENT | {"ssl.key.password": "wrong"}, "the password of the key"),
    "no key": (
        {"ssl.keystore.location": str(STORES / "trust.jks"), "ssl.keystore.password": PASSWORD},
        "it contains no private key",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_store_that_cannot_be_read_is_named_with_the_reason(case):
    """Instead of a client that never connects; no password is shown."""
    given, reason = WRONG[case]

    with pytest.raises(ConfigError, match=reason) as caught:
        own_settings(given)

    assert caught.value.code == "kafka.store-unreadable"
    said = f"{caught.value}{caught.value.hint}{caught.value.facts}"
    assert PASSWORD not in said
    assert next(iter(given.values())) in said


@pytest.mark.parametrize("length", [4, 30, 200, -21])
def test_a_damaged_store_is_an_error_of_the_settings(tmp_path, length):
    """Cut off anywhere, with a password and without."""
    path = tmp_path / "cut.jks"
    path.write_bytes((STORES / "key.jks").read_bytes()[:length])

    for password in ({}, {"ssl.truststore.password": PASSWORD}):
        with pytest.raises(ConfigError, match="cannot be read"):
            own_settings({"ssl.truststore.location": str(path), **password})


def test_without_the_package_a_store_of_java_says_what_to_install(monkeypatch):
    """PEM needs no package."""
    monkeypatch.setitem(sys.modules, "cryptography.x509", None)

    with pytest.raises(SetupError, match="requires the package cryptography") as caught:
        own_settings(_trust("trust.jks"))

    assert "plugwright[kafka]" in caught.value.hint


MODULES = "org.apache.kafka.common.security"
BEARER = f"{MODULES}.oauthbearer.OAuthBearerLoginModule"
LOGINS = {
    "scram": (
        f'{MODULES}.scram.ScramLoginModule required username="ann" password="p";',
        {"sasl.username": "ann", "sasl.password": "p"},
    ),
    "oauth": (
        (
            f"{BEARER} required clientId='id' "
            'clientSecret="s\\"x" scope="a b" extension_tenant="t" extension_x="y";'
        ),
        {
            "sasl.oauthbearer.client.id": "id",
            "sasl.oauthbearer.client.secret": 's"x',
            "sasl.oauthbearer.scope": "a b",
            "sasl.oauthbearer.extensions": "tenant=t,x=y",
        },
    ),
    "unsecured": (
        f'{BEARER} required unsecuredLoginStringClaim_sub="me";',
        {
            "enable.sasl.oauthbearer.unsecure.jwt": "true",
            "sasl.oauthbearer.config": "principal=me",
        },
    ),
    "kerberos": (
        (
            "com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true storeKey=true "
            'keyTab="/etc/me.keytab" principal="me@EXAMPLE.COM" serviceName=kafka;'
        ),
        {
            "sasl.kerberos.keytab": "/etc/me.keytab",
            "sasl.kerberos.principal": "me@EXAMPLE.COM",
            "sasl.kerberos.service.name": "kafka",
        },
    ),
}


@pytest.mark.parametrize("login", LOGINS)
def test_a_jaas_configuration_becomes_the_clients_settings(login):
    """Each of Kafka's login modules."""
    text, wanted = LOGINS[login]

    assert own_settings({"sasl.jaas.config": text}) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "",
        "shop.LoginModule required;",
        f"{MODULES}.scram.ScramLoginModule required tokenauth=true;",
    ],
)
def test_a_login_that_only_java_can_do_is_refused(text):
    """With what is known here."""
    with pytest.raises(ConfigError, match=r"sasl\.jaas\.config") as caught:
        own_settings({"sasl.jaas.config": text})

    assert caught.value.hint


def test_client_credentials_have_kafkas_names():
    """KIP-1139 spells them out; before, JAAS options did."""
    prefix = "sasl.oauthbearer.client.credentials."
    given = {
        f"{prefix}client.id": "id",
        f"{prefix}client.secret": "s",
        "sasl.oauthbearer.scope": "x",
    }
    url = {"sasl.oauthbearer.token.endpoint.url": "http://127.0.0.1/token"}

    assert own_settings(given | url) == {
        "sasl.oauthbearer.client.id": "id",
        "sasl.oauthbearer.client.secret": "s",
        "sasl.oauthbearer.scope": "x",
        "sasl.oauthbearer.method": "oidc",
        **url,
    }


def test_what_was_set_by_name_counts_more_than_the_login_module():
    """In whatever order they come."""
    jaas = {"sasl.jaas.config": LOGINS["oauth"][0]}
    named = {"sasl.oauthbearer.client.credentials.client.id": "other"}

    for given in ({**jaas, **named}, {**named, **jaas}):
        assert own_settings(given)["sasl.oauthbearer.client.id"] == "other"


def test_the_stores_are_small():
    """They are recordings, not a place for keys."""
    assert sum(len(base64.b64encode(path.read_bytes())) for path in STORES.iterdir()) < 10_000
