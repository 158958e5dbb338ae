"""Spark's Python worker daemon with the modules of every task host imported.

Task hosts are forked from it, so they neither import these modules again nor have copies of them.
Spark's own daemon imports nothing before it forks, because some libraries start threads; here
these are configured not to, or handle forks.
"""

from __future__ import annotations

import fcntl
import gc
import importlib
import os
import select
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING
from zipimport import zipimporter

from pyspark.daemon import manager

from plugwright.processes import forbid_core_dumps
from plugwright.spark.exit_table import ExitTable

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def ended_by_hangup(stdin: int = 0) -> Iterator[None]:
    """End the process within the block once the writer of its standard input is gone.

    Spark's JVM holds the other end, and its daemon reads it only after all imports, which takes
    seconds on a busy machine. The kernel reports it with SIGIO, which ends the process by default;
    a thread cannot be used in a process that is about to fork.

    Args:
        stdin: descriptor of a pipe's reading end.
    """
    flags = fcntl.fcntl(stdin, fcntl.F_GETFL)
    fcntl.fcntl(stdin, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(stdin, fcntl.F_SETFL, flags | os.O_ASYNC)
    if _has_hung_up(stdin):
        sys.exit(1)
    try:
        yield
    finally:
        fcntl.fcntl(stdin, fcntl.F_SETFL, flags)


def _has_hung_up(stdin: int) -> bool:
    poll = select.poll()
    poll.register(stdin, 0)
    return any(event & select.POLLHUP for _, event in poll.poll(0))


_NEEDED = (
    "pandas",  # Arrow looks for it on every conversion of Python objects: 0.4 s each time
    "pyspark.worker",
    "pyspark.sql.pandas.serializers",
    "plugwright.spark.host",
    "plugwright.spark.kafka_source",
)
_SPARK_SECRET = "_SPARK_AUTH_SECRET"  # noqa: S105  # the name of a variable
"""The secret with which executors authenticate each other; plugins must not see it."""

_YOUNG_OBJECTS = 20_000
"""Records come in batches of short-lived objects; searching for cycles at every
700th, Python's default, takes a tenth of a source task's time."""


def main() -> None:
    """Import, then serve Spark."""
    os.environ.pop(_SPARK_SECRET, None)
    forbid_core_dumps()
    with ended_by_hangup():
        for name in _NEEDED:
            with suppress(Exception):  # the task host that needs it reports the failure
                importlib.import_module(name)
    forget_archives()
    ExitTable.create().watch_children()
    gc.set_threshold(_YOUNG_OBJECTS)
    gc.collect()
    gc.freeze()  # a collection writes to every object it visits, which would copy shared memory
    manager()


def forget_archives() -> None:
    """Clear the import caches of archives, which are cheap to rebuild.

    Each worker invalidates all importers, and each of those for a package in Spark's own archive
    would read the whole table of contents: 0.2 s and 30 MiB in every host.
    """
    for place, importer in list(sys.path_importer_cache.items()):
        if isinstance(importer, zipimporter):
            del sys.path_importer_cache[place]


if __name__ == "__main__":
    main()
