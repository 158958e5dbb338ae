"""Java's own key store format (JKS), read only.

The class ``sun.security.provider.JavaKeyStore`` of OpenJDK defines it. Stores that ``keytool`` of
Java 9 and newer creates are PKCS #12, whatever their file name.
"""

from __future__ import annotations

import hashlib
from io import BytesIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

JKS_MAGIC = b"\xfe\xed\xfe\xed"
"""The first bytes of every store."""

_DIGEST = 20
_SALT = b"Mighty Aphrodite"
_KEY, _CERTIFICATE = 1, 2
_LONG_FORM = 0x80


class StoreError(Exception):
    """A store cannot be read; the message has the reason."""


def read_jks(
    data: bytes, password: str | None, key_password: str | None
) -> tuple[Any, list[Certificate]]:
    """The first private key, if there is one, and all certificates.

    Args:
        data: the content of the store.
        password: the store's password; without it the store's integrity is not checked, as in Java.
        key_password: the key's password.

    Raises:
        StoreError: if the store is damaged, or a password is wrong.
        ImportError: if the package cryptography is missing.
    """
    from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415  # an extra
        load_der_private_key,
    )
    from cryptography.x509 import load_der_x509_certificate  # noqa: PLC0415  # an extra

    body, digest = data[:-_DIGEST], data[-_DIGEST:]
    if password is not None and digest != _hash(_wide(password) + _SALT + body):
        raise StoreError("the password is wrong, or the store is damaged")
    try:
        keys, certificates = _entries(BytesIO(body))
    except (EOFError, IndexError) as error:
        raise StoreError("it is truncated") from error
    key = load_der_private_key(_decrypted(keys[0], key_password or ""), None) if keys else None
    return key, [load_der_x509_certificate(each) for each in certificates]


def _entries(source: BytesIO) -> tuple[list[bytes], list[bytes]]:
    keys: list[bytes] = []
    certificates: list[bytes] = []
    source.seek(len(JKS_MAGIC))
    version = _number(source, 4)
    for _ in range(_number(source, 4)):
        tag = _number(source, 4)
        _block(source, 2)  # the alias
        _number(source, 8)  # the date
        if tag == _KEY:
            keys.append(_block(source, 4))
        elif tag != _CERTIFICATE:
            raise StoreError(f"an entry of type {tag} is neither a key nor a certificate")
        for _ in range(_number(source, 4) if tag == _KEY else 1):
            if version > 1:
                _block(source, 2)  # the type, X.509
            certificates.append(_block(source, 4))
    return keys, certificates


def _number(source: BytesIO, size: int) -> int:
    data = source.read(size)
    if len(data) < size:
        raise EOFError
    return int.from_bytes(data, "big")


def _block(source: BytesIO, size: int) -> bytes:
    length = _number(source, size)
    data = source.read(length)
    if len(data) < length:
        raise EOFError
    return data


def _decrypted(entry: bytes, password: str) -> bytes:
    """The key in PKCS #8, decrypted from Sun's own format, a SHA-1 key stream."""
    _, inner = _element(entry, 0)
    end_of_algorithm, _ = _element(inner, 0)
    _, protected = _element(inner, end_of_algorithm)
    salt, hidden, check = (
        protected[:_DIGEST],
        protected[_DIGEST:-_DIGEST],
        protected[-_DIGEST:],
    )
    secret = _wide(password)
    stream, digest = b"", salt
    while len(stream) < len(hidden):
        digest = _hash(secret + digest)
        stream += digest
    key = bytes(one ^ other for one, other in zip(hidden, stream, strict=False))
    if _hash(secret + key) != check:
        raise StoreError("the password of the key is wrong")
    return key


def _element(data: bytes, start: int) -> tuple[int, bytes]:
    """The end of a DER element, and its content."""
    length, at = data[start + 1], start + 2
    if length >= _LONG_FORM:
        size = length - _LONG_FORM
        length, at = int.from_bytes(data[at : at + size], "big"), at + size
    return at + length, data[at : at + length]


def _wide(password: str) -> bytes:
    return password.encode("utf-16-be")


def _hash(data: bytes) -> bytes:
    return hashlib.sha1(data).digest()  # noqa: S324  # the format's own
