"""Spark's daemon of Python workers, which has imported what every task host needs.

Task hosts are forked from it, and so neither import these modules anew nor have a copy of their
own. Spark's daemon imports nothing before it forks, because some libraries start threads; here
they are told not to, or look after theirs in a fork.
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
from plugwright.spark._exits import ExitBoard

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def ended_by_hangup(stdin: int = 0) -> Iterator[None]:
    """Within the block the process ends once nobody can write to its standard input any more.

    Spark's JVM holds the other end, and its daemon looks there only when all is imported, which
    takes seconds on a busy machine. The kernel tells by SIGIO, which ends who does not handle it;
    a thread to look would be one too many for a process that is to fork.

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
    "pandas",  # Arrow looks for it once it makes an array of Python's objects: 0.4 s each time
    "pyspark.worker",
    "pyspark.sql.pandas.serializers",
    "plugwright.spark._host",
    "plugwright.spark.kafka_source",
)
_SPARK_SECRET = "_SPARK_AUTH_SECRET"  # noqa: S105  # the name of a variable
"""By which executors of a cluster know one another; no plugin is to come upon it."""

_YOUNG_OBJECTS = 20_000
"""Records come in batches of young objects that soon die; to look for cycles among them at every
700th, as Python does by itself, takes a tenth of a source task's time."""


def main() -> None:
    """Import, then serve Spark."""
    os.environ.pop(_SPARK_SECRET, None)
    forbid_core_dumps()
    with ended_by_hangup():
        for name in _NEEDED:
            with suppress(Exception):  # the task host that misses it says so, to the driver
                importlib.import_module(name)
    _forget_archives()
    ExitBoard.create().watch_children()
    gc.set_threshold(_YOUNG_OBJECTS)
    gc.collect()
    gc.freeze()  # a collection writes to every object it visits, which would copy shared memory
    manager()


def _forget_archives() -> None:
    """Forget who imports from archives, which costs nothing to find out again.

    Each worker has all importers look at their places anew, and each of those for a package in
    Spark's own archive would read the whole table of contents: 0.2 s and 30 MiB in every host.
    """
    for place, importer in list(sys.path_importer_cache.items()):
        if isinstance(importer, zipimporter):
            del sys.path_importer_cache[place]


if __name__ == "__main__":
    main()
