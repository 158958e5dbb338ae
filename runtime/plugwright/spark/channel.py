"""The control channel between a driver and its task hosts: encrypted, JSON frames over TCP.

Spark buffers a task's output until it ends, so status cannot be sent that way, and it cannot
send commands to a running task at all; hence this separate channel. A caller authenticates the
driver by its certificate; its first frame names the task and proves that it may speak for it.
"""

from __future__ import annotations

import socket
import threading
import time
from typing import TYPE_CHECKING

from plugwright.errors import SetupError
from plugwright.spark.addresses import CONTROL_PORT
from plugwright.spark.encrypted import EncryptedLine, trusting, with_new_key
from plugwright.spark.messages import Hello, from_frame, to_frame
from plugwright.spark.pending_callers import PendingCallers
from plugwright.wire import NonsenseError, packed_head, read_frame

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright.spark.messages import Message

_ACCEPT_PAUSE_S = 0.05
_LOOK_S = 0.5
_LAST_WORDS_S = 2.0
_ANSWER_S = 60.0
_BACKLOG = 1024
_HELLO_LIMIT = 1 << 18
_FRAME_LIMIT = 1 << 30


class ChannelClosedError(Exception):
    """The peer is gone."""


class Channel:
    """One end of a connection to a peer; sending is thread-safe."""

    def __init__(self, line: EncryptedLine) -> None:
        self._line = line

    def send(self, message: Message) -> None:
        """Send one message.

        Raises:
            ChannelClosedError: if the peer is gone.
        """
        frame = packed_head(to_frame(message))
        try:
            self._line.send(frame)
        except OSError as error:
            raise ChannelClosedError from error

    def receive(self, limit: int = _FRAME_LIMIT) -> Message:
        """Wait for the next message.

        Args:
            limit: maximum size in bytes.

        Raises:
            ChannelClosedError: if the peer is gone or sends an invalid message.
        """
        try:
            frame, _ = read_frame(self._line.exactly, head_limit=limit)
            return from_frame(frame)
        except (OSError, NonsenseError) as error:
            raise ChannelClosedError from error

    def close(self) -> None:
        """Close the connection; wakes threads that wait in `receive` on either side."""
        self._line.close()


def connect(address: tuple[str, int], certificate: str) -> Channel:
    """Connect to the driver.

    Args:
        address: the address that it listens on.
        certificate: the certificate that it must present, in PEM.

    Raises:
        ChannelClosedError: if the driver does not answer there.
    """
    try:
        line = socket.create_connection(address, _ANSWER_S)
    except OSError as error:
        raise ChannelClosedError from error
    encrypted = EncryptedLine(line, trusting(certificate), accepts=False)
    try:
        encrypted.shake_hands()
        line.settimeout(None)
    except OSError as error:
        encrypted.close()
        raise ChannelClosedError from error
    return Channel(encrypted)


class ChannelServer:
    """The driver's end: accepts connections and gives each task host a thread.

    Args:
        admits: whether a caller may speak for the task that its first message names.
        serve: handles one caller, given its first message, until the channel closes.
        host: interface to listen on.
        port: port to listen on; 0 for any free port.
        pending: limits the connections that have not identified themselves.

    Attributes:
        certificate: the certificate of the driver for its callers, in PEM.

    Raises:
        SetupError: ``spark.control-port`` if the address is in use or not this machine's.
    """

    def __init__(
        self,
        admits: Callable[[Hello], bool],
        serve: Callable[[Channel, Hello], None],
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        pending: PendingCallers | None = None,
    ) -> None:
        self._admits = admits
        self._serve = serve
        self._pending = pending or PendingCallers()
        self._context, self.certificate = with_new_key()
        self._closing = threading.Event()
        self._talking: set[threading.Thread] = set()
        self._listener = _listening(host, port)
        self._acceptor = threading.Thread(target=self._accept, name="control-channel", daemon=True)
        self._acceptor.start()

    @property
    def address(self) -> tuple[str, int]:
        """The address for task hosts to connect to."""
        host, port = self._listener.getsockname()[:2]
        return str(host), int(port)

    def close(self) -> None:
        """Accept no more connections, and wait briefly for callers that are about to disconnect.

        Idempotent.
        """
        if self._closing.is_set():
            return
        self._closing.set()
        with socket.create_connection(self.address):
            pass  # wakes the accepting thread, which closing alone does not
        self._acceptor.join()  # it uses the listener until it sees the shutdown
        self._listener.close()
        deadline = time.monotonic() + _LAST_WORDS_S
        for thread in list(self._talking):
            thread.join(max(deadline - time.monotonic(), 0.0))

    def _accept(self) -> None:
        while not self._closing.is_set():
            if not self._pending.has_room():
                time.sleep(_ACCEPT_PAUSE_S)
                continue
            self._listener.settimeout(_LOOK_S if len(self._pending) else None)
            try:
                line, _ = self._listener.accept()
            except TimeoutError:
                continue  # to check for callers that take too long
            except OSError:
                time.sleep(_ACCEPT_PAUSE_S)  # out of descriptors, or the caller has disconnected
                continue
            if self._closing.is_set():
                line.close()
                return
            self._greet(line)

    def _greet(self, line: socket.socket) -> None:
        # The handshake runs on its own thread: a silent caller blocks only itself.
        line.settimeout(None)
        try:
            encrypted = EncryptedLine(line, self._context, accepts=True)
        except OSError:
            line.close()
            return
        self._pending.came(encrypted.cut)
        thread = threading.Thread(
            target=self._talk, args=(encrypted,), name="task-host", daemon=True
        )
        self._talking.add(thread)
        thread.start()

    def _talk(self, line: EncryptedLine) -> None:
        channel = Channel(line)
        try:
            try:
                line.shake_hands()
                hello = channel.receive(_HELLO_LIMIT)
            finally:
                self._pending.gone(line.cut)
            if isinstance(hello, Hello) and self._admits(hello):
                self._serve(channel, hello)
        except (ChannelClosedError, OSError):
            pass  # a host that disconnected, or an unidentified caller
        finally:
            channel.close()
            self._talking.discard(threading.current_thread())


def _listening(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), backlog=_BACKLOG)
    except OSError as error:
        raise SetupError(
            f"the worker cannot listen for its tasks at {host}:{port}: {error.strerror}",
            code="spark.control-port",
            hint=f"set {CONTROL_PORT} to a free port (0 for any), and spark.driver.bindAddress to "
            "an address of this machine",
            facts={"host": host, "port": port},
        ) from error
