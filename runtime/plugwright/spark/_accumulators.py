"""Shuts down PySpark's accumulator server without waiting for it."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def end_accumulators(session: SparkSession) -> None:
    """Shut down a session's accumulator server in the background.

    The server checks for a shutdown once a second, and ``SparkContext.stop`` waits for that,
    which is most of the time that a worker takes to exit. The shutdown starts here and leaves
    nothing behind if the process ends first.
    """
    context: Any = session.sparkContext  # pyspark has no public way to this server
    server = getattr(context, "_accumulatorServer", None)
    if server is not None:
        context._accumulatorServer = None  # noqa: SLF001  # or pyspark waits for it
        with suppress(OSError, TypeError):
            Path(server.server_address).unlink()  # a host and a port if it is not a file
        threading.Thread(target=server.shutdown, name="accumulators-end", daemon=True).start()
