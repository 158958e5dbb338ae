"""A kit for a queue: a list of Redis, served in this process by fakeredis."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import redis
from fakeredis import FakeServer, TcpFakeServer

from plugwright_conformance.subject.kits._endpoint import KitEndpoint, decoder, encoder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["QueueKit"]


class QueueKit(KitEndpoint):
    """A list of Redis: values are added at its right end and taken from the left."""

    def __init__(self, options: Mapping[str, Any], directory: Path) -> None:
        super().__init__(options, directory)
        self._key = options.get("key", "queue")
        self._url = ""
        self._server: TcpFakeServer | None = None

    def stop(self) -> None:
        """Stop the server, which forgets everything."""
        self._close()

    def seed(self, values: Sequence[Any]) -> None:
        """Add values at the right end."""
        if values:
            with self._client() as client:
                client.rpush(self._key, *map(encoder(self._options), values))

    def read_back(self) -> list[Any]:
        """Every value that is in the queue, from the left."""
        with self._client() as client:
            found = client.lrange(self._key, 0, -1)
        return [decoder(self._options)(data.decode()) for data in found]

    def refuse(self) -> Sequence[str]:
        """Close the port; the system's words about it."""
        self._close()
        return ("Connection refused",)

    def recover(self) -> Sequence[str]:
        """Serve what there was, on the same port."""
        if self._server is not None:
            self._serve(self._server.server_address[1], self._server.fake_server)
        return ()

    def _open(self) -> Mapping[str, str]:
        self._serve(0)
        return {"url": self._url, "key": self._key}

    def _serve(self, port: int, content: FakeServer | None = None) -> None:
        self._server = TcpFakeServer(("127.0.0.1", port))
        self._server.daemon_threads = True
        self._server.fake_server = content or self._server.fake_server
        self._url = f"redis://127.0.0.1:{self._server.server_address[1]}/0"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def _close(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    def _client(self) -> redis.Redis:
        return redis.Redis.from_url(self._url)
