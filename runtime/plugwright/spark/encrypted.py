"""A TLS connection between a driver and its task hosts that several threads may use at once."""

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
"""A certificate lives as long as its process. The validity allows for clock differences."""


class EncryptedLine:
    """One end of a TLS connection.

    Python's TLS sockets must not be read and written concurrently, so
    bytes are encrypted in memory here, under a lock, and sent through a plain socket.

    Args:
        line: the connected socket.
        context: this side's certificate and trust.
        accepts: whether this is the server side.
    """

    def __init__(self, line: socket.socket, context: ssl.SSLContext, *, accepts: bool) -> None:
        self._line = line
        self._arrived, self._leaving = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._arrived, self._leaving, server_side=accepts)
        self._state, self._sending = threading.Lock(), threading.Lock()
        self._closing = threading.Lock()
        # Without this a frame would wait for the acknowledgement of the previous one, which takes
        # 40 ms if the peer sends nothing (RFC 896, RFC 1122 section 4.2.3.2).
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def shake_hands(self) -> None:
        """Perform the TLS handshake.

        Raises:
            OSError: if the peer is gone, or fails authentication.
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
        """Send all of the data.

        Raises:
            OSError: if the peer is gone.
        """
        view = memoryview(data)
        with self._sending:
            while view:
                with self._state:
                    view = view[self._tls.write(view[:_PIECE]) :]
                    encrypted = self._leaving.read()
                self._line.sendall(encrypted)

    def exactly(self, size: int) -> bytes:
        """Read exactly this many bytes.

        Raises:
            OSError: if the peer is gone before.
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
        """Shut the connection down; wakes threads that wait for bytes on either side."""
        with suppress(OSError):  # the peer was first
            self._line.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the socket; idempotent and thread-safe."""
        with self._closing:  # after a close, another socket may have the same descriptor
            if self._line.fileno() >= 0:
                self.cut()
                self._line.close()

    def _fetch(self) -> None:
        self._arrived.write(self._line.recv(_PIECE) or _ended())

    def _deliver(self) -> None:
        """Send pending protocol bytes; none after the handshake."""
        if self._leaving.pending:
            with self._sending:
                with self._state:
                    encrypted = self._leaving.read()
                self._line.sendall(encrypted)


def _ended() -> bytes:
    raise ConnectionResetError


def with_new_key() -> tuple[ssl.SSLContext, str]:
    """Create a server context, and its certificate in PEM for the clients."""
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
    context.num_tickets = 0  # sessions are not resumed
    with NamedTemporaryFile(prefix="plugwright-") as file:  # private; ssl only reads files
        file.write(key.private_bytes(*pem, serialization.NoEncryption()) + certificate)
        file.flush()
        context.load_cert_chain(file.name)
    return context, certificate.decode()


def trusting(certificate: str) -> ssl.SSLContext:
    """Create a client context that trusts only this certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False  # the certificate identifies the driver, wherever it runs
    context.load_verify_locations(cadata=certificate)
    return context
