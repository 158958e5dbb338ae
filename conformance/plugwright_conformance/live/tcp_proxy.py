"""A TCP proxy on this machine that can cut its connections."""

from __future__ import annotations

import asyncio
import socket
from contextlib import closing, suppress
from threading import Thread
from typing import TYPE_CHECKING, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

__all__ = ["TcpProxy"]

_LOOPBACK = "127.0.0.1"
_CHUNK = 65_536
_T = TypeVar("_T")


class TcpProxy:
    """Forwards bytes between clients and one server; a context manager.

    While the link is cut, connections are closed and new ones are closed at once, so clients see
    a server that cannot be reached.

    Args:
        host: the address of this machine where clients connect.

    Attributes:
        port: where clients connect.
        address: the same with the host.
    """

    def __init__(self, host: str = _LOOPBACK) -> None:
        self._listener = socket.create_server((host, 0))
        self.port: int = self._listener.getsockname()[1]
        self.address = f"{host}:{self.port}"
        self._server_port = 0
        self._is_cut = False
        self._links: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="tcp-proxy", daemon=True)
        self._server: asyncio.Server | None = None

    def start(self, server_port: int) -> None:
        """Accept connections and forward them to a port of the loopback interface."""
        self._server_port = server_port
        self._thread.start()
        self._server = self._call(asyncio.start_server(self._accept, sock=self._listener))

    def cut(self) -> None:
        """Close every connection, and let no new one through."""
        self._is_cut = True
        self._call(self._close_links())

    def mend(self) -> None:
        """Let connections through again."""
        self._is_cut = False

    def close(self) -> None:
        """Close the port and every connection."""
        if self._server is None:
            self._listener.close()
        else:
            self._call(self._end(self._server))
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
        self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _call(self, work: Coroutine[object, object, _T]) -> _T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _end(self, server: asyncio.Server) -> None:
        self._is_cut = True
        await self._close_links()
        # Each connection that was just accepted has a task that closes it. A server that is closed
        # before those tasks have run leaves such connections open.
        while left := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(left)
        server.close()
        await asyncio.sleep(0)  # lets closed connections release their sockets

    async def _close_links(self) -> None:
        links = list(self._links)
        for link in links:
            link.cancel()
        await asyncio.gather(*links, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        link = asyncio.current_task()
        assert link is not None  # noqa: S101  # asyncio runs this in a task
        self._links.add(link)
        try:
            if not self._is_cut:
                await self._pass_on(reader, writer)
        except OSError:
            pass  # one side has closed the connection
        except asyncio.CancelledError:
            writer.transport.abort()  # the link was cut, and what is on its way is lost
        finally:
            self._links.discard(link)
            writer.close()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_server, to_server = await asyncio.open_connection(_LOOPBACK, self._server_port)
        with closing(to_server):
            both = [
                asyncio.ensure_future(_copy(reader, to_server)),
                asyncio.ensure_future(_copy(from_server, writer)),
            ]
            try:
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            except asyncio.CancelledError:
                to_server.transport.abort()
                raise
            finally:
                for one in both:
                    one.cancel()
                await asyncio.gather(*both, return_exceptions=True)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while chunk := await reader.read(_CHUNK):
            writer.write(chunk)
            await writer.drain()
