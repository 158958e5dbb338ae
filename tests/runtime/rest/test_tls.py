"""TLS from PEM files."""

from __future__ import annotations

import ssl

import pytest
from tests.runtime.rest.certificates import Authority

from plugwright.errors import ConfigError
from plugwright.rest import RestSettings
from plugwright.rest.tls import client_context, server_context

PASSWORD = "s3cret"  # noqa: S105  # of a test's key


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    """Signs certificates."""
    return Authority(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def files(authority):
    """Certificate with key, certificate, key; the key has a password."""
    return authority.issue("worker", password=PASSWORD)


def _tls(**settings):
    dotted = {key.replace("_", "."): str(value) for key, value in settings.items()}
    return RestSettings.parse(dotted).tls


def test_a_key_may_have_a_file_of_its_own(files):
    """And a password."""
    _, certificate, key = files

    context = server_context(
        _tls(ssl_keystore_location=certificate, ssl_key_location=key, ssl_key_password=PASSWORD)
    )

    assert context.verify_mode is ssl.CERT_NONE
    assert context.minimum_version is ssl.TLSVersion.TLSv1_2


@pytest.mark.parametrize(
    ("auth", "mode"),
    [("none", ssl.CERT_NONE), ("requested", ssl.CERT_OPTIONAL), ("required", ssl.CERT_REQUIRED)],
)
def test_clients_are_asked_for_certificates(files, authority, auth, mode):
    """As ssl.client.auth says."""
    context = server_context(
        _tls(
            ssl_keystore_location=files[0],
            ssl_key_password=PASSWORD,
            ssl_client_auth=auth,
            ssl_truststore_location=authority.file,
        )
    )

    assert context.verify_mode is mode


def test_versions_and_ciphers_are_limited(files):
    """To those configured."""
    context = server_context(
        _tls(
            ssl_keystore_location=files[0],
            ssl_key_password=PASSWORD,
            ssl_enabled_protocols="TLSv1.2",
            ssl_cipher_suites="ECDHE-ECDSA-AES256-GCM-SHA384",
        )
    )

    assert context.maximum_version is ssl.TLSVersion.TLSv1_2
    names = [cipher["name"] for cipher in context.get_ciphers()]
    assert "ECDHE-ECDSA-AES256-GCM-SHA384" in names
    assert "ECDHE-ECDSA-AES128-GCM-SHA256" not in names


def test_other_workers_are_verified(authority):
    """By the trust store, names included."""
    context = client_context(_tls(ssl_truststore_location=authority.file))

    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert len(context.get_ca_certs()) == 1


def test_a_java_key_store_is_explained(tmp_path):
    """With the way to convert it."""
    tls = _tls(ssl_keystore_location=tmp_path / "a.jks", ssl_keystore_type="JKS")

    with pytest.raises(ConfigError) as caught:
        server_context(tls)

    assert str(caught.value) == "ssl.keystore.type is JKS, but only PEM files can be read"
    assert "openssl pkcs12" in caught.value.hint


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"ssl_keystore_location": "/nowhere/a.pem"},
            "ssl.keystore.location cannot be used: /nowhere/a.pem: No such file or directory",
        ),
        (
            {"ssl_keystore_location": "{both}"},
            "ssl.keystore.location cannot be used: {both}: no usable PEM data",
        ),
        (
            {"ssl_keystore_location": "{certificate}"},
            "ssl.keystore.location cannot be used: {certificate}: no usable PEM data",
        ),
        (
            {
                "ssl_keystore_location": "{both}",
                "ssl_key_password": PASSWORD,
                "ssl_client_auth": "required",
            },
            "ssl.truststore.location must be set where ssl.client.auth is required",
        ),
        (
            {
                "ssl_keystore_location": "{both}",
                "ssl_key_password": PASSWORD,
                "ssl_client_auth": "required",
                "ssl_truststore_location": "{key}",
            },
            "ssl.truststore.location cannot be used: {key}: no certificate or crl found",
        ),
        (
            {"ssl_keystore_location": "{both}", "ssl_cipher_suites": "ROT13"},
            "ssl.cipher.suites names no cipher suite that OpenSSL has: ROT13",
        ),
    ],
    ids=["no file", "no password", "no key", "no authorities", "no authority", "no cipher"],
)
def test_what_cannot_be_used_is_explained(files, settings, message):
    """With its key and file, never with the password."""
    places = dict(zip(("both", "certificate", "key"), files, strict=True))
    tls = _tls(**{key: value.format(**places) for key, value in settings.items()})

    with pytest.raises(ConfigError) as caught:
        server_context(tls)

    assert str(caught.value) == message.format(**places)
