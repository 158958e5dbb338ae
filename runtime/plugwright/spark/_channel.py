"""The control channel between a driver and its task hosts: authenticated, JSON frames over TCP.

Status cannot come back through Spark's own output, which is buffered until a task ends, and
commands cannot reach a running task at all; hence a channel of our own. Frames are JSON, never
pickles: nothing that arrives is executed.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from multiprocessing import AuthenticationError
from multiprocessing.connection import (
    Client,
    Connection,
    Listener,
    answer_challenge,
    deliver_challenge,
)
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Channel", "ChannelClosedError", "ChannelServer", "connect"]

_ACCEPT_PAUSE_S = 0.05
_LAST_WORDS_S = 2.0


class ChannelClosedError(Exception):
    """The other side is gone."""


class Channel:
    """One end of the conversation with one peer; sending is safe from several threads."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._sending, self._closing = threading.Lock(), threading.Lock()

    def send(self, kind: str, **content: Any) -> None:
        """Send one frame.

        Raises:
            ChannelClosedError: if the other side is gone.
        """
        frame = json.dumps({"type": kind, **content}).encode()
        try:
            with self._sending:
                self._connection.send_bytes(frame)
        except OSError as error:
            raise ChannelClosedError from error

    def receive(self) -> Mapping[str, Any]:
        """Wait for the next frame.

        Raises:
            ChannelClosedError: if the other side is gone or talks nonsense.
        """
        try:
            frame = json.loads(self._connection.recv_bytes())
        except (OSError, EOFError, ValueError) as error:
            raise ChannelClosedError from error
        if not isinstance(frame, dict) or "type" not in frame:
            raise ChannelClosedError
        return frame

    def close(self) -> None:
        """Hang up; wakes a thread that waits in `receive` on either side."""
        with self._closing:  # whoever is woken by this hangs up as well
            if self._connection.closed:
                return
            try:
                with socket.socket(fileno=os.dup(self._connection.fileno())) as line:
                    line.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # the other side was first
            self._connection.close()


def connect(address: tuple[str, int], secret: bytes) -> Channel:
    """Call the driver.

    Raises:
        ChannelClosedError: if nobody answers there or the secret is wrong.
    """
    try:
        connection = Client(address, authkey=secret)
        _send_at_once(connection)
        return Channel(connection)
    except (OSError, EOFError, AuthenticationError) as error:
        raise ChannelClosedError from error


def _send_at_once(connection: Connection) -> None:
    """Have each frame sent as it is written.

    It would wait otherwise until the one before is acknowledged, which takes 40 ms where the other
    side has nothing to say meanwhile (RFC 896, RFC 1122 section 4.2.3.2).
    """
    with socket.socket(fileno=os.dup(connection.fileno())) as line:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


class ChannelServer:
    """The driver's end: accepts task hosts and gives each one a thread.

    Args:
        secret: what a caller must know.
        serve: talks with one caller until the channel closes.
        host: interface to listen on.
    """

    def __init__(
        self, secret: bytes, serve: Callable[[Channel], None], *, host: str = "127.0.0.1"
    ) -> None:
        self._secret = secret
        self._serve = serve
        self._closing = threading.Event()
        self._talking: set[threading.Thread] = set()
        self._listener = Listener((host, 0), backlog=128)
        threading.Thread(target=self._accept, name="control-channel", daemon=True).start()

    @property
    def address(self) -> tuple[str, int]:
        """Where task hosts call."""
        host, port = self._listener.address
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
        self._listener.close()
        deadline = time.monotonic() + _LAST_WORDS_S
        for thread in list(self._talking):
            thread.join(max(deadline - time.monotonic(), 0.0))

    def _accept(self) -> None:
        while not self._closing.is_set():
            try:
                connection = self._listener.accept()
            except OSError:
                time.sleep(_ACCEPT_PAUSE_S)  # out of descriptors, or a caller that has gone
                continue
            if self._closing.is_set():
                connection.close()
                return
            thread = threading.Thread(
                target=self._talk, args=(connection,), name="task-host", daemon=True
            )
            self._talking.add(thread)
            thread.start()

    def _talk(self, connection: Connection) -> None:
        # The handshake is here, not in accept: a silent caller holds up nobody but itself.
        channel = Channel(connection)
        try:
            _send_at_once(connection)
            deliver_challenge(connection, self._secret)
            answer_challenge(connection, self._secret)
            self._serve(channel)
        except (ChannelClosedError, AuthenticationError, OSError, EOFError):
            pass  # a host that went, or a stranger
        finally:
            channel.close()
            self._talking.discard(threading.current_thread())
