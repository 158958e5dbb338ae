"""Creates log files for started processes, and deletes the oldest ones of ended processes."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING

from plugwright.cache import make_directory

if TYPE_CHECKING:
    from pathlib import Path

KEPT = 10
_TAIL_BYTES = 32_768


def new_log(cache: Path, subject: str) -> Path:
    """An empty log ``<cache>/logs/<subject>-<time>-<pid>.log``.

    Older logs are deleted except the newest ten and those of running processes: a restarted process
    continues to write to its log.
    """
    directory = make_directory(cache / "logs")
    time = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%f")
    log = directory / f"{subject}-{time}-{os.getpid()}.log"
    log.touch()
    for old in sorted(directory.glob(f"{subject}-*.log"))[:-KEPT]:
        if not _is_held(old):
            old.unlink(missing_ok=True)
    return log


def hold(log: IO[bytes]) -> None:
    """Keep `new_log` from deleting a log until every process that writes to it has ended."""
    fcntl.flock(log, fcntl.LOCK_SH)


def _is_held(log: Path) -> bool:
    with suppress(FileNotFoundError), log.open("rb") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def tail(log: Path, lines: int) -> tuple[str, ...]:
    """The last lines of a log that are not blank; none if there is no log."""
    try:
        with log.open("rb") as stream:
            stream.seek(max(0, log.stat().st_size - _TAIL_BYTES))
            text = stream.read().decode("utf-8", "replace")
    except FileNotFoundError:
        return ()
    return tuple(line.rstrip() for line in text.splitlines() if line.strip())[-lines:]
