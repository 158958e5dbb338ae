"""Ed25519 keys in files; a private key is read only to sign."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plugwright.errors import AlreadyExistsError, ConnectError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

_PUBLIC_SUFFIX = ".pub"
_FOREIGN_BITS = 0o077


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A public key, which verifies signatures."""

    key: Ed25519PublicKey = field(repr=False)

    @property
    def pem(self) -> str:
        """The key in PEM format."""
        from cryptography.hazmat.primitives import serialization as s  # noqa: PLC0415  # an extra

        text = self.key.public_bytes(s.Encoding.PEM, s.PublicFormat.SubjectPublicKeyInfo)
        return text.decode()

    @property
    def keyid(self) -> str:
        """SHA-256 of the key's SubjectPublicKeyInfo in DER, hexadecimal."""
        from cryptography.hazmat.primitives import serialization as s  # noqa: PLC0415  # an extra

        der = self.key.public_bytes(s.Encoding.DER, s.PublicFormat.SubjectPublicKeyInfo)
        return hashlib.sha256(der).hexdigest()

    @property
    def fingerprint(self) -> str:
        """The key's fingerprint for display."""
        return f"SHA256:{self.keyid}"

    def verifies(self, signature: bytes, data: bytes) -> bool:
        """Whether the corresponding private key made the signature over the data."""
        from cryptography.exceptions import InvalidSignature  # noqa: PLC0415  # an extra's package

        try:
            self.key.verify(signature, data)
        except InvalidSignature:
            return False
        return True


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A private key, which signs and never reveals its value."""

    key: Ed25519PrivateKey = field(repr=False)

    @property
    def public(self) -> PublicKey:
        """The corresponding public key."""
        return PublicKey(self.key.public_key())

    def sign(self, data: bytes) -> bytes:
        """The signature over the data: 64 bytes, the same for the same data."""
        return self.key.sign(data)


def generate_key(path: Path) -> PublicKey:
    """Create a private key at ``path``, with mode 0600, and the public key next to it.

    Raises:
        AlreadyExistsError: ``key.exists`` if either file exists; nothing is overwritten.
        ConnectError: ``key.unwritable`` if a file cannot be created.
    """
    from cryptography.hazmat.primitives import serialization as s  # noqa: PLC0415  # an extra
    from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415  # an extra

    private = ed25519.Ed25519PrivateKey.generate()
    public = PublicKey(private.public_key())
    beside = path.with_name(path.name + _PUBLIC_SUFFIX)
    body = private.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption())
    _create(path, body, 0o600)
    try:
        _create(beside, public.pem.encode(), 0o644)
    except ConnectError:
        path.unlink()
        raise
    return public


def load_signing_key(path: Path) -> SigningKey:
    """Load a private key from a file that only its owner can read.

    Raises:
        ConnectError: ``key.unreadable``, ``key.exposed`` or ``key.not-ed25519``.
    """
    from cryptography.hazmat.primitives import serialization as s  # noqa: PLC0415  # an extra
    from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415  # an extra

    data = _read(path)
    mode = path.stat().st_mode & 0o777
    if mode & _FOREIGN_BITS:
        raise _failure(
            path,
            "key.exposed",
            f"the private key {path} must be readable only by its owner, found mode {mode:04o}",
            f"chmod 600 {path}, and make a new key if others had access to this machine",
        )
    key = _parsed(lambda: s.load_pem_private_key(data, password=None))
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise _failure(
            path,
            "key.not-ed25519",
            f"{path} contains no unencrypted Ed25519 private key",
            "create one with: plugwright keygen PATH",
        )
    return SigningKey(key)


def load_public_key(path: Path) -> PublicKey:
    """The public key in a file.

    Raises:
        ConnectError: ``key.unreadable`` or ``key.not-ed25519``.
    """
    from cryptography.hazmat.primitives import serialization as s  # noqa: PLC0415  # an extra
    from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415  # an extra

    data = _read(path)
    key = _parsed(lambda: s.load_pem_public_key(data))
    if not isinstance(key, ed25519.Ed25519PublicKey):
        raise _failure(
            path,
            "key.not-ed25519",
            f"{path} contains no Ed25519 public key",
            f"name the {_PUBLIC_SUFFIX} file that plugwright keygen wrote next to the private key",
        )
    return PublicKey(key)


def _parsed(load: Callable[[], object]) -> object:
    """The key, or ``None``; parser errors are suppressed because they might quote the file."""
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415  # an extra's package

    try:
        return load()
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None


def _create(path: Path, body: bytes, mode: int) -> None:
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    except FileExistsError as error:
        raise AlreadyExistsError(
            f"{path} exists, and keys are never overwritten",
            code="key.exists",
            hint="name another file, or move this one away",
            facts={"path": str(path)},
        ) from error
    except OSError as error:
        raise _failure(
            path,
            "key.unwritable",
            f"{path} cannot be written: {error.strerror}",
            "name a file in an existing, writable directory",
        ) from error
    with os.fdopen(handle, "wb") as file:
        file.write(body)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise _failure(
            path,
            "key.unreadable",
            f"the key {path} cannot be read: {error.strerror}",
            "name a key file; plugwright keygen PATH creates one",
        ) from error


def _failure(path: Path, code: str, message: str, hint: str) -> ConnectError:
    return ConnectError(message, code=code, hint=hint, facts={"path": str(path)})
