"""Directories over HTTP, on loopback."""

from __future__ import annotations

import functools
import http.server
import threading
from contextlib import contextmanager

__all__ = ["served"]


class _Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without a log."""

    def log_message(self, *_):
        """Say nothing."""


@contextmanager
def served(directory):
    """The address of a directory, until the block ends."""
    handler = functools.partial(_Quiet, directory=str(directory))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        serving.join()
