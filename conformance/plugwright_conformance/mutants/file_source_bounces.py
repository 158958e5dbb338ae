"""A file source that survives one crash, but not a second one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plugwright import ConnectError
from plugwright_conformance.mutants.mutant import mutant
from plugwright_file_source import FileStreamSourceTask

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LeavesLocksTask"]


@mutant(
    "M126",
    "breaks from the second crash on, over the lock files that it has left",
    killed_by="CON-REB-04",
    failure="is locked",
)
class LeavesLocksTask(FileStreamSourceTask):
    """Renames a stale lock file, and fails if an earlier one was renamed."""

    def __init__(self) -> None:
        super().__init__()
        self._own_lock: Path | None = None

    def start(self, props: Mapping[str, str]) -> None:
        """Lock the file."""
        lock, old = (Path(f"{props['file']}.{end}") for end in ("lock", "lock.old"))
        if lock.exists():
            if old.exists():
                raise ConnectError(f"{props['file']} is locked")
            lock.rename(old)
        lock.touch()
        self._own_lock = lock
        super().start(props)

    def stop(self) -> None:
        """Unlock it."""
        super().stop()
        if self._own_lock is not None:
            self._own_lock.unlink(missing_ok=True)
