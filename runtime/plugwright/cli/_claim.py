"""The file that says which process of a user runs ``plugwright up``, as long as it runs.

The process holds a lock on the file. The lock ends with the process, however that ends, so what the
file says is true exactly while somebody holds it. It is a POSIX lock: children do not inherit it.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TextIO

from plugwright.cache import cache_directory, make_directory
from plugwright.cli._output import write_json
from plugwright.errors import IllegalWorkerStateError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

_WRITING_S = 0.01


def claim_file() -> Path:
    """Where the file is, if it is there."""
    return cache_directory() / "up.json"


@contextmanager
def claimed(file: Path) -> Iterator[Callable[[Mapping[str, object]], None]]:
    """Be the only process that runs ``plugwright up`` until the block ends.

    Yields:
        Writes the document that others read about this process, in place of the one before.

    Raises:
        IllegalWorkerStateError: ``up.runs-already``.
        SetupError: if the cache cannot be written.
    """
    make_directory(file.parent)
    with _locked(file) as stream:

        def write(document: Mapping[str, object]) -> None:
            stream.seek(0)
            stream.truncate()
            write_json({**document, "pid": os.getpid()}, stream)
            stream.flush()

        write({})
        try:
            yield write
        finally:
            file.unlink(missing_ok=True)


def end_claim(file: Path) -> Mapping[str, Any] | None:
    """End the process that runs ``plugwright up``, and wait until it has stopped all it started.

    Returns:
        What it wrote about itself; ``None`` if there is no such process.
    """
    with suppress(FileNotFoundError), file.open("r+", encoding="utf-8") as stream:
        if document := _holder(stream):
            os.kill(document["pid"], signal.SIGTERM)
            fcntl.lockf(stream, fcntl.LOCK_EX)
            return document
    return None


def _locked(file: Path) -> TextIO:
    while True:
        stream = file.open("a+", encoding="utf-8")
        if running := _holder(stream):
            stream.close()
            raise _runs_already(running)
        if _is_at(stream, file):
            return stream
        stream.close()  # the process before has just removed it


def _holder(stream: TextIO) -> Mapping[str, Any] | None:
    """What the process that holds the lock has written; ``None`` once this one holds it."""
    while not _lock(stream):
        stream.seek(0)
        with suppress(ValueError):  # the other is writing
            found: dict[str, Any] = json.load(stream)
            return found
        time.sleep(_WRITING_S)
    return None


def _lock(stream: TextIO) -> bool:
    try:
        fcntl.lockf(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _is_at(stream: TextIO, file: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(stream.fileno()), file.stat())
    except FileNotFoundError:
        return False


def _runs_already(running: Mapping[str, Any]) -> IllegalWorkerStateError:
    where = running.get("rest")
    return IllegalWorkerStateError(
        f"plugwright up runs already{f' at {where}' if where else ''}",
        code="up.runs-already",
        hint="plugwright up --stop ends it",
        facts=running,
    )
