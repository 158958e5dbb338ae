"""One temporary directory per command, removed when the command ends."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["kept_in", "temporary_directory"]

_VARIABLE = "TMPDIR"


@contextmanager
def temporary_directory(purpose: str = "") -> Iterator[Path]:
    """A new directory, removed at the end, whatever processes still write there.

    Args:
        purpose: a word for its name.
    """
    prefix = f"plugwright-{purpose}-" if purpose else "plugwright-"
    with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as made:
        yield Path(made)


@contextmanager
def kept_in(directory: Path) -> Iterator[Path]:
    """Keep the temporary files of this process and its children in a directory.

    Afterwards ``TMPDIR`` is what it was.
    """
    before, default = os.environ.get(_VARIABLE), tempfile.tempdir
    os.environ[_VARIABLE] = tempfile.tempdir = str(directory)
    try:
        yield directory
    finally:
        tempfile.tempdir = default
        os.environ.pop(_VARIABLE)
        if before is not None:
            os.environ[_VARIABLE] = before
