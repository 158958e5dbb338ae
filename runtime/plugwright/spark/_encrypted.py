"""A line under TLS between a driver and its task hosts; several threads may use it at once."""

from __future__ import annotations

import socket
import ssl
import threading
from contextlib import suppress
from datetime import UTC, datetime
from tempfile import NamedTemporaryFile

_PIECE = 1 << 16
_FIRST_DAY = datetime(2000, 1, 1, tzinfo=UTC)
_LAST_DAY = datetime(9999, 12, 31, tzinfo=UTC)
"""A certificate lives as long as its process. Clocks of a cluster may differ; keys do the work."""


class EncryptedLine:
    """One end of a TLS connection.

    Python's own sockets with TLS must not be read and written at the same time, so that bytes are
    encrypted in memory here, under a lock, and pass through a plain socket.

    Args:
        line: the connected socket.
        context: what this side shows and expects.
        accepts: whether this side was called.
    """

    def __init__(self, line: socket.socket, context: ssl.SSLContext, *, accepts: bool) -> None:
        self._line = line
        self._arrived, self._leaving = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._arrived, self._leaving, server_side=accepts)
        self._state, self._sending = threading.Lock(), threading.Lock()
        self._closing = threading.Lock()
        # Else a frame would wait until the one before is acknowledged, which takes 40 ms where the
        # other side has nothing to say (RFC 896, RFC 1122 section 4.2.3.2).
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def shake_hands(self) -> None:
        """Agree on keys.

        Raises:
            OSError: if the other side is gone, or is not who it has to be.
        """
        while True:
            try:
                with self._state:
                    self._tls.do_handshake()
            except ssl.SSLWantReadError:
                self._deliver()
                self._fetch()
            else:
                self._deliver()
                return

    def send(self, data: bytes) -> None:
        """Send all of it.

        Raises:
            OSError: if the other side is gone.
        """
        view = memoryview(data)
        with self._sending:
            while view:
                with self._state:
                    view = view[self._tls.write(view[:_PIECE]) :]
                    encrypted = self._leaving.read()
                self._line.sendall(encrypted)

    def exactly(self, size: int) -> bytes:
        """Wait for so many bytes.

        Raises:
            OSError: if the other side is gone before.
        """
        data = bytearray()
        while len(data) < size:
            try:
                with self._state:
                    data += self._tls.read(min(size - len(data), _PIECE)) or _ended()
            except ssl.SSLWantReadError:
                self._deliver()
                self._fetch()
        return bytes(data)

    def cut(self) -> None:
        """End the conversation; wakes a thread that waits for bytes on either side."""
        with suppress(OSError):  # the other side was first
            self._line.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Hang up; more than once does no harm, whichever threads do it."""
        with self._closing:  # a number that was closed may be another line's by now
            if self._line.fileno() >= 0:
                self.cut()
                self._line.close()

    def _fetch(self) -> None:
        self._arrived.write(self._line.recv(_PIECE) or _ended())

    def _deliver(self) -> None:
        """Send what the protocol itself has to say, which is nothing once hands were shaken."""
        if self._leaving.pending:
            with self._sending:
                with self._state:
                    encrypted = self._leaving.read()
                self._line.sendall(encrypted)


def _ended() -> bytes:
    raise ConnectionResetError


def with_new_key() -> tuple[ssl.SSLContext, str]:
    """What a server shows, and the certificate in PEM that its callers have to be told."""
    from cryptography import x509  # noqa: PLC0415  # an extra, of drivers only
    from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "plugwright driver")])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(_FIRST_DAY)
        .not_valid_after(_LAST_DAY)
        .sign(key, hashes.SHA256())
        .public_bytes(serialization.Encoding.PEM)
    )
    pem = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.num_tickets = 0  # nobody calls twice
    with NamedTemporaryFile(prefix="plugwright-") as file:  # for its owner alone; ssl reads files
        file.write(key.private_bytes(*pem, serialization.NoEncryption()) + certificate)
        file.flush()
        context.load_cert_chain(file.name)
    return context, certificate.decode()


def trusting(certificate: str) -> ssl.SSLContext:
    """What a caller expects: this certificate, and no other."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False  # the certificate is the driver's own, wherever it is
    context.load_verify_locations(cadata=certificate)
    return context
