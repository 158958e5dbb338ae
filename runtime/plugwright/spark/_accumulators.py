"""The server that takes what Spark's tasks have counted, at its end."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def end_accumulators(session: SparkSession) -> None:
    """Have a session's server of accumulators end without anybody waiting for it.

    It looks up from a silent connection once a second, and ``SparkContext.stop`` waits for that,
    which is most of what the end of a worker takes. It is told here, and leaves nothing behind if
    the process ends first.
    """
    context: Any = session.sparkContext  # pyspark has no public way to this server
    server = getattr(context, "_accumulatorServer", None)
    if server is not None:
        context._accumulatorServer = None  # noqa: SLF001  # or pyspark waits for it
        with suppress(OSError, TypeError):
            Path(server.server_address).unlink()  # a host and a port where it is no file
        threading.Thread(target=server.shutdown, name="accumulators-end", daemon=True).start()
