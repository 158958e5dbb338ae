"""The lock file that identifies a user's running ``plugwright up``.

The process holds a lock on the file. The lock is released with the process, however it ends, so
the content is valid exactly while the lock is held. It is a POSIX lock: children do not inherit it.
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
    """The path of the file, whether it exists or not."""
    return cache_directory() / "up.json"


@contextmanager
def claimed(file: Path) -> Iterator[Callable[[Mapping[str, object]], None]]:
    """Be the only process of the user that runs ``plugwright up`` until the block ends.

    Yields:
        A function that replaces the document about this process.

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
    """Stop the process that runs ``plugwright up``, and wait until it has stopped all it started.

    Returns:
        The document that it wrote; ``None`` if there is no such process.
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
        stream.close()  # its previous owner has just removed it


def _holder(stream: TextIO) -> Mapping[str, Any] | None:
    """The document of the process that holds the lock; ``None`` if this one acquired it."""
    while not _lock(stream):
        stream.seek(0)
        with suppress(ValueError):  # the other process is writing
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
        f"plugwright up is already running{f' at {where}' if where else ''}",
        code="up.runs-already",
        hint="stop it with plugwright up --stop",
        facts=running,
    )
