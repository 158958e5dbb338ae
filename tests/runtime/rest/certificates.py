"""Certificates for tests of https: one authority, and what it signs."""

from __future__ import annotations

import datetime as dt
import ipaddress

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

PEM = serialization.Encoding.PEM
START = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
END = dt.datetime(2060, 1, 1, tzinfo=dt.UTC)


class Authority:
    """Signs certificates for 127.0.0.1, and writes PEM files into a folder."""

    def __init__(self, folder):
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _named("test authority")
        self._certificate = self._signed(self._name, self._key, authority=True)
        self.file = self._written("authority.pem", self._certificate.public_bytes(PEM))

    def issue(self, name, password=None):
        """Files with certificate and key together, certificate alone, and key alone."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = self._signed(_named(name), key).public_bytes(PEM)
        hidden = (
            serialization.BestAvailableEncryption(password.encode())
            if password
            else serialization.NoEncryption()
        )
        secret = key.private_bytes(PEM, serialization.PrivateFormat.PKCS8, hidden)
        return (
            self._written(f"{name}.pem", secret + certificate),
            self._written(f"{name}.crt", certificate),
            self._written(f"{name}.key", secret),
        )

    def _signed(self, name, key, *, authority=False):
        constraints = x509.BasicConstraints(ca=authority, path_length=None)
        address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
        identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        return (
            x509.CertificateBuilder(self._name, name, key.public_key(), x509.random_serial_number())
            .not_valid_before(START)
            .not_valid_after(END)
            .add_extension(constraints, critical=True)
            .add_extension(x509.SubjectAlternativeName([address]), critical=False)
            .add_extension(identifier, critical=False)
            .add_extension(issuer, critical=False)
            .sign(self._key, hashes.SHA256())
        )

    def _written(self, name, content):
        path = self._folder / name
        path.write_bytes(content)
        return str(path)


def _named(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])
