"""The cache directory, for files that can be created again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["cache_directory", "make_directory"]


def cache_directory(environ: Mapping[str, str] = os.environ) -> Path:
    """The directory for the runtime's own cache; it may not exist yet.

    ``PLUGWRIGHT_CACHE`` names it; else it is ``plugwright`` in ``XDG_CACHE_HOME``, which counts
    only if absolute (XDG base directory specification), or in ``~/.cache``.
    """
    if own := environ.get("PLUGWRIGHT_CACHE"):
        return Path(own).expanduser().absolute()
    shared = Path(environ.get("XDG_CACHE_HOME", ""))
    if shared.is_absolute():
        return shared / "plugwright"
    home = environ.get("HOME")
    return (Path(home) if home else Path.home()) / ".cache" / "plugwright"


def make_directory(directory: Path) -> Path:
    """The directory, made with those above it where they are missing.

    Raises:
        SetupError: ``environment.cache-not-writable``.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SetupError(
            f"the cache directory {directory} cannot be made: {error.strerror}",
            code="environment.cache-not-writable",
            hint="set PLUGWRIGHT_CACHE to a directory that can be written",
            facts={"directory": str(directory), "reason": error.strerror},
        ) from error
    return directory
