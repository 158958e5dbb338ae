"""Trust stores and key stores of Java clients, as PEM that librdkafka reads.

The client reads a PEM file itself; PKCS #12 and JKS are opened here and their content is passed
in memory. The first bytes of a store determine its format, as in Java for its own two formats.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright.errors import ConfigError, SetupError
from plugwright.kafka.jks import JKS_MAGIC, StoreError, read_jks

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from cryptography.x509 import Certificate

SETTINGS = frozenset(
    {
        "ssl.key.password",
        *(
            f"ssl.{store}.{part}"
            for store in ("truststore", "keystore")
            for part in ("location", "password", "type")
        ),
    }
)
"""The properties that ``store_settings`` reads."""

_PEM = b"-----BEGIN "
_SEARCHED = 65_536


def store_settings(properties: Mapping[str, str]) -> dict[str, object]:
    """The settings with which a client trusts brokers and authenticates itself.

    Raises:
        ConfigError: ``kafka.store-unreadable`` if a store is missing, or its password is wrong.
        SetupError: if the store is of Java's kinds and the package cryptography is missing.
    """
    return trusted(properties, "ssl.ca") | _identity(properties)


def trusted(properties: Mapping[str, str], prefix: str) -> dict[str, object]:
    """The authorities of ``ssl.truststore.location`` under ``PREFIX.location`` or ``PREFIX.pem``.

    Only Java's formats need a password; for PEM it is ignored.

    Raises:
        ConfigError: ``kafka.store-unreadable`` if the store is missing, or its password is wrong.
        SetupError: if the store is of Java's kinds and the package cryptography is missing.
    """
    store = _Store.of(properties, "truststore")
    if store is None:
        return {}
    if store.is_pem():
        return {f"{prefix}.location": store.location}
    _, certificates = store.content(properties)
    return {f"{prefix}.pem": _texts(certificates)}


def _identity(properties: Mapping[str, str]) -> dict[str, object]:
    """The client's own certificate and key."""
    password = properties.get("ssl.key.password")
    store = _Store.of(properties, "keystore")
    if store is None:
        return {} if password is None else {"ssl.key.password": password}
    if store.is_pem():
        found: dict[str, object] = dict.fromkeys(
            ("ssl.certificate.location", "ssl.key.location"), store.location
        )
        return found if password is None else {**found, "ssl.key.password": password}
    key, certificates = store.content(properties)
    if key is None:
        raise store.refused("it contains no private key")
    return {"ssl.certificate.pem": _texts(_chain(key, certificates)), "ssl.key.pem": _text(key)}


class _Store:
    """One store of a client's settings.

    Attributes:
        setting: the name of the setting with its location.
        location: the file.
    """

    def __init__(self, properties: Mapping[str, str], name: str) -> None:
        self.setting = f"ssl.{name}.location"
        self.location = properties[self.setting]
        self._type = properties.get(f"ssl.{name}.type", "").upper()
        self._password = properties.get(f"ssl.{name}.password")

    @classmethod
    def of(cls, properties: Mapping[str, str], name: str) -> _Store | None:
        """The store, if one is configured."""
        return cls(properties, name) if properties.get(f"ssl.{name}.location") else None

    def is_pem(self) -> bool:
        """Whether the client can read the file itself."""
        return self._type == "PEM" or _PEM in self._read()[:_SEARCHED]

    def content(self, properties: Mapping[str, str]) -> tuple[Any, list[Certificate]]:
        """The private key, if there is one, and the certificates."""
        data = self._read()
        try:
            if data.startswith(JKS_MAGIC):
                key_password = properties.get("ssl.key.password") or self._password
                return read_jks(data, self._password, key_password)
            return _read_pkcs12(data, self._password)
        except ImportError as error:
            raise SetupError(
                f"{self.setting} is a Java store, {self.location}, and reading it requires the "
                "package cryptography",
                code="environment.package-missing",
                hint="install plugwright[kafka], or convert the store to PEM",
            ) from error
        except (StoreError, ValueError) as error:
            raise self.refused(str(error)) from error

    def _read(self) -> bytes:
        try:
            return Path(self.location).read_bytes()
        except OSError as error:
            raise self.refused(error.strerror or type(error).__name__) from error

    def refused(self, reason: str) -> ConfigError:
        """The error about this store."""
        password = self.setting.replace("location", "password")
        return ConfigError(
            f"{self.setting}: the store {self.location} cannot be read: {reason}",
            code="kafka.store-unreadable",
            hint=f"correct {self.setting} or {password}; PEM, PKCS #12 and JKS are read",
            facts={"key": self.setting, "location": self.location},
        )


def _read_pkcs12(data: bytes, password: str | None) -> tuple[Any, list[Certificate]]:
    from cryptography.hazmat.primitives.serialization import pkcs12  # noqa: PLC0415  # an extra

    store = pkcs12.load_pkcs12(data, None if password is None else password.encode())
    found = [store.cert, *store.additional_certs]
    return store.key, [each.certificate for each in found if each is not None]


def _chain(key: Any, certificates: list[Certificate]) -> list[Certificate]:
    """The certificate of the key, then its chain of issuers, in order."""
    own = key.public_key()
    chain = [each for each in certificates if each.public_key() == own][:1]
    while chain:
        last = chain[-1]
        above = [each for each in certificates if each.subject == last.issuer and each not in chain]
        if not above:
            break
        chain.append(above[0])
    return chain or certificates


def _texts(certificates: Iterable[Certificate]) -> str:
    from cryptography.hazmat.primitives.serialization import Encoding  # noqa: PLC0415  # an extra

    return "".join(each.public_bytes(Encoding.PEM).decode() for each in certificates)


def _text(key: Any) -> str:
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415  # an extra

    pem: bytes = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return pem.decode()
