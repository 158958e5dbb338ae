"""The control channel between a driver and its task hosts: encrypted, JSON frames over TCP.

Status cannot come back through Spark's own output, which is buffered until a task ends, and
commands cannot reach a running task at all; hence a channel of our own. A caller knows the driver
by its certificate, and says with its first frame which task it is and that it may speak for it.
"""

from __future__ import annotations

import socket
import threading
import time
from typing import TYPE_CHECKING

from plugwright.errors import SetupError
from plugwright.spark._addresses import CONTROL_PORT
from plugwright.spark._encrypted import EncryptedLine, trusting, with_new_key
from plugwright.spark._messages import Hello, from_frame, to_frame
from plugwright.spark._strangers import Strangers
from plugwright.wire import NonsenseError, packed_head, read_frame

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright.spark._messages import Message

_ACCEPT_PAUSE_S = 0.05
_LOOK_S = 0.5
_LAST_WORDS_S = 2.0
_ANSWER_S = 60.0
_BACKLOG = 1024
_HELLO_LIMIT = 1 << 18
_FRAME_LIMIT = 1 << 30


class ChannelClosedError(Exception):
    """The other side is gone."""


class Channel:
    """One end of the conversation with one peer; sending is safe from several threads."""

    def __init__(self, line: EncryptedLine) -> None:
        self._line = line

    def send(self, message: Message) -> None:
        """Send one message.

        Raises:
            ChannelClosedError: if the other side is gone.
        """
        frame = packed_head(to_frame(message))
        try:
            self._line.send(frame)
        except OSError as error:
            raise ChannelClosedError from error

    def receive(self, limit: int = _FRAME_LIMIT) -> Message:
        """Wait for the next message.

        Args:
            limit: bytes that it may have.

        Raises:
            ChannelClosedError: if the other side is gone or talks nonsense.
        """
        try:
            frame, _ = read_frame(self._line.exactly, head_limit=limit)
            return from_frame(frame)
        except (OSError, NonsenseError) as error:
            raise ChannelClosedError from error

    def close(self) -> None:
        """Hang up; wakes a thread that waits in `receive` on either side."""
        self._line.close()


def connect(address: tuple[str, int], certificate: str) -> Channel:
    """Call the driver.

    Args:
        address: where it listens.
        certificate: what it has to show, in PEM.

    Raises:
        ChannelClosedError: if it is not the driver who answers there.
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
    """The driver's end: hears who calls, and gives each task host a thread.

    Args:
        admits: whether a caller may speak for the task that its first message names.
        serve: talks with one caller, whose first message it is given, until the channel closes.
        host: interface to listen on.
        port: where to listen; 0 for any free port.
        strangers: how many callers may not yet have said who they are, and for how long.

    Attributes:
        certificate: what callers have to know the driver by, in PEM.

    Raises:
        SetupError: ``spark.control-port`` if the address is taken or not this machine's.
    """

    def __init__(
        self,
        admits: Callable[[Hello], bool],
        serve: Callable[[Channel, Hello], None],
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        strangers: Strangers | None = None,
    ) -> None:
        self._admits = admits
        self._serve = serve
        self._strangers = strangers or Strangers()
        self._context, self.certificate = with_new_key()
        self._closing = threading.Event()
        self._talking: set[threading.Thread] = set()
        self._listener = _listening(host, port)
        self._acceptor = threading.Thread(target=self._accept, name="control-channel", daemon=True)
        self._acceptor.start()

    @property
    def address(self) -> tuple[str, int]:
        """Where task hosts call."""
        host, port = self._listener.getsockname()[:2]
        return str(host), int(port)

    def close(self) -> None:
        """Take no more calls, and wait a moment for callers that are about to hang up.

        More than once does no harm.
        """
        if self._closing.is_set():
            return
        self._closing.set()
        with socket.create_connection(self.address):
            pass  # wakes the accepting thread, which closing alone does not
        self._acceptor.join()  # it uses the listener until it sees that this is the end
        self._listener.close()
        deadline = time.monotonic() + _LAST_WORDS_S
        for thread in list(self._talking):
            thread.join(max(deadline - time.monotonic(), 0.0))

    def _accept(self) -> None:
        while not self._closing.is_set():
            if not self._strangers.has_room():
                time.sleep(_ACCEPT_PAUSE_S)
                continue
            self._listener.settimeout(_LOOK_S if len(self._strangers) else None)
            try:
                line, _ = self._listener.accept()
            except TimeoutError:
                continue  # to see who takes too long
            except OSError:
                time.sleep(_ACCEPT_PAUSE_S)  # out of descriptors, or a caller that has gone
                continue
            if self._closing.is_set():
                line.close()
                return
            self._greet(line)

    def _greet(self, line: socket.socket) -> None:
        # Hands are shaken on a thread: a silent caller holds up nobody but itself.
        line.settimeout(None)
        try:
            encrypted = EncryptedLine(line, self._context, accepts=True)
        except OSError:
            line.close()
            return
        self._strangers.came(encrypted.cut)
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
                self._strangers.gone(line.cut)
            if isinstance(hello, Hello) and self._admits(hello):
                self._serve(channel, hello)
        except (ChannelClosedError, OSError):
            pass  # a host that went, or a stranger
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
