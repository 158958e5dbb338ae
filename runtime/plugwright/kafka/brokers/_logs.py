"""Creates the logs of started processes, and keeps only the latest ones."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from plugwright.cache import make_directory

if TYPE_CHECKING:
    from pathlib import Path

KEPT = 10
_TAIL_BYTES = 32_768


def new_log(cache: Path, subject: str) -> Path:
    """An empty log ``<cache>/logs/<subject>-<time>-<pid>.log``; only the last ten are kept."""
    directory = make_directory(cache / "logs")
    time = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%f")
    log = directory / f"{subject}-{time}-{os.getpid()}.log"
    log.touch()
    for old in sorted(directory.glob(f"{subject}-*.log"))[:-KEPT]:
        old.unlink(missing_ok=True)
    return log


def tail(log: Path, lines: int) -> tuple[str, ...]:
    """The last lines of a log that are not blank; none if there is no log."""
    try:
        with log.open("rb") as stream:
            stream.seek(max(0, log.stat().st_size - _TAIL_BYTES))
            text = stream.read().decode("utf-8", "replace")
    except FileNotFoundError:
        return ()
    return tuple(line.rstrip() for line in text.splitlines() if line.strip())[-lines:]
