"""TLS contexts from PEM files, in Kafka's names of settings (KIP-651)."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, Final

from plugwright.errors import ConfigError

if TYPE_CHECKING:
    from plugwright.rest._settings import TlsSettings

_VERSIONS: Final = {"TLSv1.2": ssl.TLSVersion.TLSv1_2, "TLSv1.3": ssl.TLSVersion.TLSv1_3}
_CLIENT_AUTH: Final = {
    "none": ssl.CERT_NONE,
    "requested": ssl.CERT_OPTIONAL,
    "required": ssl.CERT_REQUIRED,
}
_CONVERT: Final = (
    "convert it: keytool -importkeystore -srckeystore server.jks -destkeystore server.p12 "
    "-deststoretype PKCS12; openssl pkcs12 -in server.p12 -out server.pem"
)


def server_context(tls: TlsSettings) -> ssl.SSLContext:
    """The TLS context for https listeners.

    Other than Java's key stores, PEM files have no type but PEM, no password of their own (only the
    key has one) and no alias; JKS and PKCS #12 files have to be converted once.

    Raises:
        ConfigError: if no certificate is configured, or a file cannot be used.
    """
    context = _context(ssl.PROTOCOL_TLS_SERVER, tls)
    if tls.keystore is None:
        raise _wrong(tls, "ssl.keystore.location", "must be set for https listeners")
    _load_certificate(context, tls)
    if tls.client_auth != "none":
        if tls.truststore is None:
            reason = f"must be set where ssl.client.auth is {tls.client_auth}"
            raise _wrong(tls, "ssl.truststore.location", reason)
        _load_authorities(context, tls)
    context.verify_mode = _CLIENT_AUTH[tls.client_auth]
    return context


def client_context(tls: TlsSettings) -> ssl.SSLContext:
    """The TLS context for requests to other workers, presenting this worker's certificate, if any.

    Raises:
        ConfigError: if a file cannot be used.
    """
    context = _context(ssl.PROTOCOL_TLS_CLIENT, tls)
    if tls.truststore is None:
        context.load_default_certs()
    else:
        _load_authorities(context, tls)
    if tls.keystore is not None:
        _load_certificate(context, tls)
    return context


def _context(protocol: int, tls: TlsSettings) -> ssl.SSLContext:
    if tls.keystore_type.upper() != "PEM":
        reason = f"is {tls.keystore_type}, but only PEM files can be read"
        raise _wrong(tls, "ssl.keystore.type", reason, _CONVERT)
    context = ssl.SSLContext(protocol)
    versions = sorted(_VERSIONS[name] for name in tls.protocols)
    context.minimum_version, context.maximum_version = versions[0], versions[-1]
    if tls.ciphers:
        try:
            context.set_ciphers(":".join(tls.ciphers))
        except ssl.SSLError as error:
            reason = f"names no cipher suite that OpenSSL has: {', '.join(tls.ciphers)}"
            raise _wrong(tls, "ssl.cipher.suites", reason) from error
    return context


def _load_certificate(context: ssl.SSLContext, tls: TlsSettings) -> None:
    def password() -> str:
        """Never let OpenSSL ask on the terminal."""
        return tls.key_password.value if tls.key_password else ""

    try:
        context.load_cert_chain(str(tls.keystore), tls.key, password)
    except (OSError, ValueError) as error:
        files = tls.keystore if tls.key is None else f"{tls.keystore} with key {tls.key}"
        reason = f"cannot be used: {files}: {_reason(error)}"
        hint = "check the files, that key and certificate belong together, and ssl.key.password"
        raise _wrong(tls, "ssl.keystore.location", reason, hint) from error


def _load_authorities(context: ssl.SSLContext, tls: TlsSettings) -> None:
    try:
        context.load_verify_locations(tls.truststore)
    except (OSError, ValueError) as error:
        reason = f"cannot be used: {tls.truststore}: {_reason(error)}"
        raise _wrong(tls, "ssl.truststore.location", reason) from error


def _reason(error: Exception) -> str:
    """The text of an error without errno or lines of OpenSSL's source."""
    if isinstance(error, ssl.SSLError):
        return error.reason.replace("_", " ").lower() if error.reason else "no usable PEM data"
    return str(getattr(error, "strerror", None) or error)


def _wrong(tls: TlsSettings, key: str, reason: str, hint: str = "") -> ConfigError:
    full = f"{tls.prefix}{key}"
    message = f"{full} {reason}"
    return ConfigError(message, hint=hint, facts={"key": full, "problems": ((full, message),)})
